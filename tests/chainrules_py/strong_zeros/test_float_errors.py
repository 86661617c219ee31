"""What is done about floating-point errors in each mode of the caller's, and where a result is
strict.
"""

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

from chainrules_py.strong_zeros.float_errors import STRICT, FloatErrors, computes_strictly

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

    def __init__(self) -> None:
        self.found: list[Any] = []

    def write(self, message: str) -> None:
        self.found.append(message)

    def __call__(self, error: str, flag: int) -> None:
        self.found.append((error, flag))


def said(state: dict[str, Any], call: Any, capfd: Any) -> list[Any]:
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
def test_each_mode_does_what_numpy_does(mode: str, capfd: Any) -> None:
    for modes in (dict.fromkeys(MODES, mode), {**MODES, "invalid": mode}, {**HERE, "divide": mode}):
        errors = FloatErrors(modes, Log())
        assert said(errors.reporting_modes(), errors, capfd) == said(modes, Log(), capfd)


def test_only_what_is_to_be_reported_is() -> None:
    assert FloatErrors(HERE, None).reporting_modes() == {**HERE, "invalid": "log"}
    assert set(FloatErrors(dict.fromkeys(MODES, "raise"), None).reporting_modes().values()) == {
        "raise"
    }


@pytest.mark.parametrize("mode", ["ignore", "warn", "call", "print", "log"])
def test_a_strict_result_that_is_invalid_raises(mode: str) -> None:
    errors = FloatErrors({**HERE, "invalid": mode}, Log())
    with np.errstate(**errors.reporting_modes(), call=errors):  # type: ignore[arg-type]
        y = STRICT
        with pytest.raises(FloatingPointError, match="invalid value encountered in multiply"):
            CAUSES["invalid"]()
        y = CAUSES["divide"]()
    assert y.tolist() == [-np.inf]


def test_who_computes_strictly() -> None:
    frame: Any = inspect.currentframe()
    assert not computes_strictly(frame)
    y = STRICT
    assert computes_strictly(frame)
    y = np.zeros(2)
    assert not computes_strictly(frame)
    assert y.size == 2
