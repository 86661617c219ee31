"""What stored arrays answer: they read as the values that they hold, show views of themselves, and are written to."""

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.arrays import Array
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_tape.arrays import behaviour
from chainrules_tape.arrays.fast_lookup import REVERSE, run_by_operator
from chainrules_tape.core import asked_of_arrays, errors
from chainrules_tape.core.duals import DualArray, DualNumber
from chainrules_tape.core.general_way import as_operand
from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.levels import call, innermost, writers
from chainrules_tape.core.tape import HANDLES, Tape, TapeArray, TapeNumber
from chainrules_tape.in_place.first_write import stored
from chainrules_tape.in_place.functions import METHODS, at, out
from chainrules_tape.in_place.regions import region_of
from chainrules_tape.in_place.storages import STORED, StoredArray, StoredDual, as_buffer, handle_on
from chainrules_tape.in_place.writing import written, written_pull

AUGMENTED = {name: getattr(operator, name[:2] + name[3:]) for name in asked_of_arrays.WRITES if name.startswith("__i")}

BASIC = frozenset({int, slice})

# NumPy's functions of which the result may share memory with an argument.
VIEWS = frozenset(
    (
        *(np.transpose, np.matrix_transpose, np.permute_dims, np.swapaxes, np.moveaxis, np.rollaxis, np.reshape, np.ravel),
        *(np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_to, np.broadcast_arrays),
        *(np.real, np.imag, np.diagonal, np.diag, np.flip, np.fliplr, np.flipud, np.rot90, np.split, np.array_split),
        *(np.hsplit, np.vsplit, np.dsplit, np.unstack, np.lib.stride_tricks.sliding_window_view, np.real_if_close),
        *(np.linalg.diagonal, np.linalg.matrix_transpose, np.trim_zeros, np.lib.stride_tricks.as_strided, np.astype),
    )
)
VIEW_METHODS = ("ravel", "reshape", "squeeze", "swapaxes", "transpose", "diagonal")
VIEW_ATTRIBUTES = ("T", "mT", "real", "imag")


def is_stored(x: Any) -> bool:
    """Whether a value is a stored array."""
    return type(x) in STORED


def settled_in(value: Any) -> Any:
    """A value with what stored arrays hold now in the place of them, in containers too."""
    if issubclass(type(value), TracedArray):
        return value.settled(value.level)
    if not is_container(value):
        return value
    parts = fields(value)
    changed = {key: now for key, part in parts.items() if (now := settled_in(part)) is not part}
    return rebuild(value, changed) if changed else value


# Reading


def viewed(x: Any, result: Any) -> Any:
    """The handles on what NumPy returned for the plain memory of a stored array; None where it is no view of that."""
    if isinstance(result, tuple | list):
        found = [viewed(x, each) for each in result]
        return None if any(each is None for each in found) else type(result)(found)
    root = x.storage.root
    return handle_on(x.storage, result) if result is root or getattr(result, "base", None) is root else None


def view_or(x: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """A view, as NumPy gives it; where it gives a copy, the function of what the array holds."""
    found = viewed(x, function(x.part, *map(plain, args), **options))
    if found is None:
        found = function(x.settled(), *args, **options)
    return as_buffer(found)


def copied(self: Any, *args: Any) -> Any:
    """A copy, as writable as what it is a copy of."""
    return as_buffer(self.settled().copy(*args))


def getitem(self: Any, index: Any) -> Any:
    """A view, or the entries, as NumPy decides."""
    index = index if type(index) in (int, slice) else settled_in(index)
    array, storage = self.part, self.storage
    y = array[index]
    if type(y) is np.ndarray and y.base is storage.root:
        return handle_on(storage, y)
    level = storage.level
    if type(y) is np.float64 and array is storage.root and type(level) is Tape and not (storage.beneath or level.engine.debug):
        stage = level.stages.get((operator.getitem, np.ndarray, type(index), 1))
        if stage is not None:  # one entry: 2 us less
            y, pull, kept = stage(array, index)
            return level.record(y, pull, kept, storage.latest)
        run_by_operator(REVERSE, level, (operator.getitem, np.ndarray, type(index), 1), array, index)
    storage = storage.current()
    return y if storage.level is None else storage.read(self.part, index)


def setitem(self: Any, index: Any, values: Any) -> None:
    """Write entries."""
    if type(values) in HANDLES and type(index) in BASIC and write_at_once(self, index, values):
        return
    if is_stored(values) and values.storage is self.storage:
        target = self.part[index]  # the last step of ``x[index] += v``, where there is nothing left to do
        if type(target) is np.ndarray and target.base is self.storage.root and same_place(target, values.part):
            return
    if type(values) is list or type(values) is tuple:
        values = as_operand(values)
    if type(index) not in (int, slice):
        index = settled_in(index)
    written(operator.setitem, (self, index, values), {})


def write_at_once(x: Any, index: Any, values: Any) -> bool:
    """Write a value of a tape into memory of the same tape, where nothing else has to be asked: 10 us less than `written`."""
    storage, level = x.storage, values.level
    if storage.level is not level or type(level) is not Tape or storage.beneath is not None or level.written.ranges:
        return False
    value = values.value
    try:
        stage = level.stages[operator.setitem, type(index), type(value)]
    except KeyError:
        if level.closed or storage.root.dtype.kind not in "fc":
            return False
        plan = level.engine.plan("reverse", operator.setitem, (np.ndarray, type(index), type(value)), (True, False, True))
        stage = level.stages[operator.setitem, type(index), type(value)] = plan.stage
    if stage is None:
        return False
    _, pull, kept = stage(x.part, index, value)
    region = None if x.part is storage.root else region_of(x.part, storage.root)
    level.parents.append((storage.latest, None, values.slot))  # `record` written out
    storage.latest = len(level.pulls)
    level.pulls.append(written_pull)
    level.kept.append((pull, kept, region, 0))
    storage.version += 1
    return True


def same_place(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two views are one."""
    return a.shape == b.shape and a.__array_interface__ == b.__array_interface__


def set_value_item(self: Any, index: Any, values: Any) -> None:
    """Write entries of what has not been written to before."""
    setitem(stored_or_refused(self, "__setitem__"), index, values)


def stored_or_refused(x: Any, name: str) -> Any:
    """The array as one that is written to."""
    if type(plain(x)) is not np.ndarray:
        what, instead = asked_of_arrays.WRITES[name]
        errors.raise_write_refused(what, x, instead)
    return stored(x)


def augmented_assignment(name: str) -> Callable[[Any, Any], Any]:
    """The operator ``x += v`` or the like."""
    operation = AUGMENTED[name]
    what, instead = asked_of_arrays.WRITES[name]

    def assign(self: Any, other: Any) -> Any:
        if not isinstance(plain(self), np.ndarray | Array):
            return operation(self, other)  # a number gives another number
        x = stored_or_refused(self, name)
        y = operation(now(x), settled_in(other))
        if y.shape != x.part.shape or not np.can_cast(y.dtype, x.part.dtype, "same_kind"):
            errors.raise_write_refused(what, x, instead)
        setitem(x, ..., y)
        return x

    return assign


# Operators, functions and methods: of what the array holds


def now(x: Any) -> Any:
    """What a stored array holds, as its own level sees it; other values as they are."""
    return x.operand() if type(x) in STORED else x


def binary(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator of what the operands hold."""
    return lambda self, other: operation(now(self), now(other))


def reflected(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator with its operands exchanged."""
    return lambda self, other: operation(now(other), now(self))


def unary(operation: Callable[[Any], Any]) -> Callable[..., Any]:
    """An operator of what the array holds."""
    return lambda self, *args: operation(now(self), *args)


def method(name: str) -> Callable[..., Any]:
    """A method of what the array holds."""
    return lambda self, *args, **options: getattr(self.settled(), name)(*map(settled_in, args), **settled_in(options))


def view_method(name: str) -> Callable[..., Any]:
    """A method that may give a view."""
    return lambda self, *args, **options: view_or(self, operator.methodcaller(name, *args, **options))


def view_attribute(name: str) -> property:
    """An attribute that may be a view, and may be assigned to."""
    read = operator.attrgetter(name)

    def assign(self: Any, value: Any) -> None:
        if name not in ("real", "imag"):
            raise AttributeError(f"attribute {name!r} of numpy.ndarray objects is not writable")
        setitem(view_or(self, read), ..., value)

    return property(lambda self: view_or(self, read), assign)


def array_ufunc(self: Any, ufunc: Any, name: str, *inputs: Any, **options: Any) -> Any:
    """Call a ufunc on what stored arrays hold."""
    if name == "at":
        return at(ufunc, *inputs)
    if "out" in options:
        return out(ufunc if name == "__call__" else getattr(ufunc, name), inputs, options)
    return getattr(ufunc, name)(*map(now, inputs), **settled_in(options))


def array_function(self: Any, primal: Any, types: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function on what stored arrays hold, or for views of them."""
    if primal in VIEWS and args and type(args[0]) in STORED:
        return view_or(args[0], primal, *args[1:], **options)
    if primal in writers:
        return writers[primal](*args, **options)
    if any(type(arg) in STORED for arg in args[1:]):
        args, options = with_out_by_name(primal, args, options)
    if options.get("out") is not None:
        return out(primal, args, options)
    return primal(*settled_in(args), **settled_in(options))


def with_out_by_name(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with the one that is written to as an option, where it stands among the others."""
    names = list(inspect.signature(primal).parameters)
    place = names.index("out") if "out" in names else len(args)
    if place >= len(args):
        return args, options
    return args[:place], {**dict(zip(names[place:], args[place:], strict=False)), **options}


def chainrules_call(self: Any, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a primitive; where nothing is traced, on the plain memory, into which it may write."""
    if innermost((*args, *options.values())) is not None:
        return call(primal, args, options)
    return primal(*[arg.part if type(arg) in STORED else arg for arg in args], **settled_in(options))


def as_array(self: Any, dtype: Any = None, copy: Any = None) -> Any:
    """What plain NumPy gets of a stored array that holds plain numbers: a copy that cannot be written to."""
    x = now(self)
    if issubclass(type(x), TracedArray):
        return behaviour.as_array(x)
    made = np.array(x, dtype)
    made.flags.writeable = False
    return made


def install(cls: type) -> None:
    """Install on a class of stored arrays what they answer."""
    of_value: dict[str, Any] = {
        **{f"__{name}__": unary(primal) for name, primal in behaviour.UNARY.items()},
        **{name: method(name) for name in behaviour.METHODS if name not in VIEW_METHODS},
        **{name: view_method(name) for name in VIEW_METHODS},
        **{name: view_attribute(name) for name in VIEW_ATTRIBUTES},
        **{name: augmented_assignment(name) for name in AUGMENTED},
        "copy": copied,
        "__getitem__": getitem,
        "__setitem__": setitem,
        "__array_ufunc__": array_ufunc,
        "__array_function__": array_function,
        "__chainrules_call__": chainrules_call,
        "__array__": as_array,
        "shape": property(lambda self: self.part.shape, behaviour.assignment("shape")),
        "dtype": property(lambda self: self.part.dtype, behaviour.assignment("dtype")),
    }
    for name in behaviour.BINARY | behaviour.COMPARISONS:
        own = getattr(operator, f"__{name}__", divmod)
        of_value[f"__{name}__"] = binary(own)
        if name in behaviour.BINARY:
            of_value[f"__r{name}__"] = reflected(own)
    for name, found in of_value.items():
        setattr(cls, name, found)


_cls: Any
for _cls in (StoredArray, StoredDual):
    install(_cls)
    behaviour.install_sequence(_cls)
for _cls in (TapeArray, DualArray, StoredArray, StoredDual):
    for _name, _method in METHODS.items():
        setattr(_cls, _name, _method)
for _cls in (TapeArray, DualArray):
    _cls.__setitem__ = set_value_item
for _cls in (TapeArray, DualArray, TapeNumber, DualNumber):
    for _name in AUGMENTED:
        setattr(_cls, _name, augmented_assignment(_name))
