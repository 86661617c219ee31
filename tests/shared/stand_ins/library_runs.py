"""What runs of each primal on each array library: of the first sample that the library itself can compute, in three modes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from chainrules_py import default_rules
from chainrules_py.identity import qualified_name
from chainrules_py.structure import is_container
from chainrules_py.testing import load_shipped
from chainrules_tape import hvp
from stand_ins.device_runs import Device, calls, check_adjoint, check_forward, check_reverse, compare, own_value

OTHER_FAMILIES = ("legendre", "laguerre", "hermite", "hermite_e")  # of numpy.polynomial: the rules of one are those of all
AMBIGUOUS = ("numpy.linalg.eig", "numpy.linalg.eigh", "numpy.linalg.svd", "numpy.linalg.qr")
TOLERANCE = 1e-7


def primals() -> list[Any]:
    """NumPy's functions that have a rule, by name; those that write into an array cannot be called twice."""
    load_shipped()
    found = {rule.primal for rule in default_rules.load_all().rules() if rule.differentiable and rule.overwrites is None}
    names = {qualified_name(primal): primal for primal in found}
    return [names[name] for name in sorted(names) if name.startswith("numpy.") and name.split(".")[-2] not in OTHER_FAMILIES]


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


def dask_device() -> Device:
    import dask
    import dask.array as da

    def refuse(*args: Any, **options: Any) -> None:
        raise RuntimeError("a Dask array was computed")

    @contextmanager
    def lazily(*names: str) -> Iterator[None]:
        with dask.config.set(scheduler=refuse):
            yield

    def make(x: Any) -> Any:
        """Chunks of uneven lengths; whole numbers stay, since they say where to read."""
        return x if x.dtype.kind not in "fc" else da.from_array(x, chunks=tuple(max(1, (n + 1) // 2) for n in x.shape))

    return Device(da.Array, make, lambda x: x.compute(scheduler="synchronous"), lazily)


def standard_device() -> Device:
    import array_api_strict

    from chainrules_array_api import strict as joined
    from chainrules_array_api.standard_array import StandardArray, on_host

    assert joined.library.name == "array-api"
    return Device(StandardArray, lambda x: StandardArray(array_api_strict.asarray(x)), on_host, lambda *names: nullcontext())


DEVICES: dict[str, Callable[[], Device]] = {
    "JAX": jax_device,
    "PyTorch": torch_device,
    "Dask": dask_device,
    "array API": standard_device,
}


def outcome(device: Device, primal: Any) -> str:
    """Which modes run, of ``r``, ``f`` and ``2`` (reverse, forward, second order); "-" where the library lacks the function.

    "?" stands for a mode whose result is another one than NumPy's, which no library may have.
    """
    with np.errstate(all="ignore"):
        for sample, args, options in calls(device, primal, "float64", "complex128"):
            if library_has(device, primal, args, options, primal(*sample.args, **sample.options)):
                return "".join(filter(None, (mode(device, primal, sample, args, options) for mode in MODES)))
    return "-"


def library_has(device: Device, primal: Any, args: Any, options: Any, like: Any) -> bool:
    """Whether the library itself computes this call, with NumPy's value where there is one right value."""
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
    """Whether the value and the cotangents are NumPy's; where there are several right values, whether the modes agree."""
    check = check_adjoint if qualified_name(primal) in AMBIGUOUS else check_reverse
    return ran("r", lambda: check(device, primal, sample, args, options, TOLERANCE))


def forward(device: Device, primal: Any, sample: Any, args: Any, options: Any) -> str:
    """Whether the tangent is NumPy's."""
    check = check_adjoint if qualified_name(primal) in AMBIGUOUS else check_forward
    return ran("f", lambda: check(device, primal, sample, args, options, TOLERANCE))


def second(device: Device, primal: Any, sample: Any, args: Any, options: Any) -> str:
    """Whether a Hessian-vector product of a sum of squares of the results is NumPy's."""
    place = next((k for k, x in enumerate(args) if isinstance(x, device.array) and x.dtype.kind == "f"), None)
    if place is None or qualified_name(primal) in AMBIGUOUS:
        return "2" if place is not None else ""

    def product(given: Any) -> Any:
        def loss(x: Any) -> Any:
            return sum_of_squares(primal(*given[:place], x, *given[place + 1 :], **options))

        return hvp(loss, given[place], given[place])

    def check() -> None:
        wanted = product(list(sample.args))
        with device.watching(primal, "second"):
            got = product(list(args))
        np.testing.assert_allclose(plain(device, got), plain(device, wanted), rtol=1e-6, atol=1e-6)

    return ran("2", check)


def plain(device: Device, x: Any) -> Any:
    """A value as NumPy's array."""
    from chainrules_py.arrays import taken_in

    x = taken_in(x)
    return device.read(x) if isinstance(x, device.array) else np.asarray(x)


def sum_of_squares(y: Any) -> Any:
    """The sum of squares of all numbers in a value."""
    if is_container(y):
        from chainrules_py.structure import fields

        return sum(map(sum_of_squares, fields(y).values()), 0.0)
    if getattr(getattr(y, "dtype", None), "kind", "") not in ("f", "c"):
        return 0.0
    return np.sum(np.real(y) ** 2 + np.imag(y) ** 2) if y.dtype.kind == "c" else np.sum(y**2)


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
