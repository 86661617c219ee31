"""What is released has one version and one day, is complete, and is tested by a workflow that calls
what exists.
"""

import re
import subprocess
import sys
import tarfile
from itertools import product

import pytest

from chainrules_py import __version__
from source_trees import ROOT, SETTINGS

pytest.importorskip(
    "hatchling", reason="building without network needs hatchling in this environment (group: test)"
)
yaml = pytest.importorskip(
    "yaml", reason="reading the citation and the workflow needs PyYAML (group: test)"
)

HEADING = re.compile(r"^## (\d+\.\d+\.\d+) – (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_written_once_in_the_sources():
    assert "version" not in SETTINGS["project"]
    assert SETTINGS["tool"]["hatch"]["version"]["path"] == "chainrules_py/version.py"
    assert f'__version__ = "{__version__}"' in read("chainrules_py/version.py")


def test_the_newest_heading_of_the_changelog_is_the_version_and_the_citation_has_both():
    version, day = HEADING.findall(read("CHANGELOG.md"))[0]
    citation = yaml.safe_load(read("CITATION.cff"))
    assert (version, citation["version"]) == (__version__, __version__)
    assert str(citation["date-released"]) == day
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()


def test_the_recipe_has_the_version_and_what_the_tape_needs():
    recipe = yaml.safe_load(read("recipe/recipe.yaml"))
    project = SETTINGS["project"]
    extras = project["optional-dependencies"]
    spaced = {each.replace(">=", " >=") for each in (*project["dependencies"], *extras["tape"])}
    needed = recipe["requirements"]["run"]
    assert recipe["context"]["version"] == __version__
    assert recipe["context"]["python_min"] == project["requires-python"].removeprefix(">=")
    assert {each for each in needed if not each.startswith("python ")} == spaced
    needs = " ".join(" ".join(each) for each in extras.values())
    floors = re.sub(r"\[.*?\]", "", needs).replace(">=", " >=")
    constrained = recipe["requirements"]["run_constraints"]
    # of builds for several CUDAs conda has one package
    assert not [each for each in constrained if each.replace("cupy", "cupy-cuda12x") not in floors]


def test_the_changelog_has_at_most_fifteen_lines_a_version():
    _, *versions = re.split(r"^## ", read("CHANGELOG.md"), flags=re.MULTILINE)
    lines = [re.findall(r"^- .*", version, re.MULTILINE) for version in versions]
    assert len(lines) >= 3
    assert [each for each in lines if not 5 <= len(each) <= 15] == []
    assert [line for each in lines for line in each if len(line) > 280] == []


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.iterdir()
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@needs_git
def test_the_source_distribution_has_all_sources_and_nothing_else(sdist):
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    sources = {
        name
        for name in listed
        if (ROOT / name).exists() and not name.startswith((".ci/", ".github/"))
    }
    assert sdist - sources == {"PKG-INFO"}
    assert sources - sdist == set()


@pytest.fixture(scope="module")
def jobs():
    return yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]


def steps(jobs):
    return [step for job in jobs.values() for step in job["steps"]]


def test_the_workflow_covers_every_python_and_numpy_from_the_oldest_on(jobs):
    project = SETTINGS["project"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    left_out = [(each["python"], each["numpy"]) for each in matrix["exclude"]]
    assert set(left_out) <= set(product(matrix["python"], matrix["numpy"]))
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert project["requires-python"] == f">={matrix['python'][0]}"
    assert f"numpy>={matrix['numpy'][0]}" in project["dependencies"]
    assert matrix["numpy"][-1] == "newest"


def makes(jobs):
    """The targets that steps make."""
    runs = [step["run"] for step in steps(jobs) if step.get("run", "").startswith("make ")]
    return {name for name in " ".join(runs).split() if re.fullmatch(r"[a-z][a-z-]*", name)} - {
        "make"
    }


def test_the_workflow_checks_all_that_a_change_must_pass(jobs):
    assert {"test", "lint", "types", "docs", "demo", "release-check"} <= makes(jobs)


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_the_workflows_call_targets_and_sessions_that_exist(workflow):
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    sessions = set(re.findall(r"^def (\w+)\(session", read("noxfile.py"), re.MULTILINE))
    called = re.findall(r"nox -s (\w+)", " ".join(step.get("run", "") for step in steps(jobs)))
    assert makes(jobs) <= targets
    assert set(called) <= sessions


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_the_workflows_actions_are_pinned(workflow):
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    used = [step["uses"] for step in steps(jobs) if "uses" in step]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []


def test_only_the_job_that_uploads_may_upload_and_it_runs_nothing_else():
    jobs = yaml.safe_load(read(".github/workflows/release.yml"))["jobs"]
    trusted = {name for name, job in jobs.items() if "id-token" in job.get("permissions", {})}
    assert trusted == {"attest", "publish"}
    assert [step for name in trusted for step in jobs[name]["steps"] if "run" in step] == []
    assert jobs["publish"]["environment"] == "pypi"
