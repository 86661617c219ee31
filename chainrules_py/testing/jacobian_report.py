"""Full Jacobians of a rule next to the oracle's, and the table of the worst disagreements."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chainrules_py.testing.coordinates import Layout, Vector

Matrix = NDArray[np.floating]
SHOWN = 8
USUAL = 1e-6  # the relative tolerance by which a pair is shown; checks have their own
COLUMNS = ("output", "input", "rule", "oracle", "error")


@dataclass(frozen=True)
class Discrepancy:
    """One entry of a Jacobian where the rule and the oracle disagree."""

    output: str
    argument: str
    index: str
    rule: float
    oracle: float
    error: float

    def __repr__(self) -> str:
        output, argument, rule, oracle, error = _row(self)
        return (
            f"<d {output} / d {argument}: the rule has {rule}, the oracle {oracle}, which differ by"
            f" {error}>"
        )


@dataclass(frozen=True)
class JacobianPair:
    """The Jacobian by one argument, from a rule and from the oracle, with names of entries."""

    argument: str
    inputs: Layout
    outputs: Layout
    rule: Matrix
    oracle: Matrix
    slack: Matrix

    def __repr__(self) -> str:
        wrong = int(self.wrong(USUAL).sum())
        return f"<the Jacobian by {self.argument}: {wrong} of {self.oracle.size} entries differ>"

    def wrong(self, relative: float) -> NDArray[np.bool_]:
        """Mark the entries that differ beyond the tolerance and the oracle's own error."""
        finite = np.where(np.isfinite(self.oracle), np.abs(self.oracle), 0.0)
        size = np.maximum(finite, 0.1 * np.max(finite, initial=0.0))
        with np.errstate(invalid="ignore"):
            is_near = np.abs(self.rule - self.oracle) <= relative * size + 4 * self.slack
        return np.asarray(~(is_near | (self.rule == self.oracle) | np.isnan(self.oracle)))

    def worst(self, relative: float, count: int = SHOWN) -> list[Discrepancy]:
        """The largest disagreements, largest first."""
        error = np.where(self.wrong(relative), np.abs(self.rule - self.oracle), -1.0)
        error[np.isnan(error)] = np.inf
        order = np.argsort(-error, axis=None, kind="stable")[:count]
        rows, columns = np.unravel_index(order, error.shape)
        shown = [
            (i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if error[i, j] >= 0
        ]
        return [self._entry(i, j, float(error[i, j])) for i, j in shown]

    def _entry(self, i: int, j: int, error: float) -> Discrepancy:
        output, index = self.outputs.labels()[i], self.inputs.labels()[j]
        return Discrepancy(
            output, self.argument, index, float(self.rule[i, j]), float(self.oracle[i, j]), error
        )


def by_columns(pushforward: Callable[[Vector], Vector], outputs: int, inputs: int) -> Matrix:
    """The matrix of a linear map, from its values at the unit vectors."""
    matrix = np.zeros((outputs, inputs))
    for j, unit in enumerate(np.eye(inputs)):
        matrix[:, j] = pushforward(unit)
    return matrix


def by_rows(pullback: Callable[[Vector], Vector], outputs: int, inputs: int) -> Matrix:
    """The matrix whose transpose a pullback applies, from its values at the unit vectors."""
    return by_columns(pullback, inputs, outputs).T


def table(entries: list[Discrepancy]) -> str:
    """The entries as aligned text: output, input, rule, oracle, error."""
    if not entries:
        return ""
    return "\n".join(lines_in_columns([COLUMNS, *map(_row, entries)]))


def _row(entry: Discrepancy) -> tuple[str, ...]:
    numbers = (f"{value:.6g}" for value in (entry.rule, entry.oracle, entry.error))
    return (f"out{entry.output}", f"{entry.argument}{entry.index}", *numbers)


def lines_in_columns(
    rows: list[tuple[str, ...]], put: Callable[[str, int], str] = str.rjust
) -> Iterator[str]:
    """Rows of texts as lines, their cells in columns, where they are `put` to one side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(put, row, widths)).rstrip()
