"""A recorded program as the text of a module that needs nothing of ours, and that checks itself."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chainrules_py.version import __version__
from chainrules_recorder.program import Program, Value
from chainrules_tape.compiling.constants import DECODER, constant_text, head
from chainrules_tape.compiling.source import FunctionText, function_text

GUARD = '''class GuardFailed(Exception):
    """The program met what it did not see when it was recorded; record it again."""
'''
CHECKED = '''def checked(x, name, shape, dtype):
    """Return an argument, once it is of the shape and dtype that were recorded."""
    if np.shape(x) != shape or np.result_type(x) != dtype:
        found = f"{np.result_type(x)}{list(np.shape(x))}"
        raise GuardFailed(f"{name} has to be {np.dtype(dtype)}{list(shape)}, and is {found}")
    return x
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


def module_text(
    program: Program,
    *,
    name: str,
    inputs: Sequence[Any],
    arguments: dict[str, Any],
    value: Any,
    fixed: Sequence[tuple[str, Any]] = (),
    note: str = "",
) -> str:
    """Write a module whose function `name` is the program.

    `arguments` has the example's arguments by the names of the parameters, and `value` is what
    they give. `inputs` says, for each input of the program, where it is found: an expression such
    as ``params['w']``, or an array that becomes a constant of the module. The expressions in
    `fixed` have to have the values that stand with them. `note` is a sentence for the head.
    """
    text = function_text(program, name, _local_names(program, inputs), reserved=arguments)
    constants = dict(text.constants)
    opening = list(_opening(program, text, inputs, constants))
    body = [*head(constants), "", "", *_function(text, arguments, fixed, opening)]
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
        *(("", "", *DECODER.splitlines()) if is_decoding else ()),
        *("", "", *body),
        *("", "", *example),
        *("", "", *MAIN.replace("{name}", name).splitlines()),
    ]
    return "\n".join(lines) + "\n"


def _head(name: str, note: str) -> Iterator[str]:
    yield f'"""{name}, as straight NumPy code.'
    yield ""
    told = f"{note} " if note else ""
    told += (
        f"Written by chainrules {__version__} from a run with NumPy {np.__version__}. Run this file"
        " to compare it with what was recorded."
    )
    yield from textwrap.wrap(told, 96)
    yield '"""'
    yield ""


def _imports(text: FunctionText, is_decoding: bool) -> Iterator[str]:
    if is_decoding:
        yield from ("import base64", "import zlib", "")
    yield "import numpy as np"
    yield from (f"import {module}" for module in sorted(text.modules - {"numpy"}))


def _local_names(program: Program, inputs: Sequence[Any]) -> list[str]:
    """Name the inputs inside of the function: as the parameters, where they are such."""
    return [
        found if isinstance(found, str) else (value.name or "data")
        for found, value in zip(inputs, program.inputs, strict=True)
    ]


def _opening(
    program: Program, text: FunctionText, inputs: Sequence[Any], constants: dict[str, Any]
) -> Iterator[str]:
    """Yield the lines in which a function takes its inputs from its parameters."""
    for value, local, found in zip(program.inputs, text.parameters, inputs, strict=True):
        if isinstance(found, str):
            yield f"{local} = checked({found}, {found!r}, {_form(value)})"
        else:
            constants[f"{local}_recorded"] = found
            yield f"{local} = {local}_recorded"


def _form(value: Value) -> str:
    """Write the shape and the dtype of an input."""
    dtype = np.result_type(value.array)
    return f"{np.shape(value.array)}, np.{'bool' if dtype == np.bool_ else dtype.name}"


def _function(
    text: FunctionText,
    arguments: dict[str, Any],
    fixed: Sequence[tuple[str, Any]],
    opening: Sequence[str],
) -> Iterator[str]:
    yield f"def {text.name}({', '.join(arguments)}):"
    yield '    """Compute what was recorded, for other numbers of the same shapes and types."""'
    for expression, number in fixed:
        written = constant_text(number)
        yield f"    if {expression} != {written}:"
        yield f"        raise GuardFailed({f'{expression} has to be {written}'!r})"
    for line in opening:
        yield f"    {line}"
    yield from text.lines[1:]


def _example(arguments: dict[str, Any], value: Any) -> list[str]:
    """Write the function that returns the example's arguments and what they give."""
    lines = ["def example():", '    """Return the arguments that were recorded, and the result."""']
    lines.append("    arguments = (")
    lines += [f"        {container_text(x)},  # {name}" for name, x in arguments.items()]
    lines.append("    )")
    lines.append(f"    return arguments, {container_text(value)}")
    return lines


def container_text(container: Any) -> str:
    """Write an expression for a container of arrays and numbers."""
    if isinstance(container, dict):
        pairs = [f"{key!r}: {container_text(part)}" for key, part in container.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(container, list):
        return f"[{', '.join(map(container_text, container))}]"
    if isinstance(container, tuple):
        parts = [container_text(part) for part in container]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return constant_text(container)
