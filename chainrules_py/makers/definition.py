"""The definition of a scalar rule: its argument names and its partial derivatives, once checked; and
the functions that are written of it.

There is one for each pattern of arguments, compiled at the first call of that pattern, once for all
tables and engines.
"""

from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any, Literal, NamedTuple

from chainrules_py.annotations import Function
from chainrules_py.errors import RegistrationError
from chainrules_py.makers.expressions import (
    Expression,
    mathematical,
    mathematical_names,
    output_names,
    parse,
)
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.records import Record
from chainrules_py.values.signatures import parameters_of


class PartialFunction(Record):
    """A partial given as a function, which reads arguments, outputs or `xp` by parameter name."""

    function: Function
    reads: tuple[str, ...]


Partial = Expression | PartialFunction | AbstractTangent
Kind = Literal["array", "number", "constant"]


class Pattern(NamedTuple):
    """A pattern of calls: kinds of the arguments, which of them are needed, and the array library.

    `conjugates` says that the output is complex, so that cotangents are multiplied by conjugated
    partials; `careful` that a zero wins over an infinity in each product.
    """

    kinds: tuple[Kind, ...]
    needs: tuple[bool, ...]
    library: ArrayLibrary
    conjugates: bool = False
    careful: bool = False


class ScalarForm(Record):
    """The partial derivatives of an elementwise function: `partials[output][argument]`.

    `written` holds the functions that were made of it, by what they compute and for which pattern.
    All tables and engines find them there, so that none is compiled twice.
    """

    primal: Any
    arguments: tuple[str, ...]
    partials: tuple[tuple[Partial, ...], ...]
    singular: bool
    where: str
    selects: bool
    written: dict[Any, Function]

    def is_constant(self, i: int) -> bool:
        """Whether an argument is said to have no tangents."""
        return all(row[i] is NO_TANGENT for row in self.partials)


class Definition(Record):
    """A rule that is being declared: its primal, its place, and the names its partials may use."""

    primal: Any
    where: str
    names: dict[str, Any]

    def arguments(self, text: str) -> tuple[str, ...]:
        """Read the argument names, written ``"x, y"``."""
        given = tuple(name.strip() for name in text.split(",")) if isinstance(text, str) else ("",)
        if all(map(is_variable, given)) and len(set(given)) == len(given):
            return given
        instead = "write names separated by commas, such as 'x, y', none of them twice or a keyword"
        raise self._bad(f"got {text!r} as the argument names", instead)

    def partials(
        self, arguments: tuple[str, ...], given: Sequence[Any]
    ) -> tuple[tuple[Partial, ...], ...]:
        """Read the partials: one row per output, one partial per argument."""
        several = bool(given) and all(isinstance(partial, tuple | list) for partial in given)
        rows = tuple(map(tuple, given)) if several else (tuple(given),)
        for row in rows:
            if len(row) != len(arguments):
                got = (
                    f"got {len(row)} partials for the {len(arguments)} arguments"
                    f" {', '.join(arguments)}"
                )
                raise self._bad(got, "write one partial per argument")
        return tuple(
            tuple(self._partial(partial, arguments, len(rows)) for partial in row) for row in rows
        )

    def lookup(self, name: str) -> Any:
        """Find what a name in an expression stands for; None means nothing."""
        return self.names.get(name, mathematical(name))

    def known_names(self) -> frozenset[str]:
        """List all names that an expression may use, for suggestions."""
        return frozenset(self.names) | mathematical_names()

    def _partial(self, partial, arguments: tuple[str, ...], outputs: int) -> Partial:
        if isinstance(partial, str):
            place = f"scalar_rule({qualified_name(self.primal)}) at {self.where}"
            expression = parse(
                partial, self.primal, arguments, outputs, self.lookup, self.known_names, place
            )
            return ZERO if expression.constant == 0 else expression
        if isinstance(partial, AbstractTangent):
            return partial
        if not callable(partial):
            raise self._bad(
                f"got {partial!r} as a partial",
                "write an expression in a string, a function, ZERO or NO_TANGENT",
            )
        reads = parameters_of(partial).names
        unknown = set(reads) - {*arguments, *output_names(outputs), "xp"}
        if unknown:
            got = f"the partial's parameters {sorted(unknown)} are not arguments"
            raise self._bad(got, f"name them {', '.join(arguments)} or out")
        return PartialFunction(partial, reads)

    def _bad(self, got: str, instead: str) -> RegistrationError:
        where = f"scalar_rule({qualified_name(self.primal)}) at {self.where}"
        return RegistrationError(where, got, instead, primal=self.primal, rule=None)


def is_variable(name: str) -> bool:
    """Whether a name may be that of an argument in an expression."""
    is_own_name = name == "out" or name.startswith("__") or iskeyword(name)
    return name.isidentifier() and not is_own_name


Write = Callable[[ScalarForm, Pattern], Function]


def specialised(
    write: Write,
    form: ScalarForm,
    types: tuple[type, ...],
    needs: tuple[bool, ...],
    library: ArrayLibrary,
) -> Function:
    """Find or compile the function that `write` makes for arguments of these classes."""
    kinds: tuple[Kind, ...] = tuple([kind_of_argument(cls) for cls in types])
    return function_for_pattern(write, form, Pattern(kinds, needs, library))


def kind_of_argument(cls: type) -> Kind:
    """Classify an argument by its class: what has a shape and a dtype is an array."""
    if hasattr(cls, "dtype") or not issubclass(cls, float | complex | int):
        return "array"
    return "constant" if issubclass(cls, int) else "number"


def function_for_pattern(write: Write, form: ScalarForm, pattern: Pattern) -> Function:
    """Find or compile the function that `write` makes for a pattern."""
    key = (write, pattern)
    if key not in form.written:
        form.written[key] = write(form, pattern)
    return form.written[key]


def written_later(write: Write, form: ScalarForm, pattern: Pattern) -> Function:
    """Return a function that is compiled when it is called for the first time."""

    def write_and_call(*args):
        return function_for_pattern(write, form, pattern)(*args)

    return write_and_call
