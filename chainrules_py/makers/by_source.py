"""Functions that are differentiated by their own source, in the place of a body of ours."""

from importlib import import_module
from inspect import Parameter, Signature
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.introspection import caller_location
from chainrules_py.makers.composition import composed
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.signatures import POSITIONAL, signature_of


def by_source(
    *primals: Any, arguments: int | None = None, table: RuleTable = default_rules
) -> None:
    """Declare that functions of SciPy's that are written in Python are programs: their own.

    What their code calls takes traced values then (`chainrules_foreign_code.by_source`). Both modes
    follow, to any order, and many examples: at once, or one by one where the code decides by
    numbers. The first `arguments` may be differentiated, or all of them; others are constants.
    """
    require_primals("by_source", primals)
    where = caller_location(1)
    for primal in primals:
        body: Any = own_source(primal, arguments)
        body.__rule_location__ = where
        composed(primal, table=table)(body)


def own_source(primal: Function, arguments: int | None = None) -> Function:
    """The body of a function that is its own code."""

    def by_own_source(*args, **options) -> Any:
        source = import_module("chainrules_foreign_code.by_source")  # which is built on this
        return source.run_by_source(primal, args, options)

    given = signature_of(primal).parameters.values()
    # hints are SciPy's, of no classes here, and so are these, which say where arrays are made
    own = [each for each in given if each.name not in ("xp", "device")]
    known = [each.replace(annotation=Parameter.empty) for each in own]
    if arguments is not None:
        options = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in known[arguments:]]
        known[arguments:] = options
    defaults = [p.default for p in known if p.kind in POSITIONAL and p.default is not p.empty]
    body: Any = by_own_source
    body.__signature__, body.__defaults__ = Signature(known), tuple(defaults)
    body.is_own_source = True  # which explanations say
    return by_own_source
