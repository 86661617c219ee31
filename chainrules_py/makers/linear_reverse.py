"""The stages of functions that are linear in their arguments, and the pullbacks (see `staging`).

They are text, written for one pattern of classes and needs: a closure would loop over the arguments,
which takes 8 % more of a `matmul` of 3 x 3 and 40 % more of ``x[:2]``. For `matmul` of two arrays, both
of them needed, that is

    def matmul_stage(x0, x1, **options):
        return primal(x0, x1, **options), matmul_pull, (x0, x1, options,)

    def matmul_pull(residuals, y_bar):
        (x0, x1, options,) = residuals
        shape, dtype = x0.shape, x0.dtype
        x0_space = dense_space(class0, shape, dtype)
        x0_bar = adjoint0(y_bar, x0_space, x1, **options)
        if type(x0_bar) is not class0 or x0_bar.shape != shape or x0_bar.dtype is not dtype:
            x0_bar = project0(x0_space, x0_bar)
        ...
        return (x0_bar, x1_bar,)

An argument whose value no adjoint reads is not kept: its shape and dtype are. For numbers and the
like the space is kept.
"""

from collections.abc import Callable, Sequence
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.makers.writing import Source, tuple_entries
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.dense import dense_space
from chainrules_py.strong_zeros.strong_contraction import LARGE, require_finite
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero, has_tangent
from chainrules_py.values.records import Record


class Argument(Record):
    """One argument of a linear function; without an `adjoint` nobody needs its cotangent.

    `project` brings a cotangent into the argument's space. `read` says that the adjoint of another
    argument reads the value of this one. `flagged` says whether zero times infinity raises NumPy's
    "invalid" in the adjoint; None that it multiplies nothing, or that nobody raises flags. `is_zero`
    says that the cotangent is asked for, and zero.
    """

    position: int
    cls: type
    adjoint: Function | None
    project: Callable[[Space, Any], Any] | None
    read: bool
    flagged: bool | None = None
    is_zero: bool = False

    @property
    def name(self) -> str:
        """The argument's name in the lines."""
        return f"x{self.position}"

    @property
    def is_dense(self) -> bool:
        """Whether a shape and a dtype are all of the argument's space."""
        return ProjectTo.is_dense(self.cls)

    def residuals(self) -> dict[str, str]:
        """List the residuals of the argument: names in the pullback, expressions in the stage."""
        x, needed = self.name, self.adjoint is not None
        kept = {x: x} if self.read else {}
        if self.is_zero:
            kept[f"{x}_bar"] = f"zero_of({x})"
        if needed and not self.is_dense:
            kept[f"{x}_space"] = f"ProjectTo({x})"
        elif needed and not self.read:
            kept = {f"{x}_shape": f"{x}.shape", f"{x}_dtype": f"{x}.dtype"}
        return kept

    def write_cotangent(self, source: Source, others: Sequence["Argument"]) -> None:
        """Write the lines that compute the argument's cotangent, given all arguments."""
        x, i = self.name, self.position
        names = [self._as_read(other) for other in others]
        adjoint = f"adjoint{i}(y_bar, {', '.join(names)}, **options)"
        source.scope |= {f"adjoint{i}": self.adjoint, f"project{i}": self.project}
        if not self.is_dense:
            source.write(f"{x}_bar = project{i}({x}_space, {adjoint})")
            return

        shape, dtype = f"{x}_shape", f"{x}_dtype"
        if self.read:
            shape, dtype = "shape", "dtype"
            source.write(f"shape, dtype = {x}.shape, {x}.dtype")
        source.write(
            f"""
            {x}_space = dense_space(class{i}, {shape}, {dtype})
            {x}_bar = {adjoint}
            """,
            dense_space=dense_space,
            **{f"class{i}": self.cls},
        )
        if self.flagged is not None:
            self._write_check(source, others)
        differs = f"{x}_bar.shape != {shape} or {x}_bar.dtype is not {dtype}"
        source.write(
            f"""
            if type({x}_bar) is not class{i} or {differs}:
                {x}_bar = project{i}({x}_space, {x}_bar)
            """
        )

    def _as_read(self, other: "Argument") -> str:
        """Name what this argument's adjoint is given for an argument, itself included."""
        if other is self:
            return f"{self.name}_space"
        return other.name if other.read else "None"

    def _write_check(self, source: Source, others: Sequence["Argument"]) -> None:
        """Write the line that raises for a nan of which no flag tells."""
        factors = [other.name for other in others if other.is_dense and other is not self]
        sizes = " + ".join(f"{factor}.size" for factor in ("y_bar", *factors))
        checked = ", ".join((f"{self.name}_bar", "y_bar", *factors))
        largest = LARGE if self.flagged else -1
        source.write(
            f"if {sizes} > {largest}: require_finite({checked})", require_finite=require_finite
        )


def zero_of(x) -> AbstractZero:
    """Return ZERO, or NO_TANGENT of what has no tangents."""
    return ZERO if has_tangent(getattr(x, "dtype", type(x))) else NO_TANGENT


def write_stage(
    name: str,
    primal: Function,
    arguments: Sequence[Argument],
    refuse: Callable[..., None] | None,
) -> Source:
    """Write the stage of a function, and its pullback."""
    source = Source()
    names = ", ".join(argument.name for argument in arguments)
    residuals: dict[str, str] = {}
    for argument in arguments:
        residuals |= argument.residuals()
    residuals["options"] = "options"

    with source.block(f"def {name}_stage({names}, **options):"):
        if refuse is not None:
            source.write(f"refuse({names}, **options)", refuse=refuse)
        kept = tuple_entries(residuals.values())
        source.write(
            f"return primal({names}, **options), {name}_pull, ({kept})",
            primal=primal,
            ProjectTo=ProjectTo,
            zero_of=zero_of,
        )

    with source.block(f"def {name}_pull(residuals, y_bar):"):
        source.write(f"({tuple_entries(residuals)}) = residuals")
        bars = []
        for argument in arguments:
            if argument.is_zero:
                bars.append(f"{argument.name}_bar")
            elif argument.adjoint is None:
                bars.append("NO_TANGENT")
            else:
                argument.write_cotangent(source, arguments)
                bars.append(f"{argument.name}_bar")
        source.write(f"return ({tuple_entries(bars)})", NO_TANGENT=NO_TANGENT)
    return source
