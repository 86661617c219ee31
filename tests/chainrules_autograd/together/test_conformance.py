"""Samples of every rule through autograd, by `to_autograd`, in arrays of numbers: both modes, and the
derivatives of one of them, in turn; of both as `slow` tests.
"""

from collections.abc import Iterable
from contextlib import nullcontext
from itertools import cycle
from typing import Any

import numpy as np
import pytest

from chainrules_autograd import differentiation, to_autograd
from chainrules_autograd.boxes import is_of_objects, opened
from chainrules_py.engines import FlatValue
from chainrules_py.rules.rule import MODES, Mode
from chainrules_py.table.registry import default_rules
from chainrules_py.testing import CheckFailure
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import run_engine_case
from chainrules_py.testing.samples import Tag
from sampled_calls import all_cases, cases_with_tangents

EDGE = (
    "an infinite derivative times zero: autograd's own products in a rule's body do not let the"
    " zero win"
)
EXCEPTIONS = {
    "numpy.cbrt-2-domain-float64": EDGE,
    "numpy.arcsin-2-domain-float64": EDGE,
    "numpy.arccos-2-domain-float64": EDGE,
}


ALL, CASES = all_cases(), cases_with_tangents()
FIRST = {case.primal: case for case in reversed(CASES)}.values()  # others take ten times as long
SOONER = [
    pytest.param(case, (mode,), id=case.name)
    for case, mode in zip(FIRST, cycle(MODES), strict=False)
]
LATER = [
    pytest.param(case, MODES, id=f"{case.name}-all orders", marks=pytest.mark.long)
    for case in CASES
]


class NumbersOnly:
    """The engine, of which nothing may come out, in any order of differentiation, that is an array
    of objects.
    """

    def vjp(self, function, *args) -> tuple[Any, Any]:
        y, pullback = differentiation.vjp(function, *args)
        return self.looked_at(y), lambda y_bar: self.looked_at(pullback(y_bar))

    def jvp(self, function, args, dots) -> tuple[Any, Any]:
        found: tuple[Any, Any] = self.looked_at(differentiation.jvp(function, args, dots))
        return found

    def call(self, primal, args, options):
        return to_autograd(primal)(*args, **options)

    def looked_at(self, values):
        objects = [leaf for leaf in FlatValue.of(opened(values)).leaves if is_of_objects(leaf)]
        assert not objects, f"{objects[0]!r} has the dtype object"
        return values


# autograd's own reverse rule of `astype`
@pytest.mark.kinds
@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize(("case", "inner"), [*SOONER, *LATER])
def test_every_sample(case: Case, inner: Iterable[Mode]):
    # At the edge of a domain (arcsin at 1) a second derivative is infinite, and NumPy warns of the
    # division.
    edge = (
        np.errstate(divide="ignore", invalid="ignore")
        if Tag.DOMAIN in case.sample.tags
        else nullcontext()
    )
    with (
        edge,
        (
            pytest.raises(CheckFailure)
            if case.name.removesuffix("-reverse") in EXCEPTIONS
            else nullcontext()
        ),
    ):
        run_engine_case(NumbersOnly(), case, inner=inner)


def test_nearly_all_primals_are_among_them():
    primals = {
        case.primal
        for case in ALL
        if any(rule.differentiable for rule in default_rules.rules(case.primal))
    }
    left = {case.primal for case in ALL} - {case.primal for case in CASES}
    assert len(primals & {case.primal for case in CASES}) >= 0.95 * len(primals), left
