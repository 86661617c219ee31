"""`chainrules migrate` shows changes of imports, makes them, and lists what is left."""

import os
import re

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


UNREADABLE = {
    "syntax": b"def f(:\n",
    "encoding": BEFORE.encode() + "# \u00e4\n".encode("latin-1"),
    "unknown encoding": b"# -*- coding: no-such-code -*-\n",
    "null": b"x = 1\0\n",
    "nested": b"x = " + b"(" * 5000 + b")" * 5000,
    "negated": b"x = " + b"-" * 100_000 + b"1",  # a MemoryError, which has no text
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_the_rest_of_a_folder_is_migrated_beside_a_file_that_is_none(run, package, name):
    wrong = package / "among.py"
    wrong.write_bytes(UNREADABLE[name])
    done = run("migrate", str(package), "--write")
    assert done.status == 1
    assert re.search(rf"{re.escape(str(wrong))}:.* can be read: .", done.out)
    assert "1 of 3 files were changed" in done.out
    assert (package / "model.py").read_text() == AFTER
    assert wrong.read_bytes() == UNREADABLE[name]


def test_a_file_in_the_encoding_that_it_names(run, package):
    head = "# -*- coding: latin-1 -*-\n# caf\u00e9\n"
    (package / "model.py").write_bytes((head + BEFORE).encode("latin-1"))
    assert run("migrate", str(package), "--write").status == 0
    assert (package / "model.py").read_bytes() == (head + AFTER).encode("latin-1")


def test_no_link_is_followed_out_of_a_folder(run, package, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("file.py", "other.py"):
        (outside / name).write_text(BEFORE)
    os.symlink(outside / "file.py", package / "link.py")
    os.symlink(outside, package / "folder")
    os.symlink(package / "model.py", package / "inside.py")
    os.symlink(outside / "absent.py", package / "broken.py")
    done = run("migrate", str(package), "--write", "--json")
    assert done.data["changed"] == [str(package / "model.py")]
    assert {path.read_text() for path in outside.iterdir()} == {BEFORE}


def test_a_folder_that_is_itself_a_link(run, package, tmp_path):
    os.symlink(package, tmp_path / "link")
    done = run("migrate", str(tmp_path / "link"), "--write", "--json")
    assert done.data["changed"] == [str(tmp_path / "link" / "model.py")]
