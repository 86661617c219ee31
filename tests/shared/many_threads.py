"""Threads that change the table of rules while others differentiate: run as a program of its own,
for so many seconds.

A process of its own has packs of rules that nobody has imported yet, and ends with what was
registered. The threads switch as often as they can.
"""

import importlib
import sys
import threading
import time
import traceback
import warnings

import numpy as np

from chainrules_py import (
    Array,
    ArrayLibrary,
    NoRuleError,
    RuleTable,
    default_rules,
    frule,
    primitive,
    register_library,
    rrule,
    scalar_rule,
)
from chainrules_py.values.shipped import FUNCTIONS
from chainrules_tape import compiled, grad, hvp, jacobian, jvp, taylor, vmap

X = np.array([0.1, 0.2, 0.3])
PAUSE = 0.01  # after each change: each has all plans made anew
HOMES = ("scipy.special", "scipy.linalg", "scipy.signal", "scipy.fft", "numpy", "numpy.linalg")


@primitive
def tripled(x):
    return 3.0 * x


def tripled_rrule(x: Array):
    return tripled(x), lambda y_bar: (3.0 * y_bar,)


@frule.register(tripled)
def tripled_frule(dots, x: Array):
    return tripled(x), 3.0 * dots[0]


# What changes the table, or reads all of it


def register_a_function_that_is_no_primitive(k):
    def doubled(x):
        return 2.0 * x

    rrule.register(doubled)(lambda x: (doubled(x), lambda y_bar: (2.0 * y_bar,)))


def register_a_primitive(k):
    times = primitive(lambda x: k * x)
    scalar_rule(times, "x", str(float(k)))
    require_close(grad(lambda x: np.sum(times(x)))(X), k)


def replace_a_rule(k):
    rrule.register(tripled)(tripled_rrule)


def opt_out_in_an_overlay(k):
    rules = RuleTable(parent=default_rules, name=f"overlay {k}")
    rules.rrule.opt_out(tripled, Array)
    assert rules.rule_for("reverse", tripled, (np.ndarray,)) is None
    require_close(grad(lambda x: np.sum(tripled(np.sin(x))))(X), 3.0 * np.cos(X))
    try:
        grad(lambda x: np.sum(tripled(x)), rules=rules)(X)
    except NoRuleError:
        return
    raise AssertionError("an overlay that opts out has a rule")


def remove_a_rule(k):
    rules = RuleTable(parent=default_rules, name=f"overlay {k}")
    rules.rrule.register(np.sin)(lambda x: (np.sin(x), lambda y_bar: (7.0 * y_bar,)))
    require_close(rules.rrule(np.sin, X)[1](np.ones(3))[0], 7.0)
    rules.remove("reverse", np.sin)
    require_close(rules.rrule(np.sin, X)[1](np.ones(3))[0], np.cos(X))


def give_another_name(k):
    def other_name(x):
        return np.sin(x)

    default_rules.alias(other_name, np.sin)
    require_close(rrule(other_name, X)[1](np.ones(3))[0], np.cos(X))


def subscribe_and_stop(k):
    stop = default_rules.on_new_rule(lambda rule: None, replay=k % 20 == 0)
    stop()


def list_everything(k):
    assert default_rules.rules()
    assert len(list(default_rules.made_rules())) > 0
    assert len(list(default_rules.primals())) > 0
    assert "RuleTable" in repr(default_rules)
    assert not default_rules.has_ufunc(tripled)


def add_an_array_library(k):
    made = type(f"Array{k}", (), {"dtype": float, "shape": ()})
    register_library(ArrayLibrary(f"library {k}", np, (made,), priority=-1))
    time.sleep(10 * PAUSE)


def ask_for_a_function_of_a_pack(k):
    names = [name for name in FUNCTIONS if name.rpartition(".")[0] in HOMES]
    home, _, name = names[k % len(names)].rpartition(".")
    function = getattr(importlib.import_module(home), name, None)
    if function is not None:
        assert list(default_rules.rules(function))


CHANGES = (
    *(register_a_function_that_is_no_primitive, register_a_primitive, replace_a_rule),
    *(opt_out_in_an_overlay, remove_a_rule, give_another_name, subscribe_and_stop),
    *(list_everything, add_an_array_library, ask_for_a_function_of_a_pack),
)


# What differentiates, a new function each time


def first_derivatives(k):
    expected = 3.0 * (np.cos(k * X) * k * X + np.sin(k * X))
    require_close(grad(lambda x: np.sum(np.sin(k * x) * tripled(x)))(X), expected)
    require_close(jvp(lambda x: np.sin(k * x) * tripled(x), (X,), (X,))[1], expected * X)


def second_derivatives(k):
    c = k % 100
    expected = 3.0 * c * X * (2.0 * np.cos(X) - X * np.sin(X))
    require_close(hvp(lambda x: np.sum(np.sin(x) * c * tripled(x)), X, X), expected)


def many_examples(k):
    require_close(vmap(lambda x: np.sum(tripled(x) * k))(np.ones((2, 3))), [9.0 * k] * 2)


def matrices(k):
    require_close(jacobian(lambda x: k * tripled(x) ** 2)(X), np.diag(18.0 * k * X))


def sparse_matrices(k):
    found = jacobian(lambda x: k * x**2, sparse=True)(X)
    require_close(found.toarray(), np.diag(2.0 * k * X))


def series(k):
    found = taylor(lambda x: k * np.exp(x), X, order=3)
    require_close(found, [k * np.exp(X) / n for n in (1.0, 1.0, 2.0, 6.0)])


def compiled_functions(k):
    slope = compiled(grad(lambda x: np.sum(k * tripled(x) ** 2)))
    for _ in range(4):
        require_close(slope(X), 18.0 * k * X)


def rules_themselves(k):
    require_close(rrule(tripled, X)[1](X)[0], 3.0 * X)
    require_close(frule((X,), tripled, X)[1], 3.0 * X)


USES = (
    *(first_derivatives, second_derivatives, many_examples, matrices, sparse_matrices),
    *(series, compiled_functions, rules_themselves),
)


def require_close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected + 0.0 * np.asarray(found), rtol=1e-10)


def run(seconds):
    """Run all at once, and return how often each ran, and the first error as text."""
    rrule.register(tripled)(tripled_rrule)
    counts = dict.fromkeys([function.__name__ for function in (*CHANGES, *USES)], 0)
    errors, end = [], time.monotonic() + seconds

    def again_and_again(function, pause):
        # each has its turn, however long the first derivatives take
        while not errors and (time.monotonic() < end or counts[function.__name__] < 2):
            try:
                function(counts[function.__name__])
            except Exception:
                errors.append(f"{function.__name__}\n{traceback.format_exc()}")
            counts[function.__name__] += 1
            time.sleep(pause)

    jobs = [(function, PAUSE) for function in CHANGES] + [(function, 0.0) for function in USES]
    threads = [threading.Thread(target=again_and_again, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts, errors


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)
    warnings.simplefilter("ignore")  # of rules that replace others, which is what is tried here
    found = run(float(sys.argv[1]))
    sys.exit("\n".join(found[1]) if found[1] else 0)
