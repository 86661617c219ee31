"""Recorded programs run by XLA: each call by its name in `jax.numpy`, the whole under `jax.jit`.

XLA knows no writes and no views. Memory that is written somewhere is kept as one array of JAX's; a
value that shares it is a slice of that array, or a gather where it is none (`jax_memory`).
Questions are answered beside the result; if an answer is another one, or the result has a NaN, the
call is left to others, as a program of NumPy's leaves it.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from types import EllipsisType
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy
import numpy as np

from chainrules_programs.compiling.executable import guard_failed, result_maker
from chainrules_programs.compiling.jax_loops import scan
from chainrules_programs.compiling.jax_memory import (
    Sums,
    are_columns,
    new_memory,
    places_in,
    refuse_operation,
    root_array,
    view_of,
)
from chainrules_programs.compiling.passes import shortened
from chainrules_programs.compiling.passes.entries import short_vectors_split
from chainrules_programs.compiling.passes.loops import rolled
from chainrules_programs.compiling.passes.memory import memory_of_value, memory_written
from chainrules_programs.recording.errors import NotRecordedError
from chainrules_programs.recording.program import (
    Call,
    Count,
    Guard,
    Program,
    Step,
    Value,
    parts_of_operand,
    values_of,
    with_parts,
)
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import is_of_python
from chainrules_py.annotations import Function, Options

SCANNED = 500  # steps of a recording whose loops XLA runs as such: fewer it compiles as quickly
STRAIGHT = 10_000  # steps outside of scans: of 40,000 XLA takes minutes and 14 GB
TOO_MANY = "XLA takes minutes and gigabytes for so many"
SUMMED = 16  # entries of rows whose sum is joined with what is added
SMALL = 3  # rows of matrices whose inverse is written out
EMBEDDED = 4096  # constants of more entries are given to XLA as arguments, not as parts of the code
_ROUNDED = {
    int: jnp.trunc,
    operator.index: jnp.trunc,
    round: jnp.round,
    math.floor: jnp.floor,
    math.ceil: jnp.ceil,
    math.trunc: jnp.trunc,
}
_STATIC = (np.shape, np.result_type, np.ndim, np.size, len)


class NoScanError(Exception):
    """XLA cannot run this loop."""

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop)
        self.loop = loop


def jax_executable(program: Program, name: str) -> Function:
    """Return the function of a program's inputs that has XLA compute its result.

    What takes and returns NumPy's arrays; all in the precision that the program has.
    """
    recorded = short_vectors_split(program)
    found = rolled(recorded) if len(program.steps) >= SCANNED else recorded
    while True:
        if len(found.steps) > STRAIGHT:
            refuse_operation(f"{len(found.steps):,} steps in which no loop is found", TOO_MANY)
        try:
            return executable_of(shortened(found), name)
        except NoScanError as error:
            found = without_loop(recorded, found, error.loop)


def without_loop(recorded: Program, found: Program, loop: Loop) -> Program:
    """Return a program with the steps of a loop one after the other; without loops in each other,
    where it is one of these.
    """
    steps: list[Any] = []
    former: list[Any] = found.steps
    for step in former:
        is_loop = isinstance(step, Loop) and step.straight is loop.straight
        steps += step.straight if is_loop else [step]
    if len(steps) == len(former) or any(isinstance(step, Loop) for step in loop.body):
        return rolled(recorded, depth=1)
    if len(loop.straight) > STRAIGHT:
        refuse_operation(f"a loop of {len(loop.straight):,} steps that is no scan", TOO_MANY)
    return replace(found, steps=steps)


def executable_of(program: Program, name: str) -> Function:
    """Have XLA compile a program; raise `NoScanError` for a loop that it cannot run."""
    translation = Translation(program)
    run = jax.jit(translation)
    with jax.enable_x64(True):
        constants = [jnp.asarray(x) for x in translation.large_constants]
    made = result_maker(program.result)  # parts of which may be constants by now
    example = tuple([value.array for value in program.inputs])  # a list is compiled anew

    def executable(*inputs):
        if jax.config.read("jax_enable_x64"):  # the context takes 5 us
            is_covered, leaves = run(inputs, constants)
        else:
            with jax.enable_x64(True):
                is_covered, leaves = run(inputs, constants)
        if is_covered is not None and not is_covered:
            raise guard_failed(name)("a question has another answer")
        return made(*map(np.asarray, leaves))  # waits for XLA, and copies

    with jax.enable_x64(True):
        run(example, constants)  # raises here what XLA cannot do
    executable.is_silent = True  # type: ignore[attr-defined]
    return executable


class Translation:
    """A program as a function of JAX's arrays: the inputs, and the large constants."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.large_constants: list[Any] = []
        self._positions: dict[int, int] = {}
        self.memories = memory_written(program.steps)
        inputs = {memory_of_value(value) for value in program.inputs}
        if not inputs.isdisjoint(self.memories):
            refuse_operation("a write into an argument")
        for step in program.steps:
            self._note_constants(step)

    def _note_constants(self, step: Step | Loop) -> None:
        operands: list[Any] = []
        if isinstance(step, Loop):
            for each in step.body:
                self._note_constants(each)
            operands = [each.first for each in step.carried]
        elif isinstance(step, Call):
            operands = [step.args, step.options]
        for x in parts_of_operand(operands):
            is_large = isinstance(x, np.ndarray) and x.size > EMBEDDED and x.dtype.kind in "fc"
            if is_large and id(x) not in self._positions:
                self._positions[id(x)] = len(self.large_constants)
                self.large_constants.append(x)

    def __call__(self, inputs, constants) -> tuple[Any, list[Any]]:
        """Run the program, and say whether it covers the call; None if nothing was asked."""
        pairs = zip(self.program.inputs, inputs, strict=True)
        known = {value: jnp.asarray(x) for value, x in pairs}
        return TranslatedRun(self, constants, known).outcome()

    def constant(self, x, given) -> Any:
        """A constant of the program, as JAX has it."""
        if not isinstance(x, np.ndarray):
            return x
        if x.size > 1 and not any(x.strides):
            return jnp.full(x.shape, x.flat[0], x.dtype)
        place = self._positions.get(id(x))
        return x if place is None else given[place]


class TranslatedRun:
    """One run of a translation, on the values that JAX traces."""

    def __init__(self, translation: Translation, constants, known: dict[Value, Any]) -> None:
        self.translation, self.constants, self.known = translation, constants, known
        self.memories = translation.memories  # into which the program writes anywhere
        self.kept: dict[Value, tuple[jax.Array, int]] = {}  # what loops made: an entry of an array
        self.memory: dict[int, Any] = {}  # the flat arrays of memories that are written
        self.waiting: dict[int, Sums] = {}  # what is to be added to them, before they are read
        self.answers: list[Any] = []
        self.names: dict[Value, Any] = {}  # what changes with the repetitions of a loop
        self.numbers: dict[str, Any] = {}  # of the repetitions, by the names of their counters
        self.outer: TranslatedRun | None = None  # that around the loop

    def within(
        self, names: dict[Value, Any], memory: dict[int, Any], numbers: dict[str, Any]
    ) -> "TranslatedRun":
        """Return the run of one repetition of a loop."""
        inner = TranslatedRun(self.translation, self.constants, {})
        inner.names, inner.memory, inner.outer = names, memory, self
        inner.numbers = self.numbers | numbers
        return inner

    def outcome(self) -> tuple[Any, list[Any]]:
        """Run all steps; NaN are looked for in what comes of it."""
        program = self.translation.program
        self.do(program.steps)
        found = [self.array(x) for x in values_of(program.result)]
        is_covered = reduce(jnp.logical_and, self.answers) if self.answers else None
        return is_covered, found

    def do(self, steps: Sequence[Any]) -> None:
        """Compute some steps of the program, one after the other."""
        for step in steps:
            if isinstance(step, Call):
                self.call(step)
            elif isinstance(step, Loop):
                self.loop(step)
            elif isinstance(step, Guard):
                self.ask(step)
        self.add_waiting()

    def add_waiting(self) -> None:
        """Add to each memory what waits for that."""
        for key in list(self.waiting):
            self.now_in(key)

    def now_in(self, key: int) -> Any:
        """Return the array of a memory, after adding what waits for it."""
        sums = self.waiting.pop(key, None)
        if sums is not None:
            self.memory[key] = sums.added(self.memory[key])
        return self.memory[key]

    def loop(self, loop: Loop) -> None:
        """Do a loop by XLA's."""
        self.add_waiting()
        try:
            scan(self, loop)
        # sizes, axes and slices that count are JAX's TypeError or IndexError
        except (NotRecordedError, TypeError, IndexError, KeyError, ValueError) as error:
            raise NoScanError(loop) from error

    def array(self, value: Value) -> jax.Array:
        """The array of a value, in the precision that NumPy gave it."""
        return jnp.asarray(self.now(value), np.result_type(value.array))

    def now(self, operand) -> Any:
        """An operand with the values that this run has."""
        return with_parts(operand, self._part)

    def _part(self, x) -> Any:
        if isinstance(x, Value):
            return self.read(x)
        if isinstance(x, Count):
            return x.first + x.step * self.numbers[x.counter]
        return self.translation.constant(x, self.constants)

    def read(self, value: Value) -> Any:
        """The value of this run; of memory that is written, what stands there now."""
        if value in self.names:
            return self.names[value]
        key = memory_of_value(value)
        if key in self.memory:
            return view_of(value.array).read(self.now_in(key))
        if value in self.kept:
            stack, place = self.kept[value]
            return stack[place]
        if value in self.known or self.outer is None:
            return self.known[value]
        return self.outer.read(value)

    def store(self, array, found) -> None:
        """Write what stands in the memory of a recording's array, of its shape."""
        key = id(root_array(array))
        if key not in self.memory:
            refuse_operation("a write into memory that nobody made here")
        found = jnp.broadcast_to(jnp.asarray(found).astype(array.dtype), array.shape)
        self.memory[key] = view_of(array).written(self.now_in(key), found)

    def put(self, value: Value, found) -> None:
        """Note what a call returned, in the precision that NumPy gave it."""
        dtype = np.result_type(value.array)
        if isinstance(found, jax.Array) and found.dtype != dtype:
            found = found.astype(dtype)
        key = memory_of_value(value)
        if key in self.memory:
            return  # a view of it
        if key not in self.memories:
            self.known[value] = found
            return
        if value.array is not root_array(value.array):
            refuse_operation("a view of memory that nobody made here")
        self.memory[key] = new_memory(value.array, found)

    def put_all(self, results, found) -> None:
        """Note the results of a call, which may be nested."""
        if isinstance(results, Value):
            self.put(results, found)
        elif isinstance(results, tuple | list):
            for value, part in zip(results, found, strict=True):
                self.put_all(value, part)

    def call(self, call: Call) -> None:
        """Do one call, by JAX's function."""
        if call.primal is np.ndarray:
            self.view(call.results)
            return
        if call.into is not None:
            self.call_into(call, call.into)
            return
        if isinstance(call.results, Value) and memory_of_value(call.results) in self.memory:
            return  # a view is read where it is needed
        args, options = self.now(call.args), options_of(call, self.now(call.options))
        self._ask_bounds(call, args)
        found = sum_as_product(call, args)
        if found is None:
            found = translated_call(call, args, options)
        if "linalg" in str(getattr(call.primal, "__module__", "")):
            self._ask_finite(found)
        if is_of_python(call):
            self._ask_python(call, args, found)
        self.put_all(call.results, found)

    def call_into(self, call: Call, into: Value) -> None:
        """Do a call that writes its result into an array, or writes or adds at positions of one."""
        if call.primal is operator.setitem:
            self.write(*call.args)
            return
        if isinstance(call.primal, np.ufunc) and call.results is not None:
            options = {key: part for key, part in call.options.items() if key != "out"}
            key = memory_of_value(into)
            if (
                call.primal is np.add
                and call.args[0] is into
                and not options
                and key in self.memory
            ):
                view, memory = view_of(into.array), self.now_in(key)
                if are_columns(view, memory):
                    entries = jnp.asarray(self.now(call.args[1])).astype(into.array.dtype)
                    self.memory[key] = view.added(memory, entries)
                    return
            self.store(into.array, translated_call(call, self.now(call.args), self.now(options)))
            return
        if call.primal != np.add.at:
            refuse_operation(f"{call.primal!r} into an array")
        self.add_at(*call.args)

    def add_at(self, target: Value, index, entries) -> None:
        """Add entries at positions of an array; at known ones, when the array is read next."""
        where, key = index_of(self.now(index)), memory_of_value(target)
        found = jnp.asarray(self.now(entries), target.array.dtype)
        places = places_in(target.array, where)
        if places is not None and key in self.memory:
            self.waiting.setdefault(key, Sums()).add(places, found)
            return
        self._ask_index(target.array.shape, where)
        self.store(target.array, self.read(target).at[where].add(found))

    def view(self, value: Value) -> None:
        """Note a view of the memory of another value; of one that is written, it is read later."""
        whole = root_array(value.array)
        if id(whole) in self.memory:
            return
        owners = [known for known in self.known if known.array is whole]
        if not owners or not whole.flags.c_contiguous:
            refuse_operation("a view of memory that nobody made here")
        self.known[value] = view_of(value.array).read(self.known[owners[0]])

    def write(self, target: Value, index, entries) -> None:
        """Write entries into a value, and so into all that share its memory."""
        found = self.now(entries)
        if is_slicing(index):
            parts = as_tuple(index)
            part = target.array[parts if Ellipsis in parts else (*parts, ...)]
            found = jnp.asarray(found)  # may have more axes than the part, all of length 1
            extra = max(0, found.ndim - part.ndim)
            self.store(part, found.reshape(found.shape[extra:]))
            return
        where, whole = index_of(self.now(index)), self.read(target)
        is_mask = isinstance(where, jax.Array) and where.dtype == bool
        if is_mask and np.size(found) == 1:
            mask = where.reshape(where.shape + (1,) * (whole.ndim - where.ndim))
            self.store(target.array, jnp.where(mask, jnp.reshape(found, ()), whole))
            return
        self._ask_index(target.array.shape, where)
        self.store(target.array, whole.at[where].set(jnp.asarray(found).astype(whole.dtype)))

    def _ask_bounds(self, call: Call, args) -> None:
        """Note whether positions are inside of an array, where NumPy would raise."""
        if call.primal is operator.getitem and values_of(call.args[1]):
            self._ask_index(np.shape(args[0]), args[1])

    def _ask_index(self, shape: tuple[int, ...], where) -> None:
        parts = where if isinstance(where, tuple) else (where,)
        axis = 0
        for k, part in enumerate(parts):
            if part is None:
                continue
            if part is Ellipsis:
                axis = len(shape) - sum(p is not None for p in parts[k + 1 :])
                continue
            if isinstance(part, jax.Array):
                if part.dtype == bool:
                    refuse_operation("a mask that depends on numbers")
                inside = (part >= -shape[axis]) & (part < shape[axis])
                self.answers.append(jnp.all(inside))
            axis += 1

    def _ask_finite(self, found) -> None:
        """Note whether a decomposition went well, where NumPy would raise."""
        for part in found if isinstance(found, tuple) else (found,):
            if jnp.issubdtype(part.dtype, jnp.inexact):
                self.answers.append(jnp.all(jnp.isfinite(part)))

    def _ask_python(self, call: Call, args, found) -> None:
        """Note whether an operator of Python's numbers goes on, where Python might raise.

        Python divides by no zero, and powers are finite unless an operand is not.
        """
        if call.primal in _DIVIDING:
            self.answers.append(jnp.asarray(args[1]) != 0)
        elif call.primal is operator.pow:
            self.answers.append(jnp.isfinite(found))
        elif call.primal is round:
            refuse_operation("round(x, n), which rounds by decimal digits in Python")

    def ask(self, guard: Guard) -> None:
        """Note whether a question has the answer that it had."""
        if guard.question in _STATIC:
            if guard.question(self.now(guard.operand)) != guard.answer:
                refuse_operation("a shape that depends on numbers")
            return
        x = self.now(guard.operand)
        if guard.question is bool:
            self.answers.append((jnp.asarray(x) != 0) == guard.answer)
        elif guard.question in _ROUNDED:
            self.answers.append(_ROUNDED[guard.question](jnp.asarray(x)) == guard.answer)
        else:
            refuse_operation(f"the question {guard.question!r}")


_DIVIDING = {operator.truediv, operator.floordiv, operator.mod, divmod}


def options_of(call: Call, options: Options) -> dict[str, Any]:
    """The options of a call without those that say where NumPy puts its result in memory."""
    is_reordered = getattr(call.primal, "__name__", "") in ("ravel", "reshape", "flatten")
    if is_reordered and options.get("order", "C") in ("K", "A"):
        arrays = [x for x in call.args if isinstance(x, Value)]
        if not all(x.array.flags.c_contiguous for x in arrays):
            refuse_operation("an order of entries that depends on memory")
        options = {**options, "order": "C"}
    if not is_reordered:
        options = {key: part for key, part in options.items() if key != "order"}
    return {key: part for key, part in options.items() if key != "subok"}


def translated_call(call: Call, args, options: Options) -> Any:
    """Call JAX's function of the same name."""
    primal = call.primal
    if primal is operator.getitem:
        x, index = args
        return jnp.asarray(x)[index_of(index)]
    if type(primal).__name__ == "method_descriptor":
        x, *others = args
        return getattr(jnp.asarray(x), primal.__name__)(*others, **options)
    if primal is np.linalg.inv and 1 < args[0].shape[-1] <= SMALL:
        return small_inverse(jnp.asarray(args[0]))
    if primal is np.matmul and not options and has_short_sums(*args):
        return product_by_short_sums(*map(jnp.asarray, args))
    function = jax_function(primal)
    return function(*args, **options)


def has_short_sums(x1, x2) -> bool:
    """Whether each entry of a product of matrices is a sum of a few products."""
    return np.ndim(x1) > 1 and np.ndim(x2) > 1 and 0 < np.shape(x1)[-1] <= SMALL


def product_by_short_sums(x1: jax.Array, x2: jax.Array) -> jax.Array:
    """The product of matrices, each entry of which is a sum of a few products, one by one.

    XLA joins these with what is around, where it writes the result of its own product into memory.
    """
    products = [x1[..., :, k, None] * x2[..., None, k, :] for k in range(x1.shape[-1])]
    return reduce(operator.add, products)


def small_inverse(x: jax.Array) -> jax.Array:
    """The inverses of matrices of two or three rows by cofactors, as JAX has their determinants.

    XLA joins these with what is around; its own inverse factorises matrix by matrix.
    """
    if x.shape[-1] == 2:
        (a, b), (c, d) = jnp.moveaxis(x, (-2, -1), (0, 1))
        columns, determinant = [jnp.stack([d, -c], -1), jnp.stack([-b, a], -1)], a * d - b * c
    else:
        a, b, c = jnp.moveaxis(x, -2, 0)
        columns = [jnp.cross(b, c), jnp.cross(c, a), jnp.cross(a, b)]
        determinant = jnp.sum(a * columns[0], -1)
    return jnp.stack(columns, -1) / determinant[..., None, None]


def sum_as_product(call: Call, args) -> Any:
    """The sum that a product with a vector of ones is, which XLA joins with what is summed."""
    if call.primal not in (np.dot, np.matmul) or len(args) != 2 or call.options:
        return None
    first, second = call.args
    if is_vector_of_ones(second) and np.ndim(args[0]):
        return sum_along(args[0], -1)
    if is_vector_of_ones(first) and np.ndim(args[1]):
        return sum_along(args[1], max(-2, -np.ndim(args[1])))
    return None


def sum_along(x, axis: int) -> jax.Array:
    """The sum along an axis; of short rows by a sum that XLA joins with what is added.

    XLA knows its own sum, and gives it to a library, before which what is added is written down.
    """
    if np.shape(x)[axis] > SUMMED:
        return jnp.sum(x, axis=axis)
    x = jnp.asarray(x)
    return jax.lax.reduce(x, np.zeros((), x.dtype), unknown_sum, (axis % x.ndim,))


def unknown_sum(x: jax.Array, y: jax.Array) -> jax.Array:
    """The sum of two numbers, in words that XLA does not take for a sum."""
    return jax.lax.max(x + y, x + y)


def is_vector_of_ones(x) -> bool:
    """Whether an operand is a constant vector of ones."""
    return (
        isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind == "f" and bool((x == 1).all())
    )


def jax_function(primal) -> Any:
    """JAX's function that is called as NumPy's or SciPy's is, or Python's own operator."""
    if primal in (float, complex):  # the result of the program is Python's again
        return lambda x: x if jnp.result_type(x) == primal else jnp.asarray(x, primal)
    if getattr(primal, "__module__", None) in ("_operator", "builtins"):
        return primal
    owner = getattr(primal, "__self__", None)
    if isinstance(owner, np.ufunc):
        return getattr(jax_function(owner), primal.__name__)
    name = getattr(primal, "__name__", "")
    module = str(getattr(primal, "__module__", None) or "numpy")
    home: Any = jax if module.startswith("scipy.") else jnp
    if module.startswith("numpy.") and module.split(".")[1] in ("linalg", "fft"):
        home = getattr(jnp, module.split(".")[1])
    elif module.startswith("scipy."):
        home = getattr(jax.scipy, module.split(".")[1], None)
    elif isinstance(primal, np.ufunc) and not hasattr(np, name):
        home = jax.scipy.special
    found = getattr(home, _OTHER_NAMES.get(name, name), None)
    if found is None:
        refuse_operation(f"{module}.{name}, which jax has not")
    return found


_OTHER_NAMES = {"ascontiguousarray": "asarray", "asanyarray": "asarray"}


def index_of(index) -> Any:
    """An index as JAX takes it: no lists."""
    if isinstance(index, list):
        return np.asarray(index)
    if isinstance(index, tuple):
        return tuple([index_of(part) for part in index])
    return index


def is_slicing(index) -> bool:
    """Whether an index consists of numbers, slices and the like, so that it takes a view."""
    plain = int | np.integer | slice | EllipsisType | None
    return all(isinstance(x, plain) and not isinstance(x, bool) for x in as_tuple(index)) and not (
        values_of(index)
    )


def as_tuple(index) -> tuple[Any, ...]:
    """An index as a tuple of one for each axis."""
    return index if isinstance(index, tuple) else (index,)
