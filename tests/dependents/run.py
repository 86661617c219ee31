"""Run the tests of packages that are built on autograd, on autograd and on ours: ``make
test-dependents``.

Each source distribution is unpacked twice, and the imports of one copy are changed by `chainrules
migrate`. The arguments are the folder with the source distributions and the libraries that they
need, and names of packages, if not all are to run. Without names the page `docs/dependents.md` is
written anew.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from suites import SUITES, Suite

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "dependents.md"
LIMIT = 900  # seconds that a suite may take
TURNS = 5  # of both engines, where the tests take less than SHORT seconds
SHORT = 20


@dataclass
class Result:
    """What became of the tests of a package on one engine."""

    outcomes: dict[str, list[object]]
    seconds: float
    said: str

    @property
    def passed(self) -> set[str]:
        """The tests that passed."""
        return {test for test, found in self.outcomes.items() if found[0] == "passed"}

    def seconds_of(self, tests: set[str]) -> float:
        """How long some tests took, without what is imported before."""
        return sum(float(self.outcomes[test][1]) for test in tests)


def unpacked(suite: Suite, folder: Path, engine: str) -> Path:
    """A fresh copy of the source distribution, with our imports where the engine is ours."""
    place = folder / "unpacked" / engine
    shutil.rmtree(place / suite.archive, ignore_errors=True)
    (archive,) = (folder / "sources").glob(f"{suite.archive}.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(place, filter="data")
    root = place / suite.archive
    for name, before, after in suite.changes:
        file_name, _, only = name.partition("@")
        if only in ("", engine):
            path = root / file_name
            text = path.read_text(encoding="utf-8")
            assert before in text, f"{path} has no {before!r}"
            path.write_text(text.replace(before, after), encoding="utf-8")
    if engine == "ours":
        migrate([str(root / part) for part in suite.migrated])
    if suite.is_compiled:
        shutil.copytree(extensions(suite, folder, root), root, dirs_exist_ok=True)
    return root


def extensions(suite: Suite, folder: Path, root: Path) -> Path:
    """The compiled modules of a package, which are built once for both engines."""
    place = folder / "built" / suite.archive
    if not place.exists():
        partly = place.with_suffix(".partly")
        command = [sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", str(partly)]
        subprocess.run(command, cwd=root, capture_output=True, check=True)
        partly.rename(place)
    return place


def compile_ours() -> None:
    """Compile our modules to bytecode, as pip does with what it installs, autograd for one.

    Otherwise the tests that import a module first would be charged with its compilation.
    """
    folders = [PAGE.parents[1] / "chainrules_py", PAGE.parents[1] / "backends"]
    command = [sys.executable, "-m", "compileall", "-q", *map(str, folders)]
    subprocess.run(command, check=True)


def migrate(paths: list[str]) -> str:
    """Change the imports of autograd in these folders, and return what could not be changed."""
    command = [sys.executable, "-m", "chainrules_command", "migrate", "--write", *paths]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def ran(suite: Suite, root: Path, libraries: list[Path]) -> Result:
    """Run the tests of an unpacked package."""
    file = root / "outcomes.json"
    places = [*(root / part for part in suite.roots), HERE, *libraries]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "OUTCOMES": str(file),
        "MPLBACKEND": "agg",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pytest", "-p", "counting", "-p", "no:cacheprovider", "-q"]
    command += ["-p", "no:xdist", "-p", "no:randomly", "-c", os.devnull, "--rootdir", str(root)]
    command += ["--confcutdir", str(root)]  # or pytest reads the conftest.py of this project, too
    command += ["--tb=short", "-W", "ignore", *suite.arguments, *suite.tests]
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Result({}, LIMIT, f"{suite.archive} takes more than {LIMIT} s")
    found = json.loads(file.read_text()) if file.exists() else {}
    return Result(found, time.perf_counter() - begin, done.stdout[-20000:] + done.stderr[-3000:])


def turn(suite: Suite, folder: Path) -> list[Result]:
    """Run the tests of a package on autograd, then on ours."""
    results = []
    for engine in ("autograd", "ours"):
        root = unpacked(suite, folder, engine)
        libraries = [folder / "libraries"]
        if engine == "ours":
            libraries.insert(0, migrated_gamma(folder))
        results.append(ran(suite, root, libraries))
    return results


def compared(name: str, folder: Path) -> dict[str, object]:
    """Run a package's tests on both engines, and count.

    The times are those of one run, or the medians of some turns where a run is short.
    """
    suite = SUITES[name]
    there, here = turn(suite, folder)
    lost = sorted(there.passed - here.passed)
    both = there.passed & here.passed
    times = [(there.seconds_of(both), here.seconds_of(both))]
    if times[0][0] < SHORT:
        for _ in range(1, TURNS):
            times.append(tuple(result.seconds_of(both) for result in turn(suite, folder)))
    medians = tuple(map(median, zip(*times, strict=True)))
    print(
        f"{name}: {len(there.passed)} of {len(there.outcomes)} tests pass on autograd, {len(lost)}"
        f" of these not on ours; {medians[0]:.2f} s and {medians[1]:.2f} s",
        flush=True,
    )
    for test in lost:
        print("   ", test, here.outcomes.get(test, ["", "", "did not run"])[2])
    if not there.passed or not here.outcomes:
        print((here if there.passed else there).said)
    return {
        "there": len(there.passed),
        "here": len(both),
        "times": medians,
        "lost": {test: here.outcomes.get(test, ["", "", "did not run"])[2] for test in lost},
    }


def migrated_gamma(folder: Path) -> Path:
    """The package autograd-gamma with our imports, which others are built on."""
    place = folder / "unpacked" / "gamma"
    if not place.exists():
        shutil.copytree(folder / "libraries" / "autograd_gamma", place / "autograd_gamma")
        migrate([str(place)])
    return place


def row(name: str, found: dict) -> str:
    """A line of the table."""
    suite, (there, here) = SUITES[name], found["times"]
    share = 100 * found["here"] / max(found["there"], 1)
    changed = suite.beyond_imports or "nothing"
    ratio = f"{here / there:.2f}" if there else ""
    return (
        f"| {suite.archive} | {found['there']} | {found['here']} | {share:.1f} % | {there:.1f} s |"
        f" {ratio} | {changed} |"
    )


def main() -> bool:
    """Run what the command line asks for; true where a test is lost without a known reason."""
    folder, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    kept = folder / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    is_right = True
    compile_ours()
    for name in names or SUITES:
        results[name] = compared(name, folder)
        is_right &= set(results[name]["lost"]) <= set(SUITES[name].known)
        # after each package: a run that is broken off has found something, too
        kept.write_text(json.dumps(results), encoding="utf-8")
        write_page({name: results[name] for name in SUITES if name in results})
    return not is_right


def write_page(results: dict[str, dict]) -> None:
    """Write the tables of the page; the text around them stays."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split("<!-- table -->\n")[0], text.split("<!-- end -->\n")[1]
    there, here = (sum(one[key] for one in results.values()) for key in ("there", "here"))
    times = [sum(one["times"][i] for one in results.values()) for i in (0, 1)]
    lines = [
        (
            "| package | pass on autograd | of these on ours | share | on autograd | time, ours by its | "
            "changed beyond imports |"
        ),
        "|---|---|---|---|---|---|---|",
        *(row(name, one) for name, one in results.items()),
        (
            f"| together | {there} | {here} | {100 * here / there:.1f} % | {times[0]:.1f} s |"
            f" {times[1] / times[0]:.2f} | |"
        ),
        "",
        "## Tests that pass on autograd and not on ours",
        "",
        *lost_tests(results),
    ]
    body = "\n".join(lines)
    PAGE.write_text(f"{head}<!-- table -->\n{body}\n<!-- end -->\n{rest}", encoding="utf-8")


def lost_tests(results: dict[str, dict]) -> list[str]:
    """A line for each test that is lost, with the reason."""
    lines = []
    for name, one in results.items():
        known = SUITES[name].known
        for test, said in one["lost"].items():
            lines.append(f"* {name}: `{test}`: {known.get(test) or '`' + said + '`'}")
    return lines or ["None."]


if __name__ == "__main__":
    sys.exit(main())
