"""The samples of NumPy's functions on tensors of a device, and what their rules give there, for
tests of `chainrules_torch`.
"""

import torch

from chainrules_py import Tangent, default_rules
from chainrules_py.tangents import entries, is_zero, unthunk, with_entries
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_torch.arrays.namespace import is_missing
from chainrules_torch.arrays.tensor_array import TensorArray
from stand_ins.moving_leaves import is_moving, leaves, seed_of
from stand_ins.table_engine import TableEngine

load_shipped()
DIFFERENTIABLE = dict.fromkeys(
    rule.primal for rule in default_rules.load_all().rules() if rule.differentiable
)
OF_NUMPY = [primal for primal in DIFFERENTIABLE if qualified_name(primal).startswith("numpy.")]
ON_TENSORS = [primal for primal in OF_NUMPY if not is_missing(primal)]


def on_tensors(x, made=torch.tensor):
    """A value or a tangent with tensors for NumPy's arrays."""
    x = unthunk(x)
    if isinstance(x, Tangent):
        return with_entries(
            x.primal_type, {key: on_tensors(part, made) for key, part in entries(x).items()}
        )
    if is_container(x):
        return rebuild(x, {key: on_tensors(part, made) for key, part in fields(x).items()})
    return TensorArray(made(x)) if is_moving(x) else x


def both_modes(primal, args, options, tangents, convert):
    """The numbers in the value, in the cotangents and in the tangent."""
    given, config = tuple(map(convert, args)), TableEngine()
    y, pullback = default_rules.rrule(primal, *given, config=config, **options)
    seed = seed_of(y) if convert is unthunk else tangents[0]
    bars = () if is_zero(seed) else pullback(seed if convert is unthunk else convert(seed))
    dots = tangents[1] if convert is unthunk else tuple(map(convert, tangents[1]))
    return seed, (
        leaves(y),
        leaves(bars),
        leaves(default_rules.frule(dots, primal, *given, config=config, **options)[1]),
    )


def calls(primal):
    for dtype in ("float64", "complex128", "float32"):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                _, args, options = default_rules.canonical(
                    primal, sample.args, dict(sample.options)
                )
                if leaves(args):
                    yield args, options
