"""Recorded programs as C, by the C compiler of the machine: for loops of small arrays.

A program runs once on arrays of objects, each of which is a number of the C program (`Entry`):
whatever is done with one is written down as a line of C, and NumPy itself does what only moves
entries, views and writes included. So arrays are numbers there, and only loops have memory.
What has no line raises `NotRecordedError`, and stays NumPy's.
"""

import ctypes
import math
import operator
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from chainrules_programs.compiling.executable import guard_failed, result_maker
from chainrules_programs.compiling.passes import shortened
from chainrules_programs.compiling.passes.loops import rolled, within_loops
from chainrules_programs.compiling.passes.memory import memory_of_value, memory_written, targets
from chainrules_programs.compiling.passes.sums import sums_into_views
from chainrules_programs.recording.errors import refuse_recording
from chainrules_programs.recording.notation import INFIX
from chainrules_programs.recording.program import (
    Call,
    Count,
    Guard,
    Program,
    Value,
    parts_of_operand,
    values_of,
    with_parts,
)
from chainrules_programs.recording.repetitions import Kept, Loop
from chainrules_py.makers.writing import Source
from chainrules_py.values.identity import qualified_name
from chainrules_tape.refusals.errors import InputError

MOST = 20_000  # lines of a program: a compiler takes seconds for more
OPTIONS = ("-O1", "-shared", "-fPIC", "-ffp-contract=off", "-x", "c", "-", "-lm")

# C's expression for functions of one number, and of two
_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "absolute": "fabs"}
_OF_ONE = (
    *("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "cosh", "expm1", "log1p"),
    *("log2", "log10", "exp2", "cbrt", "floor", "ceil", "isnan", "isfinite", "isinf"),
)
_UNARY: dict[Any, str] = {
    getattr(np, name): f"{_NAMES.get(name, name)}({{0}})" for name in (*_OF_ONE, *_NAMES)
}
_UNARY |= dict.fromkeys((np.negative, operator.neg), "-{0}")
_UNARY |= dict.fromkeys((np.positive, np.conjugate, float, np.float64), "{0}")
_UNARY |= {getattr(math, name): f"{name}({{0}})" for name in _OF_ONE if hasattr(math, name)}
# of answers: no others have types of integers here
_UNARY |= dict.fromkeys((np.logical_not, np.invert), "{0} == 0")
_UNARY |= {
    np.square: "{0} * {0}",
    np.reciprocal: "1 / {0}",
    np.sign: "{0} != {0} ? {0} : ({0} > 0) - ({0} < 0)",
}
# that mean in C what they mean here
_SIGNS = frozenset(("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="))
_BINARY: dict[Any, str] = {
    **{each: f"{{0}} {sign} {{1}}" for each, sign in INFIX.items() if sign in _SIGNS},
    **dict.fromkeys((np.power, operator.pow), "pow({0}, {1})"),
    np.arctan2: "atan2({0}, {1})",
    np.hypot: "hypot({0}, {1})",
    math.atan2: "atan2({0}, {1})",
    math.hypot: "hypot({0}, {1})",
    np.copysign: "copysign({0}, {1})",
    **dict.fromkeys((np.logical_and, np.bitwise_and), "{0} != 0 && {1} != 0"),
    **dict.fromkeys((np.logical_or, np.bitwise_or), "{0} != 0 || {1} != 0"),
    np.maximum: "{0} > {1} || {0} != {0} ? {0} : {1}",
    np.minimum: "{0} < {1} || {0} != {0} ? {0} : {1}",
}
_FORMS: dict[Any, str] = {**_UNARY, **_BINARY, np.where: "{0} != 0 ? {1} : {2}"}
# what only moves numbers, adds and multiplies: NumPy does the same with objects
_MOVED = (
    *("reshape", "ravel", "transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze", "copy"),
    *("broadcast_to", "concatenate", "stack", "hstack", "vstack", "array", "asarray", "flip"),
    *("roll", "rot90", "repeat", "tile", "take", "diagonal", "diag", "trace", "tril", "triu"),
    *("outer", "kron", "dot", "inner", "matmul", "tensordot", "vecdot", "sum", "prod", "mean"),
    *("cumsum", "cumprod", "diff", "append", "zeros", "ones", "full", "zeros_like", "ones_like"),
    *("full_like", "permute_dims", "matrix_transpose", "atleast_1d", "atleast_2d"),
)
BY_NUMPY = {getattr(np, name) for name in _MOVED}
_MADE: dict[Any, Any] = {np.empty: np.zeros, np.empty_like: np.zeros_like}
BY_NUMPY |= {np.add.reduce, np.multiply.reduce, np.add.at, operator.getitem, operator.setitem}


class Entry:
    """A number of the C program: a variable, a place in memory, or a constant."""

    __slots__ = ("code", "text")
    __hash__: Any = None

    def __init__(self, code: "Code", text: str) -> None:
        self.code, self.text = code, text

    def __add__(self, other) -> "Entry":
        return self.code.computed("{0} + {1}", self, other)

    def __mul__(self, other) -> "Entry":
        return self.code.computed("{0} * {1}", self, other)

    def __truediv__(self, other) -> "Entry":
        return self.code.computed("{0} / {1}", self, other)

    def __getitem__(self, index) -> Any:
        return boxed(self)[index]

    def __bool__(self) -> bool:
        return bool(refuse("a question about numbers"))

    def __eq__(self, other: object) -> Any:
        return refuse("a comparison")

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = __eq__


def emptied(shape: tuple[int, ...]) -> Any:
    """Return an array of objects that is to be filled."""
    return np.empty(shape, object)


def boxed(x: Entry) -> Any:
    """Return the array without axes that holds a number."""
    found = emptied(())
    found[()] = x
    return found


def refuse(what: str) -> Any:
    """Raise: this is not written in C."""
    return refuse_recording('compiled(to="c")', what, 'write to="numpy", or to="jax"')


class Code(Source):
    """The lines of a C function, and its memory: numbers that loops keep, from `work` on."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[str] = []
        self.count = self.work = 0

    def write(self, text: str, /, **names) -> None:
        """Add a line."""
        if len(self.lines) > MOST:
            refuse(f"a program of more than {MOST} operations on numbers")
        super().write(text, **names)

    def name(self, letter: str) -> str:
        """A name that is new."""
        self.count += 1
        return f"{letter}{self.count}"

    def computed(self, form: str, *operands) -> Entry:
        """Compute a number: a new variable."""
        texts = [self.entry(x).text for x in operands]
        return self.variable(form.format(*texts))

    def variable(self, text: str) -> Entry:
        """Return a new variable that has a value."""
        found = Entry(self, self.name("v"))
        self.write(f"double {found.text} = {text};")
        return found

    def entry(self, x) -> Entry:
        """Return a number of Python's or NumPy's as a constant; another one as it is."""
        if type(x) is Entry:
            return x
        if np.result_type(x).kind not in "fbi":
            refuse(f"a constant of type {np.result_type(x)}")
        number = float(x)
        if np.isnan(number):
            return Entry(self, "NAN")
        text = abs(number).hex() if np.isfinite(number) else "INFINITY"
        return Entry(self, f"(-{text})" if np.signbit(number) else text)

    def entries(self, x) -> Any:
        """Return an array of numbers of the program."""
        found = emptied(np.shape(x))
        found.flat = [self.entry(each) for each in np.asarray(x).flat]
        return found

    def memory(self, size: int) -> str:
        """Return a name for so many numbers that a loop keeps."""
        name = self.name("m")
        self.lines.insert(0, f"double *{name} = work + {self.work};")
        self.work += size
        return name

    def table(self, rows: list[Any]) -> str:
        """Return the name of constants, one row after the other."""
        name = self.name("c")
        texts = [self.entry(x).text for row in rows for x in np.asarray(row).flat]
        self.tables.append(f"static const double {name}[] = {{{', '.join(texts)}}};")
        return name

    def text(self) -> str:
        """The source: a function of all memory, which returns whether the call is covered."""
        head = "#include <math.h>\n#include <string.h>\n" + "\n".join(self.tables)
        body = "\n".join(self.lines)
        return f"{head}\nint program(double *given, double *made, double *work) {{\n{body}\n    return 1;\n}}\n"


class Translation:
    """A program that is written as C; `known` has the entries of its values."""

    def __init__(self, program: Program) -> None:
        self.code = Code()
        self.known: dict[Value, Any] = {}
        self.number = "", 0  # of the repetition, and how many there are
        self.rows: dict[
            Value, tuple[str, int]
        ] = {}  # of what stands in memory: its name, and where
        size = 0
        self.steps: list[Any] = program.steps
        if not memory_written(program.steps).isdisjoint(map(memory_of_value, program.inputs)):
            refuse("a write into an argument")
        for value in program.inputs:
            require_double_precision(value)
            count = np.size(value.array)
            self.rows[value] = "given", size
            size += count
        self.given = size
        self.do(program.steps)
        place = 0
        for value in values_of(program.result):
            if np.result_type(value.array) == np.bool_:
                refuse("a result that is an answer")
            for entry in np.asarray(self.now(value), object).flat:
                self.code.write(f"made[{place}] = {self.code.entry(entry).text};")
                place += 1
        self.made = place

    def in_memory(self, name: str, first: int | str, value: Value) -> Any:
        """Return the entries of a value that stand in memory from some place on."""
        shape = np.shape(value.array)
        found = emptied(shape)
        found.flat = [Entry(self.code, f"{name}[{first} + {k}]") for k in range(found.size)]
        return found if isinstance(value.array, np.ndarray) else found[()]

    def now(self, operand) -> Any:
        """Return an operand with what is known of its values."""
        return with_parts(operand, self.part)

    def part(self, x) -> Any:
        """Return what is known of a part of an operand."""
        if isinstance(x, Value):
            if x not in self.known and x in self.rows:
                name, first = self.rows[x]
                self.known[x] = self.in_memory(name, first, x)
            return self.known[x]
        if isinstance(x, Count):
            return refuse("a number that counts")
        if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
            return self.code.entries(x)
        return x

    def do(self, steps) -> None:
        """Write some steps."""
        for step in steps:
            if isinstance(step, Call):
                self.call(step)
            elif isinstance(step, Loop):
                self.loop(step)
            else:
                self.ask(step)

    def ask(self, step: Guard) -> None:
        """Write a question: with another answer the call is not covered."""
        if step.question is not bool:
            refuse(f"a question about {step.question}")
        sign = "==" if step.answer else "!="
        self.code.write(f"if ({self.code.entry(self.now(step.operand)).text} {sign} 0) return 0;")

    def call(self, step: Call) -> None:
        """Write a call: line by line, or by NumPy's function on arrays of entries."""
        if step.primal is operator.getitem and has_count(step.args[1]):
            x, index = step.args
            self.known[step.results] = self.counted(x, index, step.results)
            return
        args, options = self.now(step.args), self.now(step.options)
        form = _FORMS.get(step.primal)
        if form is not None and not options and form.count("{") >= len(args):
            function = np.frompyfunc(lambda *x: self.code.computed(form, *x), len(args), 1)
            found = function(*args)
            if step.into is not None:
                self.now(step.into)[...] = found
                return
        elif step.into is not None and step.results is step.into:
            found = refuse(f"{step.primal.__name__} into an array")
        elif step.primal is np.ndarray:
            found = view_of(*args)
        elif step.primal in BY_NUMPY or step.primal in _MADE:
            found = _MADE.get(step.primal, step.primal)(*args, **options)
        else:
            name = qualified_name(step.primal)
            at = f", at {step.place[0]}:{step.place[1]}" if step.place else ""
            found = refuse(f"{name}, which has no form in C{at}")
        if step.results is None:
            return
        if not isinstance(step.results, Value):
            refuse(f"{step.primal.__name__}, which has several results")
        # NumPy may take objects for numbers, by their addresses; what is read may be a constant
        is_read = step.primal is operator.getitem
        is_made_of_entries = any(map(holds_entries, (*args, *options.values())))
        if is_made_of_entries and not holds_entries(found) and not is_read:
            refuse(f"{step.primal.__name__} of numbers")
        self.known[step.results] = self.result(found, step.results)

    def result(self, found, value: Value) -> Any:
        """Return what a call has made, as entries."""
        require_double_precision(value)
        if np.shape(found) != np.shape(value.array):
            refuse("a result of another shape")
        if not isinstance(value.array, np.ndarray):
            return self.code.entry(found[()] if isinstance(found, np.ndarray) else found)
        if isinstance(found, np.ndarray) and found.dtype == object:
            if not all(type(x) is Entry for x in found.flat):  # zeros, say
                found[...] = self.code.entries(found)
            return found
        if isinstance(found, Entry):
            return boxed(found)
        return self.code.entries(found)

    # Loops

    def counted(self, x, index, value: Value) -> Any:
        """Return the entries at an index that counts, of a constant or of an input."""
        require_double_precision(value)
        k, count = self.number
        if isinstance(x, Value):
            if x not in self.rows:
                return refuse("entries of an array at a place that counts")
            (name, first), array = self.rows[x], x.array
        else:
            name, first, array = self.code.table([x]), 0, x
        places = np.arange(array.size).reshape(array.shape)
        found = [places[with_parts(index, partial(in_repetition, number=n))] for n in range(count)]
        step = np.ravel(found[1] - found[0])
        if any(
            np.any(each != found[0] + n * (found[1] - found[0])) for n, each in enumerate(found)
        ):
            return refuse("places that do not count evenly")
        made = emptied(np.shape(value.array))
        pairs = zip(np.ravel(found[0]), step, strict=True)
        made.flat = [Entry(self.code, f"{name}[{first + at} + {k} * {by}]") for at, by in pairs]
        return made if isinstance(value.array, np.ndarray) else made[()]

    def loop(self, loop: Loop) -> None:
        """Write a loop: what it hands on are variables, what it keeps is in memory."""
        code = self.code
        self.require_separate(loop)
        for each in loop.carried:
            self.known[each.name] = self.states(self.now(each.first), each.name)
        memories = self.memories(loop)
        for memory in memories:
            memory[...] = self.states(memory.copy(), None)
        before = [memory.copy() for memory in memories]
        last = {value: self.states(np.zeros(np.shape(value.array)), value) for value in loop.last}
        kept = [code.memory(loop.count * np.size(each.name.array)) for each in loop.kept]
        k = code.name("k")
        streams = [self.stream(each.entries, each.name, k) for each in loop.streams]
        outer, self.number, known = self.number, (k, loop.count), dict(self.known)
        with code.block(f"for (int {k} = 0; {k} < {loop.count}; {k}++) {{"):
            self.known.update(zip((each.name for each in loop.streams), streams, strict=True))
            self.do(loop.body)
            for name, row in zip(kept, loop.kept, strict=True):
                self.keep(row, name, k)
            changed = [(last[value], self.now(local)) for value, local in loop.last.items()]
            changed += [(self.known[each.name], self.now(each.following)) for each in loop.carried]
            changed += zip(before, memories, strict=True)
            self.assign(changed)
        code.write("}")
        self.number, self.known = outer, known
        for memory, former in zip(memories, before, strict=True):
            memory[...] = former
        self.known.update(last)

    def keep(self, kept: Kept, name: str, k: str) -> None:
        """Write a value of repetition k into memory, for readers outside."""
        size = np.size(kept.name.array)
        for place, entry in enumerate(np.ravel(self.now(kept.name))):
            self.code.write(f"{name}[{k} * {size} + {place}] = {self.code.entry(entry).text};")
        for row, value in enumerate(kept.values):
            self.rows[value] = name, row * size

    def require_separate(self, loop: Loop) -> None:
        """Raise where what a loop copies is written elsewhere: NumPy has one memory for both."""
        here = set(map(memory_of_value, targets(loop)))
        others = [value for step in self.steps if step is not loop for value in targets(step)]
        elsewhere = set(map(memory_of_value, others)) | (
            here & set(map(memory_of_value, loop.outside))
        )
        copied = [*loop.last, *loop.last.values(), *(each.following for each in loop.carried)]
        copied += [value for each in loop.kept for value in (each.name, *each.values)]
        if not here.isdisjoint(map(memory_of_value, loop.names)) or not elsewhere.isdisjoint(
            map(memory_of_value, copied)
        ):
            refuse("a loop that writes into what another repetition made")

    def states(self, first, value: Value | None) -> Any:
        """Return variables that begin with some entries, and change."""
        is_array = value is None or isinstance(value.array, np.ndarray)
        found = emptied(np.shape(first))
        found.flat = [self.code.variable(self.code.entry(x).text) for x in np.ravel(first)]
        return found if is_array else found[()]

    def assign(self, pairs) -> None:
        """Write all assignments at once."""
        lines = []
        for states, entries_now in pairs:
            for state, entry in zip(np.ravel(states), np.ravel(entries_now), strict=True):
                if state is not entry:
                    now = self.code.variable(self.code.entry(entry).text)
                    lines.append(f"{state.text} = {now.text};")
        for line in lines:
            self.code.write(line)

    def memories(self, loop: Loop) -> list[Any]:
        """List the arrays from outside into which a loop writes."""
        found: dict[int, Any] = {}
        for value in loop.outside:
            if memory_of_value(value) in loop.written and isinstance(value.array, np.ndarray):
                memory = self.now(value)
                while memory.base is not None:
                    memory = memory.base
                found[id(memory)] = memory
        return list(found.values())

    def stream(self, rows: list[Any], name: Value, k: str) -> Any:
        """Return what a name is in repetition k: a row of memory, or of constants."""
        size = np.size(name.array)
        if not any(isinstance(row, Value) for row in rows):
            require_double_precision(name)
            return self.in_memory(self.code.table(rows), f"{k} * {size}", name)
        places = [self.rows.get(row) if isinstance(row, Value) else None for row in rows]
        memories = {None if place is None else place[0] for place in places}
        firsts = [0 if place is None else place[1] for place in places]
        step = firsts[1] - firsts[0]
        if (
            len(memories) > 1
            or None in memories
            or firsts != list(range(firsts[0], firsts[0] + step * len(rows), step))
        ):
            return self.in_memory(self.gathered(rows, places, size), f"{k} * {size}", name)
        return self.in_memory(str(memories.pop()), f"{firsts[0]} + {k} * {step}", name)

    def gathered(self, rows: list[Any], places: list[Any], size: int) -> str:
        """Return the name of a memory in which some values stand one after the other."""
        name = self.code.memory(len(rows) * size)
        for n, (row, place) in enumerate(zip(rows, places, strict=True)):
            if place is not None:
                memory, first = place
                to = f"{name} + {n * size}"
                self.code.write(f"memcpy({to}, {memory} + {first}, {size} * sizeof(double));")
                continue
            for k, entry in enumerate(np.ravel(self.now(row))):
                self.code.write(f"{name}[{n * size + k}] = {self.code.entry(entry).text};")
        return name


def holds_entries(x) -> bool:
    """Whether an operand holds numbers of the program."""
    if isinstance(x, tuple | list):
        return any(map(holds_entries, x))
    return type(x) is Entry or (isinstance(x, np.ndarray) and x.dtype == object)


def view_of(shape, dtype, memory, offset: int, strides) -> Any:
    """Return the view of a memory that `numpy.ndarray` makes: numbers are as large as addresses."""
    if not memory.flags.c_contiguous or np.dtype(object).itemsize != np.dtype(dtype).itemsize:
        refuse("a view of an array that is not contiguous")
    rest = memory.reshape(-1)[offset // memory.itemsize :]
    return np.lib.stride_tricks.as_strided(rest, shape, strides)


def has_count(index) -> bool:
    """Whether a number that counts is part of an index."""
    return any(isinstance(part, Count) for part in parts_of_operand(index))


def in_repetition(part, number: int) -> Any:
    """Return a part of an index as it is in one repetition."""
    return part.first + part.step * number if isinstance(part, Count) else part


def require_double_precision(value: Value) -> None:
    """Raise where a value has no numbers of double precision, or is no answer."""
    dtype = np.result_type(value.array)
    if dtype not in (np.float64, np.bool_):
        refuse(f"a value of type {dtype}")
    if np.size(value.array) > MOST:
        refuse(f"an array of {np.size(value.array)} entries")


def translated(program: Program) -> Any:
    """Return the translation of a program; refuse one that NumPy cannot do with objects."""
    try:
        return Translation(program)
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        return refuse(f"{type(error).__name__}: {error}")


def c_executable(program: Program, name: str) -> Callable[..., Any]:
    """Return the function of a program's inputs that the C compiler makes."""
    program = within_loops(sums_into_views)(shortened(rolled(program, depth=1)))
    translation = translated(program)
    run = compiled_code(translation.code.text())
    made = result_maker(program.result)
    shapes = [np.shape(value.array) for value in values_of(program.result)]
    parts = list(zip(stretches(values_of(program.result)), shapes, strict=True))
    places = stretches(program.inputs)
    given, results = translation.given, translation.made
    size = given + results + translation.code.work

    def executable(*inputs):
        memory = np.empty(size)
        for place, x in zip(places, inputs, strict=True):
            memory[place] = x.ravel() if type(x) is np.ndarray else x
        start = memory.ctypes.data
        if not run(start, start + 8 * given, start + 8 * (given + results)):
            raise guard_failed(name)("a question has another answer")
        found = memory[given:]
        return made(*[found[place].reshape(shape) for place, shape in parts])

    executable.is_silent = True  # type: ignore[attr-defined]
    return executable


def stretches(values: Iterable[Value]) -> list[slice]:
    """Return where each of some values stands, one after the other."""
    ends = np.cumsum([0, *(np.size(value.array) for value in values)])
    return [slice(first, end) for first, end in pairwise(ends)]


def compiler() -> str:
    """Return the C compiler of this machine: that by which Python was made, or `cc`."""
    made_by = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]
    return made_by if shutil.which(made_by) else "cc"


def require_compiler(function: Callable[..., Any]) -> None:
    """Raise where this machine has no C compiler."""
    if shutil.which(compiler()) is None:
        where = f'compiled({qualified_name(function)}, to="c")'
        got = f"there is no C compiler {compiler()!r}"
        instead = 'install one (gcc or clang), or write to="numpy"'
        raise InputError(where, got, instead, function=function, argument="to", value="c")


def compiled_code(text: str) -> Callable[..., int]:
    """Compile the source of a function; raise where there is no compiler."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.so"
        try:
            command = [compiler(), *OPTIONS, "-o", str(path)]
            subprocess.run(command, input=text.encode(), check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            refuse(f"no program of the C compiler {compiler()} ({error})")
        run = ctypes.CDLL(str(path)).program
    run.argtypes = [ctypes.c_void_p] * 3
    run.restype = ctypes.c_int
    return run
