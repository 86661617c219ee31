"""A recorded program as the text of a module that needs nothing of ours, and that checks itself."""

import keyword
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chainrules_programs.compiling.constants import DECODER, constant_text, dtype_text, head
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.memory import memory_of_value, memory_written
from chainrules_programs.compiling.source import (
    FunctionText,
    identifier,
    name_of_program,
    printable,
)
from chainrules_programs.recording.notation import paths
from chainrules_programs.recording.program import Call, Program, Value
from chainrules_programs.recording.record import is_input
from chainrules_programs.recording.steps import makes, reads
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.signatures import argument_names
from chainrules_py.version import __version__
from chainrules_tape.core.trees import flatten

# what a module defines beside its function, and what it calls
DEFINED = frozenset(
    {
        *("np", "scipy", "VERSION", "GuardFailed", "base64", "zlib", "decoded", "checked", "same"),
        *("form", "range", "len", "zip", "float", "int", "complex", "abs", "round", "divmod"),
        *("list", "tuple", "bool", "type", "slice", "print"),
    }
)
IN_MAIN = frozenset(
    {
        *("main", "example", "parts", "arguments", "expected", "found", "x", "y", "size"),
        *("container", "part", "isinstance", "dict"),
    }
)
VIEWS_OR_COPIES = frozenset(
    {
        *(np.ravel, np.reshape, np.ascontiguousarray, np.asfortranarray, np.asarray),
        *(np.asanyarray, np.array, np.copy, np.ndarray.astype, np.astype, np.ndarray.flatten),
    }
)

GUARD = '''class GuardFailed(Exception):
    """The program met what it did not see when it was recorded; record it again."""
'''
CHECKED = '''def checked(x, name, shape, dtype):
    """Return an argument, once it is of the shape and dtype that were recorded."""
    found = np.asarray(x)
    is_plain = type(x) is np.ndarray or isinstance(x, (np.generic, float, complex))
    if not is_plain or found.shape != shape or found.dtype != dtype:
        text = f"{found.dtype}{list(found.shape)}" if is_plain else type(x).__name__
        raise GuardFailed(f"{name} has to be {np.dtype(dtype)}{list(shape)}, and is {text}")
    return x
'''
SAME = '''def same(found, name, recorded):
    """Require what was recorded: a number, a string, None, the form of a container."""
    if type(found) is not type(recorded) or found != recorded:
        raise GuardFailed(f"{name} has to be {recorded!r}, and is {found!r}")
'''
FORM = '''def form(x):
    """Return the class of a container with its keys, or with the number of its parts."""
    if not isinstance(x, (dict, list, tuple)):
        return type(x).__name__
    return type(x).__name__, list(x) if isinstance(x, dict) else len(x)
'''
MAIN = '''def parts(container):
    """Yield the arrays and numbers in a container, in order."""
    if isinstance(container, dict):
        container = list(container.values())
    if isinstance(container, (tuple, list)):
        for part in container:
            yield from parts(part)
    else:
        yield container


def main():
    """Run the example that was recorded, and compare."""
    arguments, expected = example()
    found = {name}(*arguments)
    for x, y in zip(parts(found), parts(expected), strict=True):
        size = np.max(np.abs(y), initial=0.0)
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12 * size)
    print("{name} gives what was recorded.")


if __name__ == "__main__":
    main()
'''


def module_text(function: Function, program: Program, value, args, options) -> str:
    """Write the program of a recorded call of a function as a module, with the call, and the value
    that it gave, as its example.
    """
    arguments = named_arguments(function, args, options)
    inputs: list[str] = []
    fixed = []
    for each, argument in arguments.items():
        expressions = paths(each, argument, constant_text)
        for expression, leaf in zip(expressions, flatten(argument)[0], strict=True):
            if is_input(leaf):
                inputs.append(expression)
            else:
                fixed.append((expression, leaf))
    made_by = name_of_program(function)
    note = f"The program of {made_by}({getattr(function, '__name__', '') or 'a function'})."
    name = parameter(made_by, DEFINED | IN_MAIN)
    text = FunctionText(optimized(program), name, inputs, reserved=arguments)
    opening = [
        *_forms(arguments),
        *(f"same({expression}, {expression!r}, {constant_text(x)})" for expression, x in fixed),
        *_opening(program, text, inputs),
    ]
    body = [*head(text.scope), "", "", *_function(text, arguments, opening)]
    example = _example(arguments, value)
    is_decoding = any("decoded(" in line for line in (*body, *example))
    lines = [
        *_head(name, note),
        *_imports(text, is_decoding),
        "",
        f"VERSION = {__version__!r}  # of chainrules, which wrote this",
        "",
        "",
        *GUARD.splitlines(),
        *("", "", *CHECKED.splitlines()),
        *_helpers("\n".join(opening)),
        *(("", "", *DECODER.splitlines()) if is_decoding else ()),
        *("", "", *body),
        *("", "", *example),
        *("", "", *MAIN.replace("{name}", name).splitlines()),
    ]
    return "\n".join(lines) + "\n"


def named_arguments(function: Function, args: Args, options: Options) -> dict[str, Any]:
    """The arguments of a call by the names of the parameters, in the order of its leaves."""
    taken = argument_names(function, len(args))
    given: dict[str, Any] = {}
    for name, x in [*zip(taken, args, strict=True), *sorted(options.items())]:
        own = parameter(name)
        while own in given:
            own += "_"
        given[own] = x
    return given


def _helpers(opening: str) -> Iterator[str]:
    """Yield the functions that the first lines of a program call."""
    for call, helper in (("same(", SAME), ("form(", FORM)):
        if call in opening:
            yield from ("", "", *helper.splitlines())


def _head(name: str, note: str) -> Iterator[str]:
    yield f'"""{name}, as straight NumPy code.'
    yield ""
    told = (
        f"{note} Written by chainrules {__version__} from a run with NumPy {np.__version__}. Run this"
        " file to compare it with what was recorded."
    )
    yield from (in_docstring(line) for line in textwrap.wrap(printable(told), 96))
    yield '"""'
    yield ""


def in_docstring(text: str) -> str:
    """Write a text so that it does not end the docstring that it is put into."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def parameter(name: str, taken: frozenset[str] = DEFINED) -> str:
    """Return a name that a parameter can have beside what the module defines, and calls.

    >>> parameter("x"), parameter("np"), parameter("a b"), parameter("class")
    ('x', 'np_', 'a_b', 'class_')
    """
    own = identifier(name)
    is_identifier = own == name or (own == f"{name}_" and name not in keyword.kwlist)
    if is_identifier and name not in taken:
        return name
    return f"{own}_" if own in taken else own


def _imports(text: FunctionText, is_decoding: bool) -> Iterator[str]:
    if is_decoding:
        yield from ("import base64", "import zlib", "")
    yield "import numpy as np"
    yield from (f"import {module}" for module in sorted(text.modules - {"numpy"}))


def _opening(program: Program, text: FunctionText, inputs: Sequence[str]) -> Iterator[str]:
    """Yield the lines in which a function takes its inputs from its parameters; where it counts, their
    order in memory has to be the recorded one.
    """
    is_ordered = follows_memory(program)
    for value, local, found in zip(program.inputs, text.parameters, inputs, strict=True):
        yield f"{local} = checked({found}, {found!r}, {_form(value)})"
        if is_ordered and np.ndim(value.array) > 1:
            yield f"same({found}.strides, {f'{found}.strides'!r}, {value.array.strides})"


def _form(value: Value) -> str:
    """Write the shape and the dtype of an input."""
    dtype = getattr(value.array, "dtype", None) or np.result_type(value.array)
    return f"{np.shape(value.array)}, {dtype_text(dtype)}"


def _function(
    text: FunctionText, arguments: dict[str, Any], opening: Sequence[str]
) -> Iterator[str]:
    yield f"def {text.name}({', '.join(arguments)}):"
    yield '    """Compute what was recorded, for other numbers of the same shapes and types."""'
    for line in opening:
        yield f"    {line}"
    yield from text.lines[1:]


def _forms(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that compare the containers among the arguments with the recorded ones."""
    for name, argument in arguments.items():
        for expression, part in containers_in(argument, name):
            keys = list(part) if isinstance(part, dict) else len(part)
            recorded = f"({type(part).__name__!r}, {constant_text(keys)})"
            yield f"same(form({expression}), {expression!r}, {recorded})"


def containers_in(x, text: str) -> Iterator[tuple[str, Any]]:
    """Yield the dicts, lists and tuples of a value, with the expressions that read them.

    >>> [text for text, _ in containers_in({"w": (1.0, [2])}, "params")]
    ['params', "params['w']", "params['w'][1]"]
    """
    if not isinstance(x, dict | list | tuple):
        return
    yield text, x
    for key, part in x.items() if isinstance(x, dict) else enumerate(x):
        yield from containers_in(part, f"{text}[{constant_text(key)}]")


def follows_memory(program: Program) -> bool:
    """Whether what a program computes may depend on the memory order of its arguments.

    It does where entries are read as they stand in memory, and where something is written into
    what is a view of an array in one order, and a copy of one in another.
    """
    written = memory_written(program.steps)
    for step in program.steps:
        if type(step) is not Call:
            continue
        if any(
            option in ("K", "A")
            for option in (*step.args, *step.options.values())
            if type(option) is str
        ):
            return True
        if step.primal in VIEWS_OR_COPIES:
            values = {memory_of_value(value) for value in (*reads(step), *makes(step))}
            if not values.isdisjoint(written):
                return True
    return False


def _example(arguments: dict[str, Any], value) -> list[str]:
    """Write the function that returns the example's arguments and what they give."""
    lines = ["def example():", '    """Return the arguments that were recorded, and the result."""']
    lines.append("    arguments = (")
    lines += [f"        {constant_text(x)},  # {name}" for name, x in arguments.items()]
    lines.append("    )")
    lines.append(f"    return arguments, {constant_text(value)}")
    return lines
