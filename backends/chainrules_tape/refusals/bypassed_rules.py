"""Functions that have a rule and are no primitives: engines trace their bodies instead.

NumPy hands its functions over to traced values, and `primitive` hands over any function; a call of
another Python function is a call like all others. Who registers a rule for one and forgets
`primitive` gets the derivative of the body, and no error. So the first derivative of a function
looks whether its code, or that of functions which it calls by their names, names such a function,
and warns; and an error that came of tracing the body says so.
"""

import warnings
from collections.abc import Collection, Iterator
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from chainrules_py.checks.guards import is_proven
from chainrules_py.introspection import closure_values, names_in, variables_of_frame
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.identity import home_module, made_of, qualified_name
from chainrules_py.values.shipped import is_module_of_ours
from chainrules_tape.refusals.code_owners import is_installed
from chainrules_tape.refusals.handles import TracedArray

_MANY = 1000  # functions that are looked at before a first derivative; 1 ms
_WRAPPERS = frozenset(
    {"chainrules_py.makers.declarations", "chainrules_tape.numpy.namespaces"}
)  # modules of wrappers that hand calls over
_SAYING_SO = frozenset(
    {"primitive", "interceptable", "rrule", "frule", "to_autograd", "to_jax", "to_torch"}
)


class BypassedRuleWarning(UserWarning):
    """A function with a rule is called where engines do not see it, so its body is differentiated."""


def bypassed_functions(table: RuleTable) -> list[FunctionType]:
    """The Python functions with rules that a user wrote, of which an engine sees no call.

    What `primitive` made is seen, and so is a function under which a ufunc lies.
    """
    primals = [
        rule.primal
        for rule in table.made_rules()
        if rule.function is not None and not is_proven(rule)
    ]
    return [primal for primal in dict.fromkeys(primals) if is_bypassed(table, primal)]


def is_bypassed(table: RuleTable, primal) -> bool:
    """Whether a primal is a Python function whose calls nobody hands to an engine."""
    if type(primal) is not FunctionType or made_of(primal) is not None:
        return False
    return not is_seen_to(home_module(primal)) and not table.has_ufunc(primal)


def is_seen_to(module: str | None) -> bool:
    """Whether a module is NumPy's or this library's, which hand calls over or mean what they do; a class
    may say of none that it is its own.
    """
    if module is None:
        return False
    return is_module_of_ours(module) or module.partition(".")[0] == "numpy"


# Before a first derivative


def warn_of_bypassed_rules(engine, function) -> None:
    """Warn, once for each function, where its code calls one whose rule is bypassed."""
    code = code_of(function)
    if id(code) in engine.examined:
        return
    engine.examined[id(code)] = code  # held, so that its number is not given to another one
    for caller, primal in dict.fromkeys(bypassing_calls(function, engine.bypassed)):
        name, own = qualified_name(primal), primal.__name__
        where = f"{qualified_name(caller)}, which calls {name}"
        if caller is primal:
            where = f"the derivative of {name}"
        got = "it has a rule but is no primitive, so its body is differentiated, without the rule"
        message = f"{where}: {got}; mark {own} with @primitive, or call primitive({own})"
        place = caller.__code__.co_filename, caller.__code__.co_firstlineno
        registry = caller.__globals__.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, BypassedRuleWarning, *place, registry=registry)


def code_of(function) -> Any:
    """The code or the class of a callable: one object for all that were made alike."""
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__code__", type(function))


def bypassing_calls(
    function, bypassed: Collection[FunctionType]
) -> Iterator[tuple[FunctionType, FunctionType]]:
    """Yield pairs of a function that calls another one by its name, and of that bypassed one."""
    starts = list(python_functions(function))
    yield from ((start, start) for start in starts if start in bypassed)
    waiting: list[FunctionType] = list(filter(is_followed, starts))
    met: set[int] = set()
    while waiting and len(met) < _MANY:
        caller = waiting.pop()
        if id(caller) in met:
            continue
        met.add(id(caller))
        names = names_in(caller.__code__)
        for called in functions_named(caller, names):
            if called not in bypassed:
                if is_followed(called):
                    waiting.append(called)
            elif called is not caller and _SAYING_SO.isdisjoint(names):
                yield caller, called


def is_followed(function: FunctionType) -> bool:
    """Whether the calls of a function are looked at: users' code, and what is wrapped around it."""
    module = module_of_code(function)
    if module in _WRAPPERS:
        return False
    return is_seen_to(module) or not is_installed(function.__code__.co_filename)


def module_of_code(function: FunctionType) -> str:
    """The name of the module in which a function was written; of a wrapper its own module."""
    return str(function.__globals__.get("__name__", ""))


def functions_named(caller: FunctionType, names: frozenset[str]) -> Iterator[FunctionType]:
    """Yield the functions that a function's code names: variables, attributes, methods."""
    for name, value in variables_of(caller).items():
        if name not in names:
            continue
        yield from python_functions(value)
        parts = attributes_of(value)
        for each in names.intersection(parts) or {"__call__"}:
            yield from python_functions(parts.get(each))


def attributes_of(value) -> dict[str, Any]:
    """The attributes of a module, or of an object's class without those of NumPy and of Python."""
    if isinstance(value, ModuleType):
        return vars(value)
    found: dict[str, Any] = {}
    for base in reversed((value if isinstance(value, type) else type(value)).__mro__):
        if base.__module__ != "builtins" and not is_seen_to(base.__module__):
            found |= vars(base)
    return found


def variables_of(function: FunctionType) -> dict[str, Any]:
    """The variables that a function reads from around it, by name.

    Of this library's functions those of closures alone.
    """
    found = closure_values(function)
    return found if is_seen_to(module_of_code(function)) else function.__globals__ | found


def python_functions(value) -> Iterator[FunctionType]:
    """Yield the Python functions of which a callable consists, those in a partial among them."""
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, MethodType | staticmethod | classmethod):
        yield from python_functions(value.__func__)
    elif isinstance(value, partial):
        for part in (value.func, *value.args, *value.keywords.values()):
            yield from python_functions(part)


# After an error


def note_bypassed_rules(table: RuleTable, error: Exception) -> None:
    """Say with an error of tracing the body of a function with a rule how the rule is used."""
    from traceback import walk_tb

    frames: dict[CodeType, FrameType] = {
        frame.f_code: frame for frame, _ in walk_tb(error.__traceback__)
    }
    for primal in bypassed_functions(table):
        frame = frames.get(primal.__code__)
        if frame is not None and is_call_of(primal, frame) and is_given_traced(frame):
            name, own = qualified_name(primal), primal.__name__
            note = (
                f"{name} has a rule, but only calls of primitives and of NumPy's functions can be"
                " seen"
            )
            note = f"{note}; call primitive({own}) in its place"
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)


def is_call_of(primal, frame: FrameType) -> bool:
    """Whether a frame with the code of a function is a call of it.

    Functions that one decorator made share their code.
    """
    variables = variables_of_frame(frame)
    captured = closure_values(primal).items()
    return all(variables.get(name) is value for name, value in captured)


def is_given_traced(frame: FrameType) -> bool:
    """Whether a call was given a traced value; a rule calls its function with plain ones."""
    return any(isinstance(value, TracedArray) for value in variables_of_frame(frame).values())
