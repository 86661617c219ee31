"""`chainrules draw` writes a picture."""

from xml.etree import ElementTree


def test_the_picture_is_where_it_says(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("draw", "numpy:sinh", "float64[3]")
    assert (done.status, done.out) == (0, "sinh.svg\n")
    assert ElementTree.parse(tmp_path / "sinh.svg").getroot().tag.endswith("svg")


def test_another_file(run, tmp_path):
    path = tmp_path / "other.svg"
    assert run("draw", "numpy.sinh", "0.5", "-o", str(path), "--json").data == {
        "file": str(path),
        "operations": 1,
    }
    assert path.exists()


def test_a_file_that_cannot_be_written(run, tmp_path):
    done = run("draw", "numpy.sinh", "0.5", "-o", str(tmp_path / "absent" / "other.svg"))
    assert done.status == 2
    assert "--output" in done.err


def test_a_name_of_another_kind_of_picture_is_refused(run, tmp_path):
    path = tmp_path / "picture.png"
    done = run("draw", "numpy.sinh", "0.5", "-o", str(path))
    assert done.status == 2
    assert "write .svg" in done.err
    assert not path.exists()
