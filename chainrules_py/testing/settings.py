"""Settings of a check travel in one object, as primals have options of every name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError
from chainrules_py.projection.structured import Structure
from chainrules_py.rules.config import NO_CONFIG, RuleConfig
from chainrules_py.table.registry import RuleTable, default_rules

Jacobians = Literal["on failure", "never"]
SecondOrder = Literal["required", "where rules exist", "off"]
DTypes = Literal["mixed"]


@dataclass(frozen=True, eq=False)
class Settings:
    """The checks to make of a call, and their tolerances.

    `fixed` lists positions of arguments that are constants of the call. `conventions` says that the
    call sits at a tie or a kink: there is no derivative, and what is checked is that the rule picks
    one between the one-sided ones, and that both modes pick the same. `singular` says that it sits
    at the edge of the domain, where some entries may be infinite.
    `layouts`, `dtypes`, `second_order` add calls derived from this one: other
    memory layouts of the same numbers, narrower dtypes ("mixed": of some arrays, not of all at
    once), the derivative of the derivative (True is "required", False is "off"; "where rules
    exist": calling an operation that has no rule is not a failure). `jacobians` says when full
    Jacobians are computed: to explain a failure, or never, where nobody reads more than whether a
    call fails. `structures` names the linear space that an argument moves in, where
    that is not all arrays of its shape: ``{0: "hermitian"}`` for a function that reads one triangle
    of a Hermitian matrix. A function ``(t, xp)`` projects tangents onto such a space:
    `adding_to_nothing`, for weights that have to sum to one. `batching` checks the rule for batching
    of the call, where it has one. `oracle` is for rules that lie on purpose: False compares no
    derivative with differences, and checks all else; a function in the place of the primal is the
    one whose derivative the rule has.
    """

    rules: RuleTable = field(default_factory=lambda: default_rules)
    config: RuleConfig = NO_CONFIG
    seed: int = 0
    fixed: tuple[int, ...] = ()
    structures: Mapping[int, Structure] = field(default_factory=dict)
    conventions: bool = False
    singular: bool = False
    layouts: bool = True
    dtypes: bool | DTypes = True
    batching: bool = True
    oracle: bool | Function = True
    second_order: SecondOrder | bool = "required"
    jacobians: Jacobians = "on failure"
    relative: float | None = None  # tolerance against the oracle; None: by dtype

    def __post_init__(self) -> None:
        """Refuse what is none of an option's values, which would be taken for one of them."""
        if isinstance(self.second_order, bool):
            object.__setattr__(self, "second_order", "required" if self.second_order else "off")
        require_value("second_order", self.second_order, get_args(SecondOrder))
        require_value("jacobians", self.jacobians, get_args(Jacobians))
        require_value("dtypes", self.dtypes, (True, False, *get_args(DTypes)))
        require_value("layouts", self.layouts, (True, False))
        require_value("batching", self.batching, (True, False))
        if not callable(self.oracle):
            require_value("oracle", self.oracle, (True, False))


def require_value(option: str, value, known: tuple[Any, ...]) -> None:
    """Raise where a setting is none of the values that it can have."""
    if value in known:
        return
    instead = f"write one of {', '.join(map(repr, known))}"
    raise OptionError(
        "Settings", f"got {option}={value!r}", instead, primal=None, option=option, value=value
    )
