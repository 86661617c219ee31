"""Writing entries on a device.

Repeated indices add up by atomic additions (``cupy.add.at``, the kernel of `cupyx.scatter_add`). That is one launch whatever
the index, but the order in which floating-point numbers that hit the same entry are added is not fixed, so the last bits of
such sums may differ from run to run. A mask needs no atomics and, unlike in ``x[mask] += values``, no count of what it
selects: the host does not wait.
"""

from typing import Any

from chainrules_py.arrays import library_of


def implementation(primal: Any) -> Any:
    """This module's version of a function of `chainrules_py.rulesets.scatter`; None for everything else."""
    if getattr(primal, "__module__", None) != "chainrules_py.rulesets.scatter":
        return None
    return {"add_at": add_at}.get(primal.__name__)


def add_at(buffer: Any, index: Any, values: Any, xp: Any) -> None:
    """``buffer[index] += values``, where what arrives twice adds up."""
    from chainrules_py.rulesets.scatter import hits_nothing_twice  # a rule pack, which loads after its library

    if isinstance(index, tuple) and len(index) == 1:
        (index,) = index
    if is_whole_mask(buffer, index):
        add_where(buffer, index, values, xp)
    elif hits_nothing_twice(index):
        buffer[index] += values
    elif buffer.dtype.kind == "c":  # there are no atomic additions of complex numbers: part by part
        xp.add.at(buffer.real, index, xp.real(values))
        xp.add.at(buffer.imag, index, xp.imag(values))
    else:
        xp.add.at(buffer, index, values)


def is_whole_mask(buffer: Any, index: Any) -> bool:
    """Whether the index is one mask over all axes, on the device."""
    library = library_of(type(index))
    return library is not None and index.dtype.kind == "b" and index.ndim == buffer.ndim > 0 and type(index) is type(buffer)


def add_where(buffer: Any, mask: Any, values: Any, xp: Any) -> None:
    """Adds the values, one after the other, where the mask holds: entry k of the selected gets value k."""
    if values.size == 0:
        return
    position = xp.cumsum(mask.ravel()).reshape(mask.shape) - 1
    taken = xp.take(values, xp.maximum(position, 0)) if values.ndim else values
    buffer += xp.where(mask, taken, 0)
