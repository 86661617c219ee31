"""What runs of each primal on each array library: of the first sample that the library itself can
compute, in three modes.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from chainrules_py import default_rules
from chainrules_py.rulesets.draws import DRAWS, draws_of
from chainrules_py.testing import load_shipped
from chainrules_py.values.arrays import taken_in
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape import hvp
from chainrules_tape.numpy import interceptable
from stand_ins.array_makers import ARRAYS_BESIDE
from stand_ins.device_runs import (
    Device,
    calls,
    check_adjoint,
    check_forward,
    check_reverse,
    compare,
    leaves,
    moved,
    own_value,
)

# of numpy.polynomial: the rules of one are those of all
OTHER_FAMILIES = ("legendre", "laguerre", "hermite", "hermite_e")
AMBIGUOUS = ("numpy.linalg.eig", "numpy.linalg.eigh", "numpy.linalg.svd", "numpy.linalg.qr")
TOLERANCE = 1e-7
INTEGER = np.dtype(int)


def primals() -> list[Any]:
    """NumPy's functions that have a rule, by name; those that write into an array, and draws, cannot
    be called twice.
    """
    load_shipped()
    found = {
        rule.primal
        for rule in default_rules.load_all().rules()
        if rule.differentiable and rule.overwrites is None
    }
    found -= {*draws_of(DRAWS)}
    names = {qualified_name(primal): primal for primal in found}
    return [
        names[name]
        for name in sorted(names)
        if name.startswith("numpy.") and name.split(".")[-2] not in OTHER_FAMILIES
    ]


def jax_device() -> Device:
    import jax

    jax.config.update("jax_enable_x64", True)
    return Device(jax.Array, jax.numpy.asarray, np.asarray, lambda *names: nullcontext())


def torch_device() -> Device:
    import torch

    from chainrules_torch.arrays.tensor_array import TensorArray

    def read(x: Any) -> Any:
        return x.tensor.resolve_conj().resolve_neg().numpy()

    def make(x: Any) -> Any:
        return TensorArray(torch.from_numpy(x.copy()))

    return Device(TensorArray, make, read, lambda *names: nullcontext())


def standard_device() -> Device:
    import array_api_strict

    from chainrules_array_api import strict as joined
    from chainrules_array_api.standard_array import StandardArray, on_host

    assert joined.library.name == "array-api"
    return Device(
        StandardArray,
        lambda x: StandardArray(array_api_strict.asarray(x)),
        on_host,
        lambda *names: nullcontext(),
    )


DEVICES: dict[str, Callable[[], Device]] = {
    "JAX": jax_device,
    "PyTorch": torch_device,
    **{each.NAME: each.device for each in ARRAYS_BESIDE},
    "array API": standard_device,
}


def outcomes(device: Device, primal: Any, modes: Any = None) -> Iterator[str]:
    """Of each sample that the library itself computes, which modes run: ``r`` reverse, ``f``
    forward, ``2`` second order.

    "?" stands for a mode whose result is another one than NumPy's, which no library may have, and
    "." for second derivatives that NumPy's arrays do not have, either.
    """
    with np.errstate(all="ignore"):
        for sample, args, options in calls(device, primal, "float64", "complex128"):
            if library_has(device, primal, args, options, primal(*sample.args, **sample.options)):
                found = (mode(device, primal, sample, args, options) for mode in modes or MODES)
                yield "".join(found)


def library_has(device: Device, primal: Any, args: Any, options: Any, like: Any) -> bool:
    """Whether the library itself computes this call, with NumPy's value where there is one right
    value.
    """
    if getattr(device.array, "__name__", "") == "TensorArray":
        from chainrules_torch.arrays.namespace import is_missing

        if is_missing(primal):
            return False
    try:
        with device.watching(primal, "value"):
            y = own_value(device, primal, args, options)
        if qualified_name(primal) not in AMBIGUOUS:
            compare(device, y, like, TOLERANCE, like=y)
    except Exception:
        return False
    return y is not None


def reverse(device: Device, primal: Any, sample: Any, args: Any, options: Any) -> str:
    """Whether the value and the cotangents are NumPy's; where there are several right values,
    whether the modes agree.
    """
    check = check_adjoint if qualified_name(primal) in AMBIGUOUS else check_reverse
    return ran("r", lambda: check(device, primal, sample, args, options, TOLERANCE))


def forward(device: Device, primal: Any, sample: Any, args: Any, options: Any) -> str:
    """Whether the tangent is NumPy's."""
    check = check_adjoint if qualified_name(primal) in AMBIGUOUS else check_forward
    return ran("f", lambda: check(device, primal, sample, args, options, TOLERANCE))


def second(device: Device, primal: Any, sample: Any, args: Any, options: Any) -> str:
    """Whether a Hessian-vector product of the size of the results, in all arguments at once, is
    NumPy's; along the arguments themselves, or 1 where one is not finite.
    """
    places = [k for k, x in enumerate(args) if any(is_active(leaf, device) for leaf in leaves(x))]
    loss = partial(size_of, primal, places)
    points, on_device = ([values[k] for k in places] for values in (sample.args, args))
    along = [moved(point, lambda x: np.where(np.isfinite(x), x, 1)) for point in points]
    try:
        wanted = hvp(partial(loss, sample.args, sample.options), points, along)
    except Exception:
        return "."

    def check() -> None:
        with device.watching(primal, "second order"):
            got = hvp(partial(loss, args, options), on_device, list(map(device.put, along)))
        compare(device, moved_in(got), wanted, TOLERANCE, like=moved_in(got))

    return ran("2", check) if places else "."


def is_active(x: Any, device: Device) -> bool:
    """Whether a leaf of an argument is an array of numbers on the device that are differentiated."""
    return isinstance(x, device.array) and x.dtype.kind in "fc"


def size_of(primal: Any, places: list[int], args: Any, options: Any, points: list[Any]) -> Any:
    """A number that depends on every entry of a result and on no phase: a function of the arguments
    at some places.
    """
    given = dict(zip(places, points, strict=True))
    y = interceptable(primal)(*(given.get(k, x) for k, x in enumerate(args)), **options)
    squares = [
        np.real(leaf) ** 2 + np.imag(leaf) ** 2
        for leaf in leaves(y)
        if getattr(leaf, "dtype", INTEGER).kind in "fc"
    ]
    return sum((np.sum(part + part * part) for part in squares), 0.0)


def moved_in(x: Any) -> Any:
    """A value with the arrays that rules compute with, where a library's users hold others."""
    return (
        rebuild(x, {key: moved_in(part) for key, part in fields(x).items()})
        if is_container(x)
        else taken_in(x)
    )


def ran(mode: str, check: Callable[[], None]) -> str:
    """The letter of a mode that ran, nothing for a refusal, "?" where the numbers are wrong."""
    try:
        check()
    except AssertionError as error:
        return "?" if "tolerance" in str(error) else ""  # else it is an array of another class
    except Exception:
        return ""
    return mode


MODES = (reverse, forward, second)
