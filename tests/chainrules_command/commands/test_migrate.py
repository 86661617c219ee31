"""`chainrules migrate` shows changes of imports, makes them, and lists what is left."""

import pytest

BEFORE = "import autograd.numpy as np\nfrom autograd import grad\n"
AFTER = "import chainrules_tape.autograd.numpy as np\nfrom chainrules_tape.autograd import grad\n"


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "a_package"
    (folder / ".venv").mkdir(parents=True)
    (folder / "model.py").write_text(BEFORE)
    (folder / "other.py").write_text("import numpy as np\n")
    (folder / ".venv" / "hidden.py").write_text(BEFORE)
    return folder


def test_what_would_be_changed_is_shown(run, package):
    done = run("migrate", str(package))
    assert done.status == 0
    assert "-from autograd import grad\n" in done.out
    assert "+from chainrules_tape.autograd import grad\n" in done.out
    assert done.out.endswith("1 of 2 files would be changed, 0 names are left\n")
    assert (package / "model.py").read_text() == BEFORE


def test_files_are_written(run, package):
    done = run("migrate", str(package), "--write", "--json")
    assert done.data == {"changed": [str(package / "model.py")], "written": True, "left": []}
    assert (package / "model.py").read_text() == AFTER
    assert (package / ".venv" / "hidden.py").read_text() == BEFORE
    assert run("migrate", str(package), "--write", "--json").data["changed"] == []


def test_ends_of_lines_and_the_mark_of_the_encoding_stay(run, tmp_path):
    file = tmp_path / "model.py"
    file.write_bytes(b"\xef\xbb\xbf" + BEFORE.replace("\n", "\r\n").encode())
    assert run("migrate", str(file), "--write").status == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + AFTER.replace("\n", "\r\n").encode()


def test_what_is_left_is_listed_with_its_place(run, package):
    (package / "other.py").write_text("\nfrom autograd.core import VJPNode\n")
    done = run("migrate", str(package / "other.py"))
    assert done.status == 1
    assert f"{package / 'other.py'}:2: autograd.core.VJPNode; write vjp(f, x)" in done.out


def test_what_is_left_at_several_places_is_said_once(run, package):
    (package / "other.py").write_text("names = 'autograd', 'numpy'\nchosen = 'autograd'\n")
    done = run("migrate", str(package / "other.py"))
    place = package / "other.py"
    (line,) = [line for line in done.out.splitlines() if "'autograd'" in line]
    assert line.startswith(f"{place}:1: 'autograd'; ")
    assert line.endswith(f" (also at {place}:2)")
    assert "2 names are left" in done.out


@pytest.mark.parametrize("text", ["def f(:\n", None])
def test_no_python_file(run, tmp_path, text):
    path = tmp_path / "wrong.py"
    if text is not None:
        path.write_text(text)
    done = run("migrate", str(path))
    assert done.status == 2
    assert str(path) in done.err
