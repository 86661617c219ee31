"""Recorded programs run by XLA: each call by its name in `jax.numpy`, the whole under `jax.jit`.

XLA knows no writes and no views. Values that share memory which is written somewhere are kept as
one flat array per memory: a value is read by the positions that it has there, and written at them.
Questions are answered beside the result; if an answer is another one, or the result has a NaN, the
call is left to others, as a program of NumPy's leaves it.
"""

import operator
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import jax.scipy
import numpy as np

from chainrules_recorder.errors import GuardFailedError, NotRecordedError
from chainrules_recorder.program import Call, Guard, Program, Step, Value, Write, with_values
from chainrules_tape.compiling.passes.common import common
from chainrules_tape.compiling.passes.folded import folded
from chainrules_tape.compiling.passes.unused import unused

EMBEDDED = 64  # constants of more entries are given to XLA as arguments, not as parts of the code
COVERED, OTHER, INVALID = range(3)  # what comes of a run
_ROUNDED = {int: jnp.trunc, operator.index: jnp.trunc, round: jnp.round}
_STATIC = (np.shape, np.result_type, np.ndim, np.size, len)


def jax_executable(program: Program, name: str) -> Callable[..., Any]:
    """Return the function of a program's inputs that has XLA compute its result.

    What takes and returns NumPy's arrays; all in the precision that the program has.
    """
    for each in (unused, folded, common, unused):
        program = each(program)
    translation = Translation(program)
    run = jax.jit(translation)
    with jax.enable_x64(True):
        constants = [jnp.asarray(x) for x in translation.large_constants]
    parts, rebuilt = flatten_result(program.result)
    made = [maker_of(part) for part in parts]

    def executable(*inputs: Any) -> Any:
        if jax.config.read("jax_enable_x64"):  # the context takes 5 us
            outcome, leaves = run(inputs, constants)
        else:
            with jax.enable_x64(True):
                outcome, leaves = run(inputs, constants)
        code = int(outcome)
        if code == OTHER:
            got, instead = "a question has another answer", "record the program again"
            raise GuardFailedError(name, got, instead, guard=None)
        if code == INVALID:
            raise FloatingPointError(f"{name}: a result has a NaN")
        remaining = iter(leaves)
        return rebuilt([make(remaining) for make in made])

    example = [value.array for value in program.inputs]
    with jax.enable_x64(True):
        run(example, constants)  # raises here what XLA cannot do
    return executable


def flatten_result(result: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The Values and constants of a result, and what makes a result of others."""
    leaves: list[Any] = []

    def kept(value: Any) -> int:
        leaves.append(value)
        return len(leaves) - 1

    places = with_leaves(result, kept)

    def rebuilt(others: list[Any]) -> Any:
        return with_leaves(places, lambda place: others[place])

    return leaves, rebuilt


def with_leaves(x: Any, replaced: Callable[[Any], Any]) -> Any:
    """A result with others in the place of its leaves."""
    if isinstance(x, tuple):
        parts = [with_leaves(part, replaced) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, list):
        return [with_leaves(part, replaced) for part in x]
    if isinstance(x, dict):
        return {key: with_leaves(part, replaced) for key, part in x.items()}
    return replaced(x)


def maker_of(leaf: Any) -> Callable[[Iterator[Any]], Any]:
    """Return a function that makes one leaf of a result, as NumPy has it, of JAX's next array."""
    if not isinstance(leaf, Value):
        return lambda _: leaf.copy() if isinstance(leaf, np.ndarray) else leaf
    cls = type(leaf.array)
    if cls is np.ndarray:
        return lambda arrays: np.array(next(arrays))  # a copy: JAX's memory cannot be written
    if issubclass(cls, np.generic):
        return lambda arrays: np.asarray(next(arrays))[()]
    return lambda arrays: cls(next(arrays))


class Translation:
    """A program as a function of JAX's arrays: the inputs, and the large constants."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.large_constants: list[Any] = []
        self._positions: dict[int, int] = {}
        self.memories = written_memories(program)
        inputs = {id(root(value.array)) for value in program.inputs}
        if not inputs.isdisjoint(self.memories):
            refuse_operation("a write into an argument")
        for step in program.steps:
            self._note_constants(step)

    def _note_constants(self, step: Step) -> None:
        operands = (step.args, step.options) if isinstance(step, Call) else ()
        if isinstance(step, Write):
            operands = (step.index, step.entries)
        for x in constants_in(operands):
            is_large = x.size > EMBEDDED and x.dtype.kind in "fc"
            if is_large and id(x) not in self._positions:
                self._positions[id(x)] = len(self.large_constants)
                self.large_constants.append(x)

    def __call__(self, inputs: Any, constants: Any) -> tuple[Any, list[Any]]:
        """Run the program, and say whether it covers the call."""
        return TranslatedRun(self, inputs, constants).outcome()

    def constant(self, x: Any, given: Any) -> Any:
        """A constant of the program, as JAX has it."""
        if isinstance(x, np.ndarray):
            place = self._positions.get(id(x))
            return x if place is None else given[place]
        return x


class TranslatedRun:
    """One run of a translation, on the values that JAX traces."""

    def __init__(self, translation: Translation, inputs: Any, constants: Any) -> None:
        self.translation, self.constants = translation, constants
        self.program = translation.program
        self.known: dict[Value, Any] = {}
        self.memory: dict[int, Any] = {}  # the flat arrays of memories that are written
        self.answers: list[Any] = []
        for value, x in zip(self.program.inputs, inputs, strict=True):
            self.known[value] = jnp.asarray(x)

    def outcome(self) -> tuple[Any, list[Any]]:
        """Run all steps."""
        for step in self.program.steps:
            if isinstance(step, Call):
                self.call(step)
            elif isinstance(step, Write):
                self.write(step.target, step.index, step.entries)
            else:
                self.ask(step)
        values = [x for x in flatten_result(self.program.result)[0] if isinstance(x, Value)]
        found = [jnp.asarray(self.now(value)) for value in values]
        floats = [x for x in found if jnp.issubdtype(x.dtype, jnp.inexact)]
        valid = [~jnp.any(jnp.isnan(x)) for x in floats]
        are_answers_alike = reduce(jnp.logical_and, self.answers, jnp.array(True))
        is_valid = reduce(jnp.logical_and, valid, jnp.array(True))
        return jnp.where(are_answers_alike, jnp.where(is_valid, COVERED, INVALID), OTHER), found

    def now(self, operand: Any) -> Any:
        """An operand with the values that this run has."""
        return with_constants(with_values(operand, self.read), self._constant)

    def _constant(self, x: Any) -> Any:
        return self.translation.constant(x, self.constants)

    def read(self, value: Value) -> Any:
        """The value of this run; of memory that is written, what stands there now."""
        key = id(root(value.array))
        if key not in self.memory:
            return self.known[value]
        return self.memory[key][positions(value.array)]

    def put(self, value: Value, found: Any) -> None:
        """Note what a call returned, in the precision that NumPy gave it."""
        dtype = np.result_type(value.array)
        if isinstance(found, jax.Array) and found.dtype != dtype:
            found = found.astype(dtype)
        key = id(root(value.array))
        if key in self.translation.memories and key not in self.memory:
            if value.array is not root(value.array):
                refuse_operation("a view of memory that nobody made here")
            flat = jnp.zeros(flat_size(value.array), dtype)
            self.memory[key] = flat.at[positions(value.array)].set(found)
        if key not in self.memory:
            self.known[value] = found

    def put_all(self, results: Any, found: Any) -> None:
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
        if call.into is None:
            args, options = self.now(call.args), options_of(call, self.now(call.options))
            self._ask_bounds(call, args)
            found = translated_call(call, args, options)
            if "linalg" in str(getattr(call.primal, "__module__", "")):
                self._ask_finite(found)
            self.put_all(call.results, found)
            return
        if isinstance(call.primal, np.ufunc) and call.results is not None:
            plain = {key: part for key, part in call.options.items() if key != "out"}
            self.write(call.into, ..., translated_call(call, self.now(call.args), self.now(plain)))
            return
        if (
            getattr(call.primal, "__name__", "") != "at"
            or getattr(call.primal, "__self__", None) is not np.add
        ):
            refuse_operation(f"{call.primal!r} into an array")
        target, index, entries = call.args
        key, places = id(root(target.array)), self._places(target, index)
        self.memory[key] = self.memory[key].at[places].add(self.now(entries))

    def view(self, value: Value) -> None:
        """Note a view of the memory of another value; of one that is written, it is read later."""
        whole = root(value.array)
        if id(whole) in self.memory:
            return
        owners = [known for known in self.known if known.array is whole]
        if not owners or not whole.flags.c_contiguous:
            refuse_operation("a view of memory that nobody made here")
        self.known[value] = self.known[owners[0]].ravel()[positions(value.array)]

    def write(self, target: Value, index: Any, entries: Any) -> None:
        """Write entries into a value, and so into all that share its memory."""
        key, places = id(root(target.array)), self._places(target, index)
        flat = self.memory[key]
        found = jnp.asarray(self.now(entries)).astype(flat.dtype)
        self.memory[key] = flat.at[places].set(found)

    def _places(self, target: Value, index: Any) -> Any:
        """Where the entries of a value at an index stand in its memory."""
        where, places = index_of(self.now(index)), positions(target.array)
        if not has_traced(where):
            return places[where]
        self._ask_index(places.shape, where)
        return jnp.asarray(places)[where]

    def _ask_bounds(self, call: Call, args: Any) -> None:
        """Note whether positions are inside of an array, where NumPy would raise."""
        if call.primal is operator.getitem and has_traced(args[1]):
            self._ask_index(np.shape(args[0]), args[1])

    def _ask_index(self, shape: tuple[int, ...], where: Any) -> None:
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

    def _ask_finite(self, found: Any) -> None:
        """Note whether a decomposition went well, where NumPy would raise."""
        for part in found if isinstance(found, tuple) else (found,):
            if jnp.issubdtype(part.dtype, jnp.inexact):
                self.answers.append(jnp.all(jnp.isfinite(part)))

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


def options_of(call: Call, options: dict[str, Any]) -> dict[str, Any]:
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


def translated_call(call: Call, args: Any, options: dict[str, Any]) -> Any:
    """Call JAX's function of the same name."""
    primal = call.primal
    if primal is operator.getitem:
        x, index = args
        return jnp.asarray(x)[index_of(index)]
    if type(primal).__name__ == "method_descriptor":
        x, *others = args
        return getattr(jnp.asarray(x), primal.__name__)(*others, **options)
    function = jax_function(primal)
    return function(*args, **options)


def jax_function(primal: Any) -> Any:
    """JAX's function that is called as NumPy's or SciPy's is, or Python's own operator."""
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


def refuse_operation(operation: str) -> NoReturn:
    """Raise, because XLA cannot do an operation."""
    raise NotRecordedError(
        f"compiling {operation}",
        "XLA has no such operation",
        'compile to="numpy"',
        operation=operation,
    )


def index_of(index: Any) -> Any:
    """An index as JAX takes it: no lists."""
    if isinstance(index, list):
        return np.asarray(index)
    if isinstance(index, tuple):
        return tuple([index_of(part) for part in index])
    return index


def has_traced(x: Any) -> bool:
    """Whether an index has arrays of JAX's."""
    if isinstance(x, tuple):
        return any(map(has_traced, x))
    return isinstance(x, jax.Array)


def constants_in(operand: Any) -> list[Any]:
    """The arrays of NumPy's among an operand's parts."""
    if isinstance(operand, np.ndarray):
        return [operand]
    if isinstance(operand, dict):
        operand = list(operand.values())
    if isinstance(operand, tuple | list):
        return [x for part in operand for x in constants_in(part)]
    return []


def with_constants(operand: Any, replaced: Callable[[Any], Any]) -> Any:
    """An operand with others in the place of its arrays of NumPy's."""
    if isinstance(operand, np.ndarray):
        return replaced(operand)
    if isinstance(operand, tuple) and not hasattr(operand, "_fields"):
        return tuple([with_constants(part, replaced) for part in operand])
    if isinstance(operand, list):
        return [with_constants(part, replaced) for part in operand]
    if isinstance(operand, dict):
        return {key: with_constants(part, replaced) for key, part in operand.items()}
    return operand


def written_memories(program: Program) -> set[int]:
    """The identities of the arrays whose memory is written."""
    found = set()
    for step in program.steps:
        target = step.target if isinstance(step, Write) else None
        if isinstance(step, Call):
            target = step.into
        if target is not None:
            found.add(id(root(target.array)))
    return found


def root(x: Any) -> Any:
    """The array whose memory an array has."""
    while isinstance(getattr(x, "base", None), np.ndarray):
        x = x.base
    return x


def flat_size(x: Any) -> int:
    """How many entries the memory of an array has."""
    return max(1, int(root(x).size))


def positions(x: Any) -> Any:
    """Where each entry of an array stands in the memory that it shares."""
    whole = root(x)
    if x.dtype != whole.dtype:
        refuse_operation("a view of another type")
    offset = x.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    strides = [step // x.itemsize for step in x.strides]
    found = np.full(x.shape, offset // x.itemsize)
    for axis, (step, count) in enumerate(zip(strides, x.shape, strict=True)):
        shape = [-1 if k == axis else 1 for k in range(x.ndim)]
        found = found + (step * np.arange(count)).reshape(shape)
    return found
