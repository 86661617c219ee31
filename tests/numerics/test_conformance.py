"""Every sample of every rule, through the engine: forward, reverse, and all second orders
(`check_engine`).
"""

from contextlib import nullcontext
from functools import reduce
from typing import Any

import numpy as np
import pytest

import chainrules_tape
import chainrules_tape.numpy as tnp
from chainrules_py.table.registry import default_rules
from chainrules_py.testing.conformance import engine_cases, run_engine_case
from chainrules_py.testing.samples import Tag, load_shipped
from chainrules_py.values.identity import qualified_name, takes_plain_values_only
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.numpy.namespaces import interceptable as handing_over


def interceptable(primal: Any) -> Any:
    """The primal, or what chainrules_tape.numpy has in its place where NumPy does not hand it over."""
    module, *path = qualified_name(primal).split(".")
    if takes_plain_values_only(primal):
        return handing_over(primal)
    found = reduce(getattr, path, tnp) if module == "numpy" else primal
    return found if getattr(found, "__wrapped__", None) is primal else primal


def is_real_valued(primal: Any, args: tuple[Any, ...], options: Any) -> bool:
    """Whether every output has a tangent space: seeds are drawn for the whole output."""
    with np.errstate(all="ignore"):
        y = primal(*args, **options)
    parts = y if isinstance(y, tuple | list) else (y,)
    return all(is_differentiable(part) for part in parts)


load_shipped()
ALL = [
    case
    for case in engine_cases()
    if is_real_valued(case.primal, case.sample.args, case.sample.options)
]
# Of SciPy's functions one sample in each dtype: what else there is to a rule, the kit has looked at
# (tests/numerics/scipy).
FIRST = {(case.primal, case.dtype): case for case in reversed(ALL)}
CASES = [
    case
    for case in ALL
    if "scipy." not in qualified_name(case.primal) or FIRST[case.primal, case.dtype] is case
]
# Each second of the further samples of NumPy's functions waits for the `long` tests, for the same
# reason.
LATER = {*[case for case in CASES if FIRST[case.primal, case.dtype] is not case][1::2]}
SOONER = [pytest.param(case, marks=pytest.mark.long if case in LATER else ()) for case in CASES]


@pytest.mark.parametrize("case", SOONER, ids=[case.name.removesuffix("-reverse") for case in CASES])
def test_every_sample(case):
    # At the edge of a domain (arcsin at 1) a second derivative is infinite, and NumPy warns of the
    # division.
    edge = Tag.DOMAIN in case.sample.tags
    with np.errstate(divide="ignore", invalid="ignore") if edge else nullcontext():
        run_engine_case(chainrules_tape, case, called=interceptable)


def test_there_are_samples_of_most_primals():
    primals = {
        rule.primal
        for rule in default_rules.rules()
        if rule.differentiable and rule.overwrites is None
    }
    assert len({case.primal for case in CASES}) > len(primals) / 2
