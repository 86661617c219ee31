"""One call under check, with its directions and the oracle's answer, each computed once."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_py import NO_TANGENT, ZERO, ProjectTo, unthunk
from chainrules_py.annotations import Args, Function
from chainrules_py.checks.comparing import Snapshot, changes, snapshot
from chainrules_py.rules.rule import Mode
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout, Leaf, Vector
from chainrules_py.testing.failures import CheckFailure, Diagnosis, UnsuitableCallError
from chainrules_py.testing.finite_differences import Curve, Derivative, curve_derivative
from chainrules_py.testing.freezing import asks_for_writable_arrays, frozen
from chainrules_py.testing.jacobian_report import Discrepancy, table
from chainrules_py.testing.random_tangents import random_direction, seeded
from chainrules_py.testing.settings import Settings
from chainrules_py.testing.subject import Pullback, Subject
from chainrules_py.testing.tolerances import Tolerance, mismatch, tolerance_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.places import with_items_at
from chainrules_py.values.signatures import argument_names
from chainrules_py.values.structure import fields, is_container, is_structural

DOUBLE = (np.float64, np.complex128)
LONGEST = 120  # characters that a message has for one object


@dataclass(frozen=True, eq=False)
class Trial:
    """A subject, the positional arguments of a call in canonical form, and how to check it."""

    subject: Subject
    args: Args
    settings: Settings
    variant: str = ""
    writable: bool = False  # whether arrays go in as copies that may be written to
    terms: float = 0.0  # the size of what a value sums, where it is a derivative
    _variations: dict[str, "Trial"] = field(default_factory=dict, init=False, repr=False)

    def variation(self, name: str, args: Args) -> "Trial":
        """Make the trial of this subject with other arguments, once under each name."""
        if name not in self._variations:
            self._variations[name] = replace(self, args=self.handed(args), variant=name)
        return self._variations[name]

    # What the call is

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments."""
        return argument_names(self.subject.primal, len(self.args), "argument ")

    @cached_property
    def wanted(self) -> tuple[bool, ...]:
        """Whether each argument is differentiated: not fixed, and with a tangent space."""
        fixed = self.settings.fixed
        return tuple(i not in fixed and layout.size > 0 for i, layout in enumerate(self.layouts))

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """The places of each argument's coordinates."""
        return tuple(map(Layout, self.args))

    @cached_property
    def active(self) -> tuple[int, ...]:
        """The positions of the arguments that are differentiated."""
        return tuple(index for index, wanted in enumerate(self.wanted) if wanted)

    @cached_property
    def y(self) -> Any:
        """The value of the primal itself, in the dtypes it was called with."""
        with np.errstate(all="ignore"):
            return self.call(self.args)

    @cached_property
    def output(self) -> Layout:
        """The places of the output's coordinates."""
        return Layout(self.y)

    @property
    def leaves(self) -> list[Leaf]:
        """The numbers and arrays among the arguments and in the output."""
        return [leaf for layout in (*self.layouts, self.output) for leaf in layout.leaves]

    def is_twice_checked(self) -> bool:
        """Whether differences of derivatives have digits left: all is in double precision."""
        return bool(self.active) and all(leaf.dtype in DOUBLE for leaf in self.leaves)

    def call(self, args: Args) -> Any:
        """The primal."""
        given = self.handed(args) if self.writable else args  # it may write to its own copies
        return self.subject.primal(*given, **self.subject.options)

    def handed(self, value) -> Any:
        """The copy of a value that the subject is given."""
        return frozen(value, writable=self.writable)

    def with_writable_arrays(self) -> "Trial":
        """Make the trial of this call with arrays for code that takes no read-only ones."""
        return replace(self, args=frozen(self.args, writable=True), writable=True)

    # Random directions, the same in every check

    @cached_property
    def directions(self) -> tuple[Vector, ...]:
        """A random direction in the coordinates of each argument; zero for constants."""
        drawn = enumerate(self._drawn("dots", self.layouts))
        return tuple(self.within(index, d) if self.wanted[index] else 0 * d for index, d in drawn)

    def within(self, index: int, direction: Vector) -> Vector:
        """The part of a direction that lies in the space in which an argument moves."""
        structure = self.settings.structures.get(index)
        if structure is None:
            return direction
        layout = self.layouts[index]
        return layout.tangent_vector(
            ProjectTo(self.args[index], structure)(layout.tangent(direction))
        )

    @cached_property
    def seeds(self) -> tuple[Vector, Vector]:
        """Two random cotangents of the output, in coordinates."""
        first, second = self._drawn("bars", (self.output, self.output))
        return first, second

    def _drawn(self, what: str, layouts: Iterable[Layout]) -> list[Vector]:
        """Draw vectors, rounded to the dtypes of layouts, so that rule and oracle get the same."""
        rng = seeded(qualified_name(self.subject.primal), what, seed=self.settings.seed)
        vectors = [(layout, random_direction(rng, layout.size)) for layout in layouts]
        return [layout.tangent_vector(layout.tangent(vector)) for layout, vector in vectors]

    def dots(self, only: tuple[int, ...] | None = None) -> Args:
        """Draw the tangents of the arguments, frozen; `ZERO` for those not among `only`."""
        chosen = self.active if only is None else only
        return self.dots_of({index: self.directions[index] for index in chosen})

    def dots_of(self, vectors: dict[int, Vector]) -> Args:
        """Tangents with given coordinates for some arguments, zeros for the others."""

        def dot(index: int, layout: Layout) -> Any:
            if index in vectors:
                return self.handed(layout.tangent(vectors[index]))
            return ZERO if layout.size else NO_TANGENT

        return tuple(itertools.starmap(dot, enumerate(self.layouts)))

    def bar(self, vector: Vector) -> Any:
        """A cotangent of the output with these coordinates, frozen."""
        return self.handed(self.output.tangent(vector))

    # What an engine is given

    @property
    def engine(self) -> Any:
        """The engine under check."""
        subject: Any = self.subject
        return subject.engine

    @property
    def call_of_active(self) -> Function:
        """What an engine is asked to differentiate, as a function of the active arguments."""
        subject: Any = self.subject
        function: Function = subject.of_chosen(self.args, self.active)
        return function

    @property
    def point(self) -> Args:
        """The arguments that are differentiated."""
        return tuple([self.args[index] for index in self.active])

    @property
    def direction(self) -> Vector:
        """The random directions of these arguments, in one vector."""
        return np.concatenate([self.directions[index] for index in self.active])

    def plain_dots(self) -> Args:
        """The random directions of these arguments, as an engine takes tangents."""
        tangents = [self.layouts[index].tangent(self.directions[index]) for index in self.active]
        return tuple(map(as_plain_container, tangents, self.point))

    def plain_seed(self) -> Any:
        """The first random cotangent of the output, as an engine takes cotangents."""
        return as_plain_container(self.output.tangent(self.seeds[0]), self.y)

    # The oracle

    @cached_property
    def oracle(self) -> Derivative:
        """The derivative of the primal along the random directions of all arguments at once."""
        return self.oracle_along(dict(enumerate(self.directions)))

    def oracle_along(
        self, directions: dict[int, Vector], shift: dict[int, Vector] | None = None
    ) -> Derivative:
        """Compute the oracle's derivative along directions of some arguments."""
        return curve_derivative(self.curve_along(directions, shift))

    def curve_along(
        self, directions: dict[int, Vector], shift: dict[int, Vector] | None = None
    ) -> Curve:
        """Return the values of the primal along directions of some arguments."""
        moved = tuple(sorted(directions))
        layout = Layout(tuple(self.args[index] for index in moved))
        whole = np.concatenate([np.zeros(0), *(directions[index] for index in moved)])

        def primal(values: Args) -> Any:
            args = tuple(with_items_at(self.args, moved, values))
            if callable(self.settings.oracle):
                return self.settings.oracle(*args, **self.subject.options)
            return self.call(args)

        point = layout.vector(layout.value)
        if shift is not None:
            point = point + np.concatenate(
                [shift.get(index, 0 * directions[index]) for index in moved]
            )
        return Curve(primal, layout, point, whole, self.terms)

    def terms_of(self, mode: Mode) -> float:
        """Bound the size of the terms that a first derivative of this call sums."""
        rate = np.where(self.oracle.exists, self.oracle.rate, 0.0)
        return float(rate.max(initial=0.0) if mode == "forward" else np.abs(self.seeds[0]) @ rate)

    @cached_property
    def tolerance(self) -> Tolerance:
        """By the coarsest dtype among the arguments and the output."""
        eps = max((float(np.finfo(leaf.dtype).eps) for leaf in self.leaves), default=1e-16)
        found = tolerance_of(eps)
        if self.terms:  # the oracle's error bound has their roundoff
            found = replace(found, floor=0.0)
        if self.settings.relative is None:
            return found
        return replace(found, oracle=self.settings.relative)

    def differs(self, got: Vector, expected: Vector, factor: float = 1.0) -> NDArray[np.bool_]:
        """Mark the entries that differ though they would be equal in exact arithmetic."""
        return mismatch(
            got, expected, factor * self.tolerance.identity, factor * self.tolerance.floor
        )

    def is_taken(self) -> bool:
        """Whether the primal takes these arguments at all."""
        try:
            return self.y is not None
        except (TypeError, ValueError, ArithmeticError):
            return False

    # Asking the subject

    def reverse(self, needs: tuple[bool, ...] | None = None) -> tuple[Any, Pullback]:
        """The value and the pullback of the subject; what it raises becomes a failure."""
        wanted = needs or self.wanted
        return self.guarded("reverse", lambda: self.subject.reverse(self.args, wanted))

    def pull(self, pullback: Pullback, y_bar) -> Any:
        """The cotangents for a cotangent of the output, whatever they are, thunks forced."""
        return self.guarded("reverse", lambda: _forced(pullback(y_bar)), y_bar)

    def pull_lazily(self, pullback: Pullback, y_bar) -> Any:
        """The cotangents for a cotangent of the output, thunks left as they are."""
        return self.guarded("reverse", lambda: pullback(y_bar), y_bar)

    def forward(self, dots: Args) -> tuple[Any, Any]:
        """The value and the tangent of the subject, thunks forced."""
        return self.guarded("forward", lambda: _forced(self.subject.forward(dots, self.args)), dots)

    def guarded(self, mode: Mode, ask: Callable[[], Any], seeds=()) -> Any:
        """Return the subject's answer; what it raises or writes to becomes a failure."""
        is_open = seeds if self.writable else ()  # others are read-only
        before = snapshot((self.args, self.subject.options, is_open))
        try:
            with np.errstate(all="ignore"):
                answer = ask()
        except CheckFailure:
            raise
        except Exception as error:
            raise self.failure("runs", mode, _diagnosis_of(error)) from error
        self._require_unwritten(mode, before)
        return answer

    def _require_unwritten(self, mode: Mode, before: Snapshot) -> None:
        for array, copy in changes(before):
            raise self.failure(
                "pure",
                mode,
                Diagnosis(
                    "mutates-input", f"it wrote to an argument or a seed: {copy} became {array}"
                ),
            )

    def bars(self, bars) -> tuple[Vector, ...]:
        """Cotangents in the coordinates of the arguments; zeros where nothing is wanted."""
        pairs = zip(self.layouts, bars, self.wanted, strict=True)
        return tuple(
            layout.tangent_vector(bar) if wanted else np.zeros(layout.size)
            for layout, bar, wanted in pairs
        )

    # Failing

    def failure(
        self,
        check: str,
        mode: Mode,
        diagnosis: Diagnosis,
        argument: int | None = None,
        entries: tuple[Discrepancy, ...] = (),
    ) -> CheckFailure:
        """The error that says which promise was broken, where, and what it looks like."""
        name = None if argument is None else self.names[argument]
        of_argument = f" for argument {name}" if name else ""
        about = f"check {check!r} failed{of_argument} in {self.describe()}"
        rows = "".join(f"\n  {line}" for line in table(list(entries)).splitlines())
        return CheckFailure(
            self.subject.where(mode, self.args),
            f"{about}\n  {diagnosis}{rows}",
            self.subject.advice,
            check=check,
            mode=mode,
            primal=self.subject.primal,
            argument=name,
            diagnosis=diagnosis,
            entries=entries,
            location=self.subject.where(mode, self.args),
            variant=self.variant,
        )

    def describe(self) -> str:
        """The call as one reads it: ``numpy.add(x1: float64[2,3], x2: float64[3])``."""
        args = [
            f"{name}: {describe_value(arg)}"
            for name, arg in zip(self.names, self.args, strict=True)
        ]
        options = [f"{key}={in_a_line(repr(value))}" for key, value in self.subject.options.items()]
        variant = f" ({self.variant})" if self.variant else ""
        return f"{qualified_name(self.subject.primal)}({', '.join([*args, *options])}){variant}"

    def require_suitable(self) -> None:
        """Refuse what finite differences cannot say anything about."""
        for name, layout in zip(self.names, self.layouts, strict=True):
            for leaf in layout.leaves:
                if leaf.dtype.itemsize <= 2:
                    raise UnsuitableCallError(
                        f"the test kit, {self.describe()}",
                        f"{name} is {leaf.dtype}, which has three digits: no finite difference can"
                        " be compared with it",
                        "check the rule in float32; its dtype handling is the same",
                        primal=self.subject.primal,
                        argument=name,
                        value=leaf.example,
                    )


def _forced(answer) -> Any:
    return tuple(map(unthunk, answer)) if isinstance(answer, tuple) else answer


def _diagnosis_of(error: Exception) -> Diagnosis:
    said = f"{type(error).__name__}: {error}"
    if asks_for_writable_arrays(error):
        instead = 'give compiled code a writable array: np.require(x, requirements=["C", "W"])'
        return Diagnosis("raises", f"{said}; {instead}")
    if isinstance(error, ValueError) and "read-only" in str(error):
        return Diagnosis(
            "mutates-input", f"it writes to an argument, a seed or a borrowed array ({said})"
        )
    return Diagnosis("raises", said)


def describe_value(value) -> str:
    """Describe a value in a line: arrays by dtype and shape, others by fields or by their class."""
    described = _described(value)
    is_object = is_structural(value) and not is_container(value)
    if is_object and len(described) > LONGEST:  # a distribution of SciPy has hundreds of fields
        described = object.__repr__(value)
    return in_a_line(described)


def in_a_line(text: str) -> str:
    """Return a text without line breaks, and without its end where it is too long for a message."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 4]} ..."


def _described(value) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is not None and not isinstance(value, type):
        return f"{dtype}[{','.join(map(str, value.shape))}]"
    if is_structural(value):
        parts = [f"{name}: {describe_value(part)}" for name, part in fields(value).items()]
        return f"{type(value).__name__}({', '.join(parts)})"
    if not isinstance(value, float | complex):
        return repr(value)
    return f"{type(value).__name__} {value:.4g}"
