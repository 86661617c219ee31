"""Lazy loading: nothing is imported before it is asked for, entry points are honoured, broken packs
are news.
"""

import shutil
import subprocess
import sys
import textwrap

import pytest


def run(code, *path):
    """Run code in a fresh interpreter that also sees these folders; its last line of output."""
    prelude = "".join(f"import sys; sys.path.insert(0, {str(folder)!r})\n" for folder in path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", prelude + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


WATCHED = (
    "chainrules_py.rulesets",
    "scipy",
    "chainrules_numpy",
    "chainrules_py.testing",
    "importlib.metadata",
)
LOADED = f"print(sorted(m for m in sys.modules if m.startswith({WATCHED})))"


def test_importing_the_package_loads_no_rules_and_reads_no_metadata():
    assert (
        run(
            "import sys, numpy, plum\nsys.modules.pop('importlib.metadata', None)\nimport"
            f" chainrules_py\n{LOADED}"
        )
        == "[]"
    )


def test_importing_the_tape_loads_no_rules_and_nothing_that_sees_through_modules():
    watched = (
        "chainrules_py.rulesets",
        "scipy",
        "chainrules_py.testing",
        "chainrules_foreign_code.",
        "numpy.random",
    )
    loaded = f"print(sorted(m for m in sys.modules if m.startswith({watched})))"
    assert run(f"import sys, numpy, plum\nimport chainrules_tape\n{loaded}") == "[]"


def test_looking_a_primal_up_loads_its_pack_and_nothing_else():
    forgetting = "import sys, numpy as np, plum\nsys.modules.pop('importlib.metadata', None)"
    loaded = run(
        f"{forgetting}\nfrom chainrules_py import rrule\nrrule.find(np.sin, float)\n{LOADED}"
    )
    assert "rulesets.ufuncs.elementwise" in loaded
    assert "rulesets.linalg" not in loaded
    assert "scipy" not in loaded
    assert "testing" not in loaded
    assert "importlib.metadata" not in loaded


def distribution(folder, group, name, module, source):
    """A minimal installed distribution with one entry point."""
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
    (folder / f"{module}.py").write_text(textwrap.dedent(source))


@pytest.mark.parametrize("archived", [False, True])
def test_a_third_partys_rules_are_found_by_the_primals_module(archived, tmp_path):
    (tmp_path / "solvers.py").write_text("def root(x): return x ** 0.5\ndef other(x): return x\n")
    pack = """
        import solvers
        from chainrules_py import scalar_rule
        scalar_rule(solvers.root, "x", "0.5 / out")
    """
    distribution(tmp_path, "chainrules_py.rules", "solvers", "solver_rules", pack)
    code = """
        import sys, numpy as np, solvers
        from chainrules_py import rrule
        assert 'solver_rules' not in sys.modules
        print(rrule(solvers.root, np.array([4.0]))[1](np.ones(1))[0])
    """
    assert (
        run(
            code,
            shutil.make_archive(f"{tmp_path}-archived", "zip", tmp_path) if archived else tmp_path,
        )
        == "[0.25]"
    )


def test_a_third_partys_rules_are_found_by_a_finder_of_its_own(tmp_path):
    folder = tmp_path / "hidden"
    folder.mkdir()
    distribution(folder, "chainrules_py.rules", "json", "json_rules", "print('loaded')")
    code = f"""
        import importlib.abc, importlib.metadata, json, sys
        class Finder(importlib.abc.MetaPathFinder):
            def find_distributions(self, context):
                return importlib.metadata.MetadataPathFinder.find_distributions(type(context)(path=[{str(folder)!r}]))
            def find_spec(self, name, path=None, target=None):
                return importlib.machinery.PathFinder.find_spec(name, [{str(folder)!r}]) if name == "json_rules" else None
        sys.meta_path.append(Finder())
        from chainrules_py import rrule
        rrule.find(json.dumps, object)
    """
    assert run(code) == "loaded"


def test_a_foreign_array_type_loads_its_backend(tmp_path):
    (tmp_path / "toyarrays.py").write_text("import numpy as np\nclass ToyArray(np.ndarray): pass\n")
    backend = """
        import numpy as np, toyarrays
        from chainrules_py import ArrayLibrary, register_library
        register_library(ArrayLibrary("toy", np, (toyarrays.ToyArray,), priority=5))
    """
    distribution(tmp_path, "chainrules_py.backends", "toyarrays", "toy_backend", backend)
    code = """
        import numpy as np, toyarrays
        from chainrules_py import rrule
        from chainrules_py.values.arrays import library_of_types
        rrule(np.sin, np.ones(1).view(toyarrays.ToyArray))
        print(library_of_types((float, np.ndarray, toyarrays.ToyArray)).name)
    """
    assert run(code, tmp_path) == "toy"


def test_a_pack_that_cannot_be_imported_raises(tmp_path):
    (tmp_path / "solvers.py").write_text("def root(x): return x ** 0.5\n")
    distribution(
        tmp_path,
        "chainrules_py.rules",
        "solvers",
        "broken_rules",
        "import no_such_module_anywhere\n",
    )
    code = """
        import solvers
        from chainrules_py import rrule
        try:
            rrule.find(solvers.root, float)
        except ModuleNotFoundError as error:
            print(error.name)
    """
    assert run(code, tmp_path) == "no_such_module_anywhere"


@pytest.mark.parametrize("value", ["solver_rulez", "solver_rules:register"])
def test_an_entry_point_that_names_no_module_is_named(tmp_path, value):
    """`module:attribute` is what entry points of other groups look like; here the attribute would
    never have been asked for.
    """
    (tmp_path / "solvers.py").write_text("def solve(x): return x\n")
    distribution(
        tmp_path, "chainrules_py.rules", "solvers", "solver_rules", "def register(): ...\n"
    )
    (entries,) = tmp_path.glob("*.dist-info/entry_points.txt")
    entries.write_text(f"[chainrules_py.rules]\nsolvers = {value}\n")
    code = """
        import solvers
        from chainrules_py import PackError, rrule
        try:
            rrule(solvers.solve, 1.0)
        except PackError as error:
            print(error.module, error.home)
    """
    assert run(code, tmp_path) == f"{value} solvers"


def test_an_error_in_a_pack_says_whose_pack_it_is(tmp_path):
    (tmp_path / "solvers.py").write_text("def solve(x): return x\n")
    distribution(tmp_path, "chainrules_py.rules", "solvers", "careless_rules", "1 / 0\n")
    code = """
        import solvers
        from chainrules_py import rrule
        try:
            rrule(solvers.solve, 1.0)
        except ZeroDivisionError as error:
            print("careless_rules" in error.__notes__[0] and "solvers" in error.__notes__[0])
    """
    assert run(code, tmp_path) == "True"


def test_threads_that_look_up_at_once_all_see_the_whole_pack():
    code = """
        import sys, threading
        sys.setswitchinterval(1e-6)
        import numpy as np
        from chainrules_py import rrule
        primals = [np.sin, np.sum, np.matmul, np.argmax, np.reshape, np.linalg.inv, np.tanh, np.transpose]
        results = []
        barrier = threading.Barrier(8)
        def look(primal):
            barrier.wait()
            results.append(rrule.find(primal, *[np.ndarray] * (2 if primal is np.matmul else 1)) is not None)
        threads = [threading.Thread(target=look, args=(primal,)) for primal in primals]
        [t.start() for t in threads]; [t.join() for t in threads]
        print(len(results), all(results))
    """
    assert run(code) == "8 True"


@pytest.mark.parametrize("entry", ["numpy", "numpy.linalg", "math", "operator", "builtins"])
def test_what_is_shipped_can_be_imported(entry):
    import importlib

    from chainrules_py.values.shipped import OTHER_NAMES, PACKS

    for name in (*PACKS[entry], *OTHER_NAMES[entry]):
        importlib.import_module(name)
