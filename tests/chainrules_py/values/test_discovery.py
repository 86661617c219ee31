"""Lazy loading: nothing is imported before it is asked for, entry points are honoured, broken packs
are news.
"""

import shutil
import textwrap

import pytest

from processes import printed


def run(code, *path):
    """Run code in a fresh interpreter that also sees these folders; its last line of output."""
    prelude = "".join(f"import sys; sys.path.insert(0, {str(folder)!r})\n" for folder in path)
    return printed(prelude + textwrap.dedent(code), PYTHONWARNINGS="error").splitlines()[-1]


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


@pytest.mark.parametrize("home", ["waves", "waves.inner"])
def test_a_pack_of_ufuncs_that_name_no_module_is_found(home, tmp_path):
    """Those of C libraries, and what `numpy.frompyfunc` makes."""
    (tmp_path / "waves").mkdir()
    (tmp_path / "waves" / "__init__.py").write_text("from waves.inner import wave\n")
    source = "import numpy as np\nwave = np.frompyfunc(lambda x: 2.0 * x, 1, 1)\n"
    (tmp_path / "waves" / "inner.py").write_text(source)
    pack = """
        import waves
        from chainrules_py import scalar_rule
        scalar_rule(waves.wave, "x", "2.0")
    """
    distribution(tmp_path, "chainrules_py.rules", home, "wave_rules", pack)
    code = """
        import numpy as np, waves
        from chainrules_py import explain, rrule
        found = rrule.find(waves.wave, float) is not None, waves.wave in default_rules
        print(*found, rrule.find(np.frompyfunc(abs, 1, 1), float))
    """.replace("explain,", "default_rules,")
    assert run(code, tmp_path) == "True True None"


@pytest.mark.parametrize("words", ["str(explain(solve, 1.0))", "str(raised(rrule, solve, 1.0))"])
def test_packs_that_were_not_imported_are_named_where_there_is_no_rule(words, tmp_path):
    distribution(tmp_path, "chainrules_py.rules", "waves", "wave_rules", "")
    code = f"""
        import numpy as np
        from chainrules_py import NoRuleError, explain, rrule
        solve = np.frompyfunc(abs, 1, 1)
        def raised(f, *args):
            try:
                f(*args)
            except NoRuleError as error:
                return error
        print({words}.count("wave_rules (for waves)"))
    """
    assert run(code, tmp_path) == "1"


# what a pack of somebody's is, and what is said of it
BROKEN = {
    "a name of nothing": ("solver_rulez", "", "there is no module"),
    "an attribute": ("broken_rules:register", "def register(): ...", "it names"),
    "a missing library": ("broken_rules", "import nowhere", "No module named 'nowhere'"),
    "an error": ("broken_rules", "1 / 0", "ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize(("value", "source", "words"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("home", ["solvers", "numpy"])
def test_a_pack_that_cannot_be_imported(home, value, source, words, tmp_path):
    """It is imported once, named where a function of its home has no rule, and hides nothing."""
    (tmp_path / "solvers.py").write_text("def root(x): return x**0.5\ndef solve(x): return x\n")
    count = "print(end='imported ')\n"
    distribution(tmp_path, "chainrules_py.rules", home, "broken_rules", f"{count}{source}\n")
    good = "import solvers\nfrom chainrules_py import scalar_rule\nscalar_rule(solvers.root, 'x', '0.5 / out')\n"
    distribution(tmp_path, "chainrules_py.rules", home, "solver_rules", good)
    entries = tmp_path / "broken_rules-1.0.dist-info" / "entry_points.txt"
    entries.write_text(f"[chainrules_py.rules]\n{home} = {value}\n")
    code = f"""
        import warnings, numpy as np, solvers
        from chainrules_py import PackError, frule, rrule
        warnings.simplefilter("ignore")
        without = solvers.solve if {home!r} == "solvers" else np.save
        if {home!r} == "solvers":
            assert rrule(solvers.root, 4.0)[1](1.0) == (0.25,)
        assert rrule(np.sin, 0.0)[1](1.0) == (1.0,)
        said = []
        for ask in (rrule, lambda f, x: rrule.find(f, float), lambda f, x: frule((x,), f, x)):
            try:
                ask(without, 1.0)
            except PackError as error:
                said.append(({words!r} in str(error), "in broken_rules" in str(error), error.module, error.home))
        print()
        print(said == 3 * [(True, True, {value!r}, {home!r})])
    """
    assert run(code, tmp_path) == "True"


def test_a_pack_that_cannot_be_imported_is_warned_of_and_leaves_no_rule(tmp_path):
    half = """
import numpy as np
from chainrules_py import non_differentiable, rrule
@rrule.register(np.cos)
def cos_rrule(x: float):
    return x, lambda y_bar: (7.0,)

non_differentiable(np.save)
1 / 0
"""
    distribution(tmp_path, "chainrules_py.rules", "numpy", "broken_rules", half)
    code = """
        import warnings, numpy as np
        from chainrules_py import default_rules, rrule
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for f in (np.sin, np.cos):
                rrule(f, 1.0)
            default_rules.load_all()
        assert rrule(np.cos, 0.0)[1](1.0) == (0.0,) and np.save not in default_rules
        print(["broken_rules" in str(each.message) for each in caught])
    """
    assert run(code, tmp_path) == "[True]"


def test_a_backend_that_cannot_be_imported_raises(tmp_path):
    (tmp_path / "toyarrays.py").write_text("class Toy: pass\n")
    distribution(tmp_path, "chainrules_py.backends", "toyarrays", "toy_backend", "1 / 0\n")
    code = """
        import numpy as np, toyarrays
        from chainrules_py import PackError, rrule
        try:
            rrule(np.sin, toyarrays.Toy())
        except PackError as error:
            print(error.module, error.home, type(error.__cause__).__name__)
    """
    assert run(code, tmp_path) == "toy_backend toyarrays ZeroDivisionError"


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
