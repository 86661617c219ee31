"""A test of one source file stands at that file's path below `tests/`.

Tests of several files stand in the folder `together` of their package, or in folders for their
kind.
"""

import source_trees
from source_trees import ROOT, TESTS

PACKAGES = {path.name: path for path in source_trees.PACKAGES}
KINDS = {
    "benchmarks": "the benchmarks",
    "dependents": "packages that are built on autograd",
    "docs": "the documents",
    "emulated_cuda": "a project of its own, with its tests",
    "engines": "what holds in several engines",
    "examples": "the examples",
    "foreign_code": "other people's packages",
    "hygiene": "what is demanded of the whole repository",
    "in_place": "programs that write into arrays, and memory that values share",
    "libraries": "what holds on several array libraries",
    "numerics": "what is computed: every rule, at its edges, by the whole table",
    "packaging": "what is installed",
    "programs": "programs as people write them, and their mistakes",
    "shared": "what tests of several files import, and no tests",
}
TOGETHER = "together"  # the folder of a package for tests of several of its files


def mirrors_a_source(path):
    """Whether `tests/<package>/<folders>/test_x.py` has a source.

    That is `x.py`, or a package `x`, in these folders of the package.
    """
    package, *folders, name = path.relative_to(ROOT / "tests").parts
    source = PACKAGES[package].joinpath(*folders, name.removeprefix("test_"))
    is_source = source.exists() or (source.with_suffix("") / "__init__.py").exists()
    return name.startswith("test_") and is_source


def stands_right(path):
    """Whether a file is in the folder of its kind or package, or mirrors a source.

    A `conftest.py` stands with its tests.
    """
    if path.name == "conftest.py":
        return True
    first, second, *_ = path.relative_to(ROOT / "tests").parts
    if first in KINDS:
        return True
    return first in PACKAGES and (second == TOGETHER or mirrors_a_source(path))


def test_each_test_stands_where_it_is_looked_for():
    assert [str(path.relative_to(ROOT)) for path in TESTS if not stands_right(path)] == []
