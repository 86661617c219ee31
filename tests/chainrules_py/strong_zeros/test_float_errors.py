"""What is done about floating-point errors in each mode of the caller's, and where a result is
strict.
"""

import sys
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

from chainrules_py.introspection import users_level
from chainrules_py.strong_zeros.float_errors import FloatErrors, Strictness

MODES = dict.fromkeys(("divide", "over", "under", "invalid"), "warn")
CAUSES = {
    "divide": lambda: np.log(np.zeros(1)),
    "over": lambda: np.exp(np.full(1, 1e9)),
    "under": lambda: np.multiply(np.full(1, 1e-300), 1e-300),
    "invalid": lambda: np.multiply(np.zeros(1), np.inf),
}
HERE = dict.fromkeys(MODES, "ignore")


class Log:
    """Remembers what NumPy calls it with."""

    def __init__(self):
        self.found: list[Any] = []

    def write(self, message: str):
        self.found.append(message)

    def __call__(self, error: str, flag: int):
        self.found.append((error, flag))


def said(state: dict[str, Any], call, capfd) -> list[Any]:
    """What is warned, logged, raised and printed of each kind of error."""
    log = call.call if isinstance(call, FloatErrors) else call
    log.found.clear()
    with np.errstate(**state, call=call), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for cause in CAUSES.values():
            try:
                cause()
            except FloatingPointError as error:
                log.found.append(str(error))
    return [
        *log.found,
        *[(str(w.message), w.category, w.filename, w.lineno) for w in caught],
        "".join(capfd.readouterr()),
    ]


@pytest.mark.parametrize("mode", ["ignore", "warn", "raise", "call", "print", "log"])
def test_each_mode_does_what_numpy_does(mode: str, capfd):
    for modes in (dict.fromkeys(MODES, mode), {**MODES, "invalid": mode}, {**HERE, "divide": mode}):
        errors = FloatErrors(modes, Log(), Strictness())
        assert said(errors.reporting_modes(), errors, capfd) == said(modes, Log(), capfd)


def test_only_what_is_to_be_reported_is():
    assert FloatErrors(HERE, None, Strictness()).reporting_modes() == {**HERE, "invalid": "log"}
    assert set(
        FloatErrors(dict.fromkeys(MODES, "raise"), None, Strictness()).reporting_modes().values()
    ) == {"raise"}


@pytest.mark.parametrize("mode", ["ignore", "warn", "call", "print", "log"])
def test_a_strict_result_that_is_invalid_raises(mode: str):
    strictness = Strictness()
    errors = FloatErrors({**HERE, "invalid": mode}, Log(), strictness)
    with np.errstate(**errors.reporting_modes(), call=errors):  # type: ignore[arg-type]
        strictness.applies = True
        with pytest.raises(FloatingPointError, match="invalid value encountered in multiply"):
            CAUSES["invalid"]()
        assert CAUSES["divide"]().tolist() == [-np.inf]


@pytest.mark.parametrize("ours", [0, 1, 3])
def test_the_warning_is_of_the_innermost_line_that_is_not_this_librarys(ours: int):
    """The level counts from whoever calls `warnings.warn`, which is one more frame."""
    scope: dict[str, Any] = {"__name__": "chainrules_py.somewhere"}
    exec("def through(call):\n    return call()", scope)
    call: Any = lambda: users_level(sys._getframe(2))  # noqa: E731
    for _ in range(ours):
        call = partial(scope["through"], call)
    assert call() == 2 + max(ours - 1, 0)
