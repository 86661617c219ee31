"""A test of one source file stands at that file's path below `tests/`; all other tests stand in
folders for their kind.
"""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {
    path.name: path
    for path in [ROOT / "chainrules_py", *ROOT.glob("backends/*")]
    if (path / "__init__.py").exists()
}
KINDS = {
    "behaviour": "what several source files do together",
    "benchmarks": "the benchmarks",
    "docs": "the documents",
    "emulated_cuda": "a project of its own, with its tests",
    "examples": "the examples",
    "hygiene": "what is demanded of the whole repository",
    "packages": "other people's packages",
    "packaging": "what is installed",
    "shared": "what tests of several files import, and no tests",
}


def mirrors_a_source(path):
    """Whether `tests/<package>/<folders>/test_x.py` has a source: `x.py`, or a package `x`, in
    these folders of the package.
    """
    package, *folders, name = path.relative_to(ROOT / "tests").parts
    source = PACKAGES[package].joinpath(*folders, name.removeprefix("test_"))
    return name.startswith("test_") and (
        source.exists() or (source.with_suffix("") / "__init__.py").exists()
    )


def stands_right(path):
    """Whether a file stands in the folder of its kind or mirrors a source; a `conftest.py` stands
    with its tests.
    """
    folder = path.relative_to(ROOT / "tests").parts[0]
    return (
        path.name == "conftest.py"
        or folder in KINDS
        or (folder in PACKAGES and mirrors_a_source(path))
    )


def test_tests_mirror_the_sources():
    assert (
        sorted(
            str(path.relative_to(ROOT))
            for path in ROOT.glob("tests/**/*.py")
            if not stands_right(path)
        )
        == []
    )
