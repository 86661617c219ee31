"""On all samples, the careful form of each declared rule gives what the quick one gives."""

from typing import Any

import numpy as np
import pytest

from chainrules_py import default_rules, unthunk
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_py.testing.samples import Sample, Tag, load_shipped, samples_of
from chainrules_py.values.identity import qualified_name

load_shipped()
UNUSUAL = {Tag.EMPTY, Tag.ERROR}


def staged(sample: Any, primal: Any) -> Any:
    """Run the stage of a rule on a sample; None where its pullback has no careful form."""
    canonical, args, options = default_rules.canonical(primal, sample.args, dict(sample.options))
    rule = default_rules.find("reverse", canonical, tuple(map(type, args)))
    stage = getattr(rule, "stage", None)
    if stage is None:
        return None
    with np.errstate(all="ignore"):
        y, pull, residuals = stage(*args, **options)
    return (y, pull, residuals) if hasattr(pull, "careful") else None


PRIMALS = sorted(
    {rule.primal for rule in default_rules.load_all().rules() if rule.specialise},
    key=qualified_name,
)
CASES = [
    (primal, sample)
    for primal in PRIMALS
    for dtype in ("float64", "complex128")
    for sample in samples_of(primal, dtype)
    if not sample.tags & UNUSUAL
]


def test_there_are_many() -> None:
    assert len({primal for primal, sample in CASES if staged(sample, primal)}) > 40


@pytest.mark.kinds
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_careful_and_quick_cotangents_agree(primal: Any) -> None:
    samples: list[Sample] = [sample for other, sample in CASES if other is primal]
    for sample in samples:
        found = staged(sample, primal)
        if found is None:
            continue
        y, pull, residuals = found
        y_bar = random_tangent(seeded(primal, "careful"), y)
        with np.errstate(all="ignore"):
            quick, careful = pull(residuals, y_bar), pull.careful(residuals, y_bar)
        for one, other in zip(map(unthunk, quick), map(unthunk, careful), strict=True):
            assert type(one) is type(other)
            if isinstance(one, np.ndarray | np.inexact | float | complex):
                np.testing.assert_allclose(other, one, rtol=1e-14, atol=1e-300)
