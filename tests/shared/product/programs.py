"""The table of programs: name, function, arguments, and marks that say what it does.

Each module of programs is loaded twice: with NumPy under the name `np`, which is the plain program,
and with `chainrules_tape.numpy`, which is how a user writes what fills arrays. In `scoped` are
those that only a scope can differentiate: their `np` is NumPy's for both.

    writes      into arrays that it made        argument    writes into its argument
    decides     by values, which lanes refuse   counts      what has other shapes for other values
    captures    what it is not given            alone       without lanes, as NumPy's fits
    direct      with a solver that is named
    calls       derivatives of functions        solver      SciPy's solvers and integrals
    inner       writes at an inner level alone  list        takes or returns containers
    scoped      wants `seen_through`            rough       computed to a tolerance of its own
    classed     its traced value is an `np.float64` where the plain one is a float
    once        with a first derivative alone, which has jumps, or is slow
    twice       with two derivatives at most, without series: more takes minutes
    unserial    without series                  refined     solved more closely than by SciPy
    foreign     beside an object of which checkpoints save nothing
    held        also on arrays of other libraries, as all of `plain` are
    guarded     decides by bits, so that another place is another program
    textless    beside objects that have no text
    near        computed by NumPy in another way than in the plain program, to the last bits
    of_jax      calls JAX's functions, which JAX does not compile within programs of NumPy
    complex, float32, number                    of which its arguments are
"""

import copy
import runpy
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import chainrules_tape.numpy as tnp
from chainrules_tape import seen_through
from late import made

EXAMPLES = Path(__file__).parents[3] / "examples" / "programs"


class Program:
    """A row: what is differentiated, on what, and what is known of it; a `Late` one is made when it
    is asked for.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        plain: Callable[..., Any],
        arguments: tuple[Any, ...],
        marks: frozenset[str],
        table: str = "",
    ) -> None:
        self.name, self.marks, self.table = name, marks, table
        self.functions, self.arguments = (function, plain), arguments

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The program on traced values."""
        return made(self.functions[0])

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The program by NumPy."""
        return made(self.functions[1])

    def args(self) -> tuple[Any, ...]:
        """The arguments, made anew, since some programs write into them."""
        return copy.deepcopy(self.arguments)


def loaded(name: str, namespace: ModuleType | None) -> ModuleType:
    """Load a module of programs, with another namespace in the place of its `np`."""
    spec = find_spec(f"product.{name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    if namespace is not None:
        module.np = namespace
    return module


def rows_of(name: str) -> list[Program]:
    """The programs of one module."""
    plain = loaded(name, None)
    if name == "scoped":
        functions = {row: seen_through(function) for row, (function, *_) in plain.ROWS.items()}
    else:
        functions = {row: function for row, (function, *_) in loaded(name, tnp).ROWS.items()}
    return [
        Program(row, functions[row], function, arguments, frozenset(marks.split()), name)
        for row, (function, arguments, marks) in plain.ROWS.items()
    ]


def example(path: Path) -> Program:
    """A program of `examples/programs`, as a function of its parameters."""
    module = runpy.run_path(str(path))
    parameters, *data = module["problem"]()

    def loss(parameters: Any) -> Any:
        return module["loss"](parameters, *data)

    return Program(f"example {path.stem}", loss, loss, (parameters,), frozenset({"list"}))


def rows_of_the_standard() -> list[Program]:
    """Programs in the namespace of their argument, where `array_api_extra` is there, too."""
    if not find_spec("array_api_extra"):
        return []
    from array_api_programs import EXTRA, PLAIN, POINT, decompositions, updates

    def row(program: Callable[..., Any]) -> Program:
        def f(x: Any) -> Any:
            return program(x.__array_namespace__(), x)

        marks = frozenset({updates: ["held"], decompositions: ["near"]}.get(program, ()))
        return Program(f"standard, {program.__name__}", f, f, (POINT,), marks, "plain")

    return [*map(row, (*PLAIN, *EXTRA))]


TABLES = (
    *("plain", "writing", "calling", "converting", "solving"),
    *("sampling", "scoped", "interpolating", "united"),
)


def every_program() -> list[Program]:
    """The rows of all tables, which take a second to load: only the cells need them all."""
    found = [
        *(program for name in TABLES for program in rows_of(name)),
        *rows_of_the_standard(),
        *map(example, sorted(EXAMPLES.glob("*.py"))),
    ]
    assert len({program.name for program in found}) == len(found)
    return found
