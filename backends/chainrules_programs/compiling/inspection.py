"""A compiled call as text: the module of its program, and why some calls have none."""

from collections.abc import Callable
from typing import Any

from chainrules_programs.compiling.constants import constant_text
from chainrules_programs.compiling.modules import follows_memory, module_text, parameter
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.source import name_of_program
from chainrules_programs.recording.notation import parameter_names, paths
from chainrules_programs.recording.program import Program
from chainrules_programs.recording.record import is_input
from chainrules_tape.core.trees import flatten


def module_of(function: Callable[..., Any], program: Program, value, args, options) -> str:
    """The program of a recorded call as a module, with the call as its example."""
    arguments = named_arguments(function, args, options)
    inputs: list[Any] = []
    fixed = []
    for name, argument in arguments.items():
        expressions = paths(name, argument, constant_text)
        for expression, leaf in zip(expressions, flatten(argument)[0], strict=True):
            if is_input(leaf):
                inputs.append(expression)
            else:
                fixed.append((expression, leaf))
    name = getattr(function, "__name__", "") or "a function"
    note = f"The program of {name_of_program(function)}({name})."
    return module_text(
        optimized(program),
        name=name_of_program(function),
        inputs=inputs,
        arguments=arguments,
        value=value,
        fixed=fixed,
        note=note,
        keeps_order=follows_memory(program),
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
