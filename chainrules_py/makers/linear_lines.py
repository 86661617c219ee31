"""This module writes the stage of a multilinear rule (see `staging`). For `matmul` of two arrays,
both needed, that is

    def matmul_stage(x0, x1, **options):
        return primal(x0, x1, **options), matmul_pull, (x0, x1, options,)

    def matmul_pull(residuals, y_bar):
        (x0, x1, options,) = residuals
        shape, dtype = x0.shape, x0.dtype
        x0_space = dense_space(class0, shape, dtype)
        x0_bar = adjoint0(y_bar, x0_space, x1, **options)
        if type(x0_bar) is not class0 or x0_bar.shape != shape or x0_bar.dtype is not dtype:
            x0_bar = bring0(x0_space, x0_bar)
        ...
        return (x0_bar, x1_bar,)

What no adjoint reads, such as a single needed argument, is not kept: its shape and dtype are. Of
numbers and the like the space is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chainrules_py.strong_zeros.strong_contraction import LARGE


@dataclass(frozen=True)
class Argument:
    """One argument as the lines treat it: `read` says that an adjoint which is wanted reads its
    value.

    `flagged` says whether zero times infinity raises NumPy's "invalid" in the adjoint, None that no
    products are in it or that nobody raises flags.
    """

    position: int
    dense: bool
    needed: bool
    read: bool
    flagged: bool | None = None

    @property
    def name(self) -> str:
        """The argument's name in the lines."""
        return f"x{self.position}"

    @property
    def residuals(self) -> dict[str, str]:
        """What is kept of the argument: names for the pullback, and the expressions that they stand
        for.
        """
        x = self.name
        space = {f"{x}_space": f"ProjectTo({x})"} if self.needed and not self.dense else {}
        if self.read:
            return {x: x, **space}
        if not self.needed:
            return {}
        return space or {f"{x}_shape": f"{x}.shape", f"{x}_dtype": f"{x}.dtype"}

    def cotangent(self, others: Sequence["Argument"]) -> Iterator[str]:
        """Write the lines that compute the argument's cotangent, given all arguments."""
        x, i = self.name, self.position
        names = [
            f"{x}_space" if other is self else other.name if other.read else "None"
            for other in others
        ]
        adjoint = f"adjoint{i}(y_bar, {', '.join(names)}, **options)"
        if not self.dense:
            yield f"    {x}_bar = bring{i}({x}_space, {adjoint})"
            return
        shape, dtype = ("shape", "dtype") if self.read else (f"{x}_shape", f"{x}_dtype")
        if self.read:
            yield f"    shape, dtype = {x}.shape, {x}.dtype"
        yield f"    {x}_space = dense_space(class{i}, {shape}, {dtype})"
        yield f"    {x}_bar = {adjoint}"
        yield from self._looked_at(others)
        yield (
            f"    if type({x}_bar) is not class{i} or {x}_bar.shape != {shape} or {x}_bar.dtype is"
            f" not {dtype}:"
        )
        yield f"        {x}_bar = bring{i}({x}_space, {x}_bar)"

    def _looked_at(self, others: Sequence["Argument"]) -> Iterator[str]:
        """Write the line that raises for a nan of which no flag tells."""
        if self.flagged is None:
            return
        factors = [other.name for other in others if other.dense and other is not self]
        sizes = " + ".join(f"{each}.size" for each in ("y_bar", *factors))
        looked_at = ", ".join((f"{self.name}_bar", "y_bar", *factors))
        yield f"    if {sizes} > {LARGE if self.flagged else -1}: require_finite({looked_at})"


def arguments_of(
    dense: Sequence[bool],
    needed: Sequence[int],
    unread: Sequence[int] = (),
    flagged: bool | None = None,
) -> list[Argument]:
    """Describe the arguments of a call of which some are needed; `unread` are those whose values no
    adjoint reads.
    """
    return [
        Argument(i, is_dense, i in needed, i not in unread and any(j != i for j in needed), flagged)
        for i, is_dense in enumerate(dense)
    ]


def stage_lines(name: str, arguments: Sequence[Argument], refuses: bool) -> list[str]:
    """Write the stage and its pullback."""
    names = [argument.name for argument in arguments]
    residuals = {
        key: value for argument in arguments for key, value in argument.residuals.items()
    } | {"options": "options"}
    bars = [f"{argument.name}_bar" if argument.needed else "NO_TANGENT" for argument in arguments]
    return [
        f"def {name}_stage({', '.join(names)}, **options):",
        *(["    refuse(**options)"] if refuses else []),
        (
            f"    return primal({', '.join(names)}, **options), {name}_pull,"
            f" ({', '.join(residuals.values())},)"
        ),
        f"def {name}_pull(residuals, y_bar):",
        f"    ({', '.join(residuals)},) = residuals",
        *(
            line
            for argument in arguments
            if argument.needed
            for line in argument.cotangent(arguments)
        ),
        f"    return ({', '.join(bars)},)",
    ]
