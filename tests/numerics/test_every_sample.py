"""Every sample on the tape, by properties that `check_engine` does not ask for: arrays that lie in
memory in unusual ways, tangents that are traced where values are not, and batches of tangents at
one point. Of declared rules, the careful form gives what the quick one gives.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import optree
import pytest
from scipy import linalg

from chainrules_py import default_rules, unthunk
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.cases import Case
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import rand_tangent, seeded
from chainrules_py.testing.samples import Tag
from chainrules_tape import grad, jvp, vjp, vmap
from chainrules_tape.core.levels import call_traced
from sampled_calls import cases_with_tangents, interceptable

CASES = cases_with_tangents()


class Called:
    """A sample as a function of those of its arguments that have derivatives."""

    def __init__(self, case: Case):
        self.name = case.name.removesuffix("-reverse")
        self.primal, self.args, self.options = case.settings.rules.canonical(
            case.primal, case.sample.args, dict(case.sample.options)
        )
        fixed = case.effective_settings().fixed  # by which nobody has written a derivative
        self.chosen = [
            i for i, arg in enumerate(self.args) if Layout((arg,)).size and i not in fixed
        ]
        self.points = tuple(self.args[i] for i in self.chosen)

    def of(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        """The function, with constants of these arguments."""
        called = interceptable(self.primal)

        def function(*values):
            replaced = dict(zip(self.chosen, values, strict=True))
            return called(*(replaced.get(i, arg) for i, arg in enumerate(args)), **self.options)

        return function

    def value(self):
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return self.primal(*self.args, **self.options)


def drawn(rng, values) -> tuple[Any, ...]:
    """A tangent of each value, in plain containers."""
    return tuple(as_plain_container(rand_tangent(rng, value), value) for value in values)


def agree(found, expected, digits: float = 1e-9) -> bool:
    """Whether all numbers are the same, but for rounding."""
    pairs = zip(optree.tree_leaves(found), optree.tree_leaves(expected), strict=True)
    return all(
        np.shape(one) == np.shape(other)
        and np.allclose(
            one,
            other,
            rtol=digits,
            atol=digits * (1 + np.max(np.abs(other), initial=0)),
            equal_nan=True,
        )
        for one, other in pairs
        if isinstance(other, np.ndarray | float | complex | np.inexact)
    )


PARAMETERS = [pytest.param(case, id=case.name.removesuffix("-reverse")) for case in CASES]


# --- The derivative of d -> jvp(f, (x,), (d,))[1] is linear in d, and its adjoint is the pullback ---


@pytest.mark.kinds
@pytest.mark.parametrize("case", PARAMETERS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_pullback_of_a_pushforward_is_the_pullback(case: Case):
    sample = Called(case)
    function, points = sample.of(sample.args), sample.points
    rng = seeded(case.name, seed=0)
    dots = drawn(rng, points)
    y, pullback = vjp(function, *points)
    (y_bar,) = drawn(rng, [y])
    _, pullback_of_push = vjp(lambda *dots: jvp(function, points, dots)[1], *dots)
    assert agree(pullback_of_push(y_bar), pullback(y_bar))


# --- Values and derivatives are those of the same numbers side by side ---


def reversed_in_memory(x):
    backwards = (slice(None, None, -1),) * x.ndim
    return x[backwards].copy()[backwards] if x.ndim else x


def every_second(x):
    wide = np.full(tuple(2 * n for n in x.shape), np.nan, x.dtype)
    part = wide[(*(slice(None, None, 2) for _ in x.shape), ...)]
    part[...] = x
    return part


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


FORMS = {
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "column by column": lambda x: x.copy(order="F"),
    "reversed": reversed_in_memory,
    "every second": every_second,
    "read-only": read_only,
}


def in_form(tree, form: Callable[[Any], Any]):
    def formed(x):
        return form(x) if isinstance(x, np.ndarray) and x.dtype.kind in "fc" else x

    return optree.tree_map(formed, tree)


@pytest.mark.kinds
@pytest.mark.parametrize("case", PARAMETERS)
@pytest.mark.filterwarnings("ignore")
def test_each_form_of_all_arrays(case: Case):
    sample, rng = Called(case), seeded(case.name, seed=0)
    given = sample.points, drawn(rng, sample.points), *drawn(rng, [sample.value()])

    def derivatives(form: Callable[[Any], Any]):
        """The value, the pullback of a cotangent and the pushforward of tangents, all in this form."""
        points, dots, y_bar = in_form(given, form)
        function = sample.of(in_form(sample.args, form))
        y, pullback = vjp(function, *points)
        return y, pullback(y_bar), jvp(function, points, dots)[1]

    expected = derivatives(np.copy)
    for name, form in FORMS.items():
        if is_taken(sample, form, expected[0]):
            assert agree(derivatives(form), expected), name


def is_taken(sample: Called, form: Callable[[Any], Any], value) -> bool:
    """Whether a function computes the same with these arrays: many of SciPy's refuse swapped bytes,
    and `scipy.linalg.inv` takes them for other numbers.
    """
    try:
        return agree(sample.primal(*in_form(sample.args, form), **sample.options), value)
    except (TypeError, ValueError, RuntimeError):
        return False


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products_of_long_doubles(zeros: int):
    x = np.array([3.0, 2.0, 5.0], np.longdouble)
    x[:zeros] = 0
    expected = [x[1] * x[2], x[0] * x[2], x[0] * x[1]]
    np.testing.assert_array_equal(grad(np.prod)(x), expected)


@pytest.mark.filterwarnings("ignore:Calling .* dtype=:DeprecationWarning")  # SciPy 1.18's
@pytest.mark.parametrize("f", [linalg.sqrtm, linalg.logm])
def test_functions_of_matrices_of_long_doubles(f):
    """SciPy's Schur decomposition computes a complex form of these in single precision."""
    a = np.array([[4.0, 1.0], [0.5, 3.0]])

    def slope(a):
        return jvp(lambda a: call_traced(f, (a,), {}), (a,), (a + 1,))[1]

    np.testing.assert_allclose(slope(a.astype(np.longdouble)), slope(a), rtol=1e-14)


# --- Derivatives of a pullback, or of a pushforward, of a batch: as of one tangent after the other ---

BATCH = range(3)
SPECIAL = {Tag.EMPTY, Tag.KINK, Tag.TIE, Tag.DOMAIN}


def is_dense(x) -> bool:
    is_number = isinstance(x, np.ndarray | float | complex | np.inexact)
    return is_number and np.asarray(x).dtype.kind in "fc"


def first_dense_ones() -> Iterator[Any]:
    """One sample of each function with a second derivative, whose arguments and value are arrays."""
    seen: set[Any] = set()
    for case in CASES:
        if case.primal in seen or not case.sample.second_order or case.sample.tags & SPECIAL:
            continue
        sample = Called(case)
        if sample.points and all(map(is_dense, (sample.value(), *sample.points))):
            seen.add(case.primal)
            yield pytest.param(sample, id=sample.name, marks=pytest.mark.long)


def stacked(trees: list[Any]):
    return optree.tree_map(lambda *parts: np.stack([np.asarray(part) for part in parts]), *trees)


@pytest.mark.parametrize("sample", [*first_dense_ones()])
@pytest.mark.parametrize("mode", ["pullback", "pushforward"])
@pytest.mark.filterwarnings("ignore")
def test_derivatives_of_a_batch_of_tangents_at_one_point(mode: str, sample: Called):
    """There, arguments of rules without lanes meet others with lanes, and have one cotangent for all."""
    function, points, rng = sample.of(sample.args), sample.points, seeded(sample.name, seed=0)

    def of_one(tangents, *points) -> tuple[Any, ...]:
        if mode == "pullback":
            return vjp(function, *points)[1](*tangents)
        return (jvp(function, points, tangents)[1],)

    seeds_of = (sample.value(),) if mode == "pullback" else points
    batch = [drawn(rng, seeds_of) for _ in BATCH]

    def of_all(*points):
        return vmap(lambda *tangents: of_one(tangents, *points))(*stacked(batch))

    def alone(number: int) -> Callable[..., Any]:
        return lambda *points: of_one(batch[number], *points)

    bars = [drawn(rng, alone(number)(*points)) for number in BATCH]
    along = drawn(rng, points)

    one_by_one = [vjp(alone(number), *points)[1](bars[number]) for number in BATCH]
    total = optree.tree_map(lambda *parts: sum(parts), *one_by_one)
    assert agree(vjp(of_all, *points)[1](stacked(bars)), total, 1e-7)
    dots = [jvp(alone(number), points, along)[1] for number in BATCH]
    assert agree(jvp(of_all, points, along)[1], stacked(dots), 1e-7)


# --- Quick and careful cotangents ---

DECLARED = {rule.primal for rule in default_rules.load_all().rules() if rule.specialise}


def staged(case: Case):
    """What the stage of a rule gives on a sample; None where its pullback has no careful form."""
    sample = Called(case)
    rule = default_rules.find("reverse", sample.primal, tuple(map(type, sample.args)))
    if getattr(rule, "stage", None) is None:
        return None
    with np.errstate(all="ignore"):
        found = rule.stage(*sample.args, **sample.options)
    return found if hasattr(found[1], "careful") else None


CAREFUL = [case for case in CASES if case.primal in DECLARED and Tag.EMPTY not in case.sample.tags]


def test_many_have_a_careful_form():
    assert len({case.primal for case in CAREFUL if staged(case)}) > 40


@pytest.mark.kinds
@pytest.mark.parametrize("case", CAREFUL, ids=lambda case: case.name.removesuffix("-reverse"))
def test_careful_and_quick_cotangents_agree(case: Case):
    found = staged(case)
    if found is None:
        return
    y, pull, residuals = found
    y_bar = rand_tangent(seeded(case.name, seed=0), y)
    with np.errstate(all="ignore"):
        quick, careful = pull(residuals, y_bar), pull.careful(residuals, y_bar)
    for one, other in zip(map(unthunk, quick), map(unthunk, careful), strict=True):
        assert type(one) is type(other)
        if isinstance(one, np.ndarray | np.inexact | float | complex):
            np.testing.assert_allclose(other, one, rtol=1e-14, atol=1e-300)
