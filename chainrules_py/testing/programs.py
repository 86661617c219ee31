"""Programs that write into arrays, draw, or hand functions to functions: for engines alone.

No rule by itself is right about these; an engine is, that keeps track of what it is told, or raises.

    @engine_program(np.array([0.7, -0.4, 1.1]), wants="HandlesOverwriting")
    def copied_over(call, x):
        y = x * 1.0
        call(np.copyto, y, 2.0)
        return y * x

A program is given `call(primal, *args, **options)` for functions that NumPy hands to nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.errors import RegistrationError
from chainrules_py.testing.failures import CheckFailure
from chainrules_py.testing.freezing import frozen


@dataclass(frozen=True, eq=False)
class EngineProgram:
    """A program, its arguments, and the ability that an engine needs for it, empty for none."""

    name: str
    function: Function
    args: tuple[Any, ...]
    wants: str

    def called_by(self, call: Function) -> Function:
        """Make the program a function of its arguments, given what calls a primal."""

        def program(*args):
            return self.function(call, *args)

        program.__name__ = program.__qualname__ = self.name
        program.__module__ = self.function.__module__
        return program

    @property
    def plain(self) -> Function:
        """The program as it runs without an engine."""
        return self.called_by(lambda primal, *args, **options: primal(*args, **options))


PROGRAMS: dict[str, EngineProgram] = {}


def engine_program(*args: Any, wants: str = "") -> Callable[[Function], Function]:
    """Decorator: `check_engine` runs this program at these arguments."""

    def register(function: Function) -> Function:
        name = function.__name__
        if name in PROGRAMS:
            got, instead = f"a second program {name!r}", "give it another name"
            raise RegistrationError("engine_program", got, instead, primal=function, rule=None)
        PROGRAMS[name] = EngineProgram(name, function, frozen(args), wants)
        return function

    return register


def refusal(check: Callable[[], None]) -> str | None:
    """Return what an engine said where it raised, and None where it passes a check.

    A wrong derivative is a `CheckFailure` of no other error.
    """
    try:
        check()
    except CheckFailure as failure:
        if failure.__cause__ is None:
            raise
        return f"{type(failure.__cause__).__name__}: {failure.__cause__}"
    return None
