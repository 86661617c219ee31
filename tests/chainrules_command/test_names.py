"""Functions and modules by the names that people write."""

import argparse
import math
import os.path
import sys
from xml.dom import minidom

import numpy as np
import pytest

from chainrules_command.misuse import MisuseError
from chainrules_command.names import folder_on_the_path, function_named, module_named


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("numpy.sin", np.sin),
        ("numpy.linalg.inv", np.linalg.inv),
        ("numpy.linalg:inv", np.linalg.inv),
        ("numpy.ndarray.sum", np.ndarray.sum),
        ("os.path.join", os.path.join),
        ("xml.dom.minidom.parse", minidom.parse),
        ("math.sin", math.sin),
        ("map", map),
    ],
)
def test_names_that_are_right(name, found):
    assert function_named(name) is found


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("numpy.matmull", "did you mean numpy.matmul?"),
        ("numpy.linalg:invv", "did you mean numpy.linalg:inv"),
        ("nunpy.sin", " numpy?"),
        ("np.sin", "write the module's own name, numpy"),
        ("numpy.linalgg.inv", "did you mean numpy.linalg"),
        ("xml.domm.minidom:parse", "did you mean xml.dom?"),
        ("arctan2", "did you mean numpy.arctan2?"),
        ("no_such_thing_at_all", "write module.function"),
        ("numpy.pi", "name a function"),
    ],
)
def test_names_that_are_wrong(name, instead):
    with pytest.raises(MisuseError) as raised:
        function_named(name)
    assert instead in str(raised.value)


def test_a_module_that_lacks_another_one_is_told_from_one_that_is_not_there(tmp_path, monkeypatch):
    (tmp_path / "a_lacking_module.py").write_text("import nowhere_to_be_found")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MisuseError, match="it needs nowhere_to_be_found"):
        module_named("a_lacking_module")


def test_a_file_is_named_by_its_path_and_the_path_of_modules_is_restored(tmp_path):
    (tmp_path / "a_file_of_mine.py").write_text("def f(): ...")
    before, options = list(sys.path), argparse.Namespace(function=f"{tmp_path}/a_file_of_mine.py:f")
    with folder_on_the_path(options):
        assert function_named(options.function).__module__ == "a_file_of_mine"
    assert sys.path == before


def test_a_file_that_is_not_there():
    with (
        pytest.raises(MisuseError, match="no such file"),
        folder_on_the_path(argparse.Namespace(module="./absent.py")),
    ):
        pass
