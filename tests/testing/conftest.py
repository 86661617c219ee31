from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chainrules_py import RuleTable, default_rules
from chainrules_py.testing import load_shipped


@pytest.fixture(scope="session", autouse=True)
def shipped() -> None:
    default_rules.load_all()
    load_shipped()


@pytest.fixture
def rules() -> Iterator[RuleTable]:
    yield RuleTable(parent=default_rules, name="test")


def reverse_rule(primal: Callable[..., Any], bars: Callable[..., Any]) -> Callable[..., Any]:
    """An rrule from its pullback as one expression: ``bars(y_bar, *args, **options)``."""

    def rule(*args: Any, **options: Any) -> Any:
        return primal(*args, **options), lambda y_bar: bars(y_bar, *args, **options)

    return rule
