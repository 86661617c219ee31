"""A stranger's project: its tests know of no emulated device, and pass on it by one option."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from emulated_cuda import missing

EXAMPLE = Path(__file__).parents[1] / "example"
PLUGIN = "pytest_emulated_cuda"
FOUND_BY_PYTEST = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
needs_device = pytest.mark.skipif(missing() is not None, reason=f"no emulated device: {missing()}")


def run(folder, *options, **environment):
    """The tests of the project, in a process of their own."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    named = [] if FOUND_BY_PYTEST else ["-p", PLUGIN]  # an installation older than the entry point
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *named, *options]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)


@pytest.mark.long
@needs_device
def test_it_passes_on_the_emulated_device(tmp_path):
    done = run(tmp_path / "diffusion", "--emulated-cuda")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "3 passed" in done.stdout


@pytest.mark.long
@needs_device
def test_a_conftest_may_import_cupy(tmp_path):
    folder = tmp_path / "diffusion"
    (tmp_path / "conftest.py").write_text("import cupy\nopen('read', 'w').close()\n")
    done = run(folder, "--emulated-cuda", "--confcutdir", str(tmp_path), "-k", "kept")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert (folder / "read").exists()


def test_nothing_is_imported_without_the_option(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import sys\nprint({'cupy', 'emulated_cuda', 'pytest_emulated_cuda'} & {*sys.modules})\n"
    )
    done = run(tmp_path / "diffusion", "--collect-only", "-s", "--confcutdir", str(tmp_path))
    assert "{'pytest_emulated_cuda'}" in done.stdout, done.stdout + done.stderr


def test_without_a_compiler_the_run_ends_with_what_is_missing(tmp_path):
    done = run(tmp_path / "diffusion", "--emulated-cuda", PATH="/nowhere")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "cannot be installed: " in done.stderr
    assert "missing" in done.stderr
