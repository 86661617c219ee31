"""Arrays of numbers and copies in the namespace, and rules that are registered for what stands in a
function's place.
"""

import importlib
from types import ModuleType

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import RuleTable, default_rules
from chainrules_tape import grad


def test_a_copy_of_a_buffer_may_be_written_to():
    """By NumPy's own `array`, too, which asks the buffer for a copy."""

    def f(x):
        y = np.array(tnp.zeros(2))
        y[0] = 3.0
        z = tnp.array(tnp.zeros(2), float)
        z[1] = x * y[0]
        return np.sum(z)

    assert grad(f)(2.0) == 3.0


@pytest.mark.parametrize("convert", [tnp.asarray, tnp.asanyarray, lambda x: tnp.asarray(x)[()]])
def test_a_number_becomes_an_array_without_axes(convert):
    assert grad(lambda x: convert(x) ** 3 * x)(2.0) == 32.0
    assert type(grad(convert)(2.0)) is float
    assert (
        grad(lambda x: np.ndim(tnp.asarray(x)) + isinstance(tnp.asarray(x), np.ndarray) * x)(2.0)
        == 1.0
    )


def test_a_write_into_the_array_of_a_number_leaves_the_number():
    def f(x):
        y = tnp.asarray(x)
        y[...] = 3.0 * y
        return x * y

    assert grad(f)(2.0) == 12.0


MODULES = (
    *("numpy", "numpy.linalg", "numpy.fft", "scipy.linalg", "scipy.special", "scipy.fft"),
    *("scipy.signal", "scipy.ndimage", "scipy.optimize", "scipy.integrate", "scipy.interpolate"),
    *("scipy.stats", "scipy.spatial.distance", "scipy.sparse.linalg", "scipy.fftpack"),
)


def functions_with_rules(module):
    for name in filter(str.islower, dir(module)):
        found = getattr(module, name)
        is_function = callable(found) and not isinstance(found, type | ModuleType)
        if is_function and not name.startswith("_") and found in default_rules:
            yield name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("module", MODULES)
def test_a_rule_may_be_registered_by_either_name(module):
    theirs = importlib.import_module(module)
    ours = importlib.import_module(f"chainrules_tape.{module}")
    lost = []
    for name in functions_with_rules(theirs):
        mine = RuleTable(parent=default_rules)

        def own_rrule(*args: object, **options):
            raise NotImplementedError

        mine.rrule.register(getattr(ours, name))(own_rrule)
        if all(rule.function is not own_rrule for rule in mine.rules(getattr(theirs, name))):
            lost.append(name)
    assert lost == []
