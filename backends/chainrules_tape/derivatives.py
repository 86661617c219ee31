"""Derivatives of functions as functions: they print as the call that made them, and pickle where the
function does.
"""

import sys
from functools import partial, update_wrapper
from typing import Any, ClassVar

from chainrules_py.engines.compilers import load_compilers, unmarked
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.tracing import Function


class Derivative(partial[Any]):
    """A derivative of a function as a function, which prints as the call that made it, and pickles
    where the function does.
    """

    # What people call, by the function that computes it, with the options that follow the function.
    made_by: ClassVar[dict[str, tuple[str, dict[str, Any]]]] = {
        "gradient": ("grad", {"argnums": 0, "has_aux": False, "rules": default_rules}),
        "value_and_gradient": (
            "value_and_grad",
            {"argnums": 0, "has_aux": False, "rules": default_rules},
        ),
        "all_derivatives": (
            "jacobian",
            {
                "argnums": 0,
                "mode": None,
                "has_aux": False,
                "max_bytes": 2**28,
                "rules": default_rules,
            },
        ),
        "second_derivatives": (
            "hessian",
            {"argnums": 0, "has_aux": False, "max_bytes": 2**28, "rules": default_rules},
        ),
        "all_sparse_derivatives": (
            "jacobian",
            {
                "argnums": 0,
                "mode": None,
                "sparse": False,
                "max_bytes": 2**28,
                "rules": default_rules,
            },
        ),
        "all_sparse_second_derivatives": (
            "hessian",
            {"argnums": 0, "sparse": False, "max_bytes": 2**28, "rules": default_rules},
        ),
        "all_examples": (
            "vmap",
            {"in_axes": 0, "out_axes": 0, "chunk_size": None, "rules": default_rules},
        ),
    }

    def __repr__(self) -> str:
        name, defaults = self.made_by[self.func.__name__]
        function, *options = self.args
        given = [
            f"{option}={value.name if option == 'rules' else repr(value)}"
            for (option, default), value in zip(defaults.items(), options, strict=True)
            if value is not default and value != default
        ]
        inner = repr(function) if isinstance(function, partial) else qualified_name(function)
        return f"{name}({', '.join([inner, *given])})"


def named(derivative: Function, function: Function) -> Function:
    """Give a derivative the name and the signature of its function.

    Compilers of Python, `torch.compile` say, learn here to run derivatives as they stand.
    """
    if not sys.modules.keys().isdisjoint(unmarked):  # the other way round it reads all modules
        load_compilers()
    derivative = update_wrapper(derivative, function, updated=())
    seen = seen_function(function)
    return derivative if seen is None else seen.around(derivative)


def seen_function(function: Function) -> Any:
    """The function, if `seen_through(f)` has returned it: all that is found of its derivatives is
    found in its scope. None for any other.
    """
    return function if hasattr(type(function), "__chainrules_seen__") else None
