"""What `make test-elsewhere` runs, leaves out and reports; the environments themselves take minutes
and are not made here.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("elsewhere.py")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("elsewhere", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "elsewhere", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "PLACE", tmp_path)
    monkeypatch.setattr(module, "NUMERIC", ("test_one.py",))
    return module


def ran(elsewhere, tmp_path, monkeypatch, test, prepare):
    (tmp_path / "test_one.py").write_text(test)
    monkeypatch.setattr(
        elsewhere, "ENVIRONMENTS", (elsewhere.Environment("one", "the one", prepare),)
    )
    monkeypatch.setattr(sys, "argv", ["elsewhere.py", "one"])
    return elsewhere.main()


READS = "import os\n\ndef test_it():\n    assert os.environ['KERNELS'] == 'Prescott'\n"


ENDINGS = [pytest.param("Prescott", 0, "passed", marks=pytest.mark.long), ("Haswell", 1, "failed")]


@pytest.mark.parametrize(("kernels", "status", "word"), ENDINGS)
def test_a_failing_environment_fails_the_target(
    elsewhere, tmp_path, monkeypatch, capsys, kernels, status, word
):
    assert (
        ran(elsewhere, tmp_path, monkeypatch, READS, lambda: (sys.executable, {"KERNELS": kernels}))
        == status
    )
    assert capsys.readouterr().out.startswith(f"{word}    the one: 1 {word} in")


def test_what_cannot_be_had_is_said(elsewhere, tmp_path, monkeypatch, capsys):
    def prepare():
        raise elsewhere.LeftOutError("no such processor")

    assert ran(elsewhere, tmp_path, monkeypatch, READS, prepare) == 0
    assert capsys.readouterr().out == "left out  the one: no such processor\n"


@pytest.mark.parametrize(
    "script",
    ["import os, signal; os.kill(os.getpid(), signal.SIGILL)", "print('Core: Haswell')", "pass"],
)
def test_kernels_that_are_not_taken_are_left_out(elsewhere, monkeypatch, script):
    """Killed by an instruction that the processor lacks, answered with other kernels, or no
    OpenBLAS at all.
    """
    monkeypatch.setattr(elsewhere, "PROBE", script)
    with pytest.raises(elsewhere.LeftOutError):
        elsewhere.kernels("Zen")


def test_kernels_by_the_name_that_openblas_gives_them(elsewhere, monkeypatch):
    monkeypatch.setattr(elsewhere, "PROBE", "print('Core: Katmai')")
    assert elsewhere.kernels("Prescott")[1] == {"OPENBLAS_CORETYPE": "Prescott"}


def test_the_oldest_versions_are_those_of_the_requirements(elsewhere, tmp_path):
    (tmp_path / "pyproject.toml").write_text("""
        [project]
        dependencies = ["numpy>=2.2", "plum-dispatch>=2.10"]
        [project.optional-dependencies]
        tape = ["optree>=0.14"]
        scipy = ["scipy>=1.13"]
        """)
    assert list(elsewhere.oldest_requirements()) == [
        *("numpy==2.2.*", "plum-dispatch==2.10.*", "optree==0.14.*", "scipy==1.13.*")
    ]
