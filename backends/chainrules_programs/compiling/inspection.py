"""A compiled call as text: the module of its program, and why some calls have none."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

from chainrules_programs.compiling.constants import constant_text
from chainrules_programs.compiling.modules import follows_memory, module_text, parameter
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.programs import Draft, name_of_program
from chainrules_programs.recording.notation import parameter_names
from chainrules_programs.recording.record import is_input
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.trees import functions_of_containers


def module_of(function: Callable[..., Any], draft: Draft, args, options) -> str:
    """The program of a recorded call as a module, with the call as its example."""
    arguments = named_arguments(function, args, options)
    inputs: list[Any] = list(draft.before.arrays)
    fixed = []
    leaves = [expressions_in(argument, name) for name, argument in arguments.items()]
    for expression, leaf in chain(*leaves):
        if is_input(leaf):
            inputs.append(expression)
        else:
            fixed.append((expression, leaf))
    name = getattr(function, "__name__", "") or "a function"
    note = f"The program of {name_of_program(function)}({name})."
    program = draft.program
    if draft.effects:
        note += " What that prints and warns of is not in it."
        program = replace(program, result=program.result[0])
    return module_text(
        optimized(program),
        name=name_of_program(function),
        inputs=inputs,
        arguments=arguments,
        value=draft.value,
        fixed=fixed,
        note=note,
        keeps_order=follows_memory(draft.program),
    )


def named_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by the names of the parameters, in the order of its leaves."""
    taken = parameter_names(function, len(args))
    given: dict[str, Any] = {}
    for name, x in [*zip(taken, args, strict=True), *sorted(options.items())]:
        own = parameter(name)
        while own in given:
            own += "_"
        given[own] = x
    return given


def expressions_in(x, text: str) -> list[tuple[str, Any]]:
    """The leaves of a value with the expressions that read them.

    >>> expressions_in({"w": (1.0, 2)}, "params")
    [("params['w'][0]", 1.0), ("params['w'][1]", 2)]
    """
    paths, leaves, _ = functions_of_containers().tree_flatten_with_path(x, none_is_leaf=True)
    found = []
    for path, leaf in zip(paths, leaves, strict=True):
        own = text + "".join(f"[{constant_text(key)}]" for key in path)
        if is_container(leaf):
            for key, part in fields(leaf).items():
                found += expressions_in(part, f"{own}.{key}")
        else:
            found.append((own, leaf))
    return found


def description(compiled) -> str:
    """Describe how a compiled function runs its calls, and why some stay on the tape."""
    count = compiled.count_of_programs()
    lines = [f"{compiled!r}: {count} program{'s' if count != 1 else ''}"]
    lines += [f"  runs on the tape: {reason}" for reason in compiled.reasons]
    lines += [
        f"  runs on the tape, by a fault of the compiler, {times} times: {error}"
        for error, times in compiled.faults.items()
    ]
    if not count and not compiled.reasons:
        lines.append("  not compiled yet: a call is, when a second one of its kind is the same")
    lines += [f"  checked at each call: {guard}" for guard in compiled.guards()]
    return "\n".join(lines)
