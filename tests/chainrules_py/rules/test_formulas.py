"""Partial derivatives for readers: as expressions in functions that people know, or in words; and
each expression that is shown is what the rule computes.
"""

import ast
import math
import operator
import re
from functools import wraps
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, special

from chainrules_py import default_rules, primitive
from chainrules_py.rules.formulas import expression_of, in_latex, in_python
from chainrules_py.testing import load_shipped, samples_of


def slope(x, out, xp):
    """The slope of something."""
    return xp.where(x == 0, 0, 2 * xp.exp(x) / out)


def by_steps(x):
    """It takes two steps."""
    y = x * x
    return y + 1


def in_silence(x):
    y = x * x
    return y + 1


def call(function, *args):
    return function(*args)


def closure(sign, function):
    def of_other(x, xp):
        return sign * call(function, x, xp)

    return of_other


def changed(function, then):
    @wraps(function)
    def wrapper(*args):
        return then(function(*args))

    return wrapper


def density(a, x):
    """x**(a - 1) * exp(-x) / gamma(a), for positive x."""
    return by_steps(x)


def power_by_a(a, x):
    """integral(log(t), t, 0, x) / a, by its exponent."""
    return by_steps(x)


def half_density(a, x, xp):
    return 0.5 * density(0.5 * a, xp.exp(x))


def quotient(a, out, xp):
    return -call(power_by_a, a, out) / density(a, out)


@primitive
def one_operation(x):
    return x * x


@primitive
def told(x):
    """x**3: it is cubed."""
    return x * x * x


def in_circles(x):
    return x * in_circles(x - 1)


def known(x, xp):
    return one_operation(x) + told(1.0 * x + 0.0)


HALF = r"\begin{cases}0 & x = 0\\\frac{2 \, \exp\left(x\right)}{y} & \text{otherwise}\end{cases}"
FIRST, SECOND = (lambda a, b: a - b), (lambda a, b: b - a)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (slope, HALF),
        (by_steps, r"\text{It takes two steps}"),
        (in_silence, r"\mathtt{in_silence}"),
        (lambda z: z**3, "z^{3}"),
        (FIRST, "a - b"),
        (SECOND, "b - a"),
        (closure(0.5, slope), rf"0.5 \, {HALF}"),
        (closure(-1, by_steps), r"-\operatorname{by\_steps}\left(x\right)"),
        (changed(slope, operator.neg), f"-{HALF}"),
        (changed(by_steps, operator.neg), r"\text{minus: It takes two steps}"),
        (changed(slope, operator.pos), r"\mathtt{slope}"),
        (changed(in_silence, operator.neg), r"\mathtt{in_silence}"),
        (power_by_a, r"\frac{\int_{0}^{x} \log\left(t\right) \, dt}{a}"),
    ],
)
def test_functions_are_written_as_formulas(function, expected):
    assert in_latex(function, "y") == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (half_density, "0.5 * (exp(x) ** (0.5 * a - 1) * exp(-exp(x)) / gamma(0.5 * a))"),
        (quotient, "-dpower_da(a, y) / (y ** (a - 1) * exp(-y) / gamma(a))"),
        (known, "one_operation(x) + x ** 3"),
        (by_steps, "It takes two steps"),
        (in_silence, "in_silence"),
        (in_circles, "in_circles"),
    ],
)
def test_functions_that_are_called_are_written_out(function, expected):
    assert in_python(function, "y") == expected


def test_a_function_that_python_cannot_show_says_what_it_does():
    assert in_latex(abs, "y").startswith(r"\text{")


# --- Each expression is what the rule computes ---


def shown_expressions():
    """The rules with an expression in them, its position and text, and arguments to try it at."""
    load_shipped()
    for rule in default_rules.load_all().rules():
        is_public = "rulesets" in rule.where and "chainrules" not in rule.label
        if rule.mode != "reverse" or not rule.written_partials or not is_public:
            continue
        partials = [partial for row in rule.written_partials() for partial in row]
        texts = rule.expressions().items()
        samples = [s for s in samples_of(rule.primal, "float64") if is_for(rule, s)]
        for position, (partial, (of, text)) in enumerate(zip(partials, texts, strict=True)):
            if samples and text != "0" and expression_of(partial) is not None:
                yield f"{rule.label} {of}", rule, position, text, samples[0].args


def is_for(rule, sample):
    return len(sample.args) == len(rule.names) and not sample.options and not sample.error


class Callables(ast.NodeTransformer):
    """Makes functions of what is integrated and summed."""

    def visit_Call(self, node):
        node = self.generic_visit(node)
        if node.func.id in ("integral", "total"):
            body, variable, *ends = node.args
            bound = ast.arguments([], [ast.arg(variable.id)], None, [], [], None, [])
            node.args = [ast.Lambda(bound, body), *ends]
        return node


def integrated(function, low, high):
    return integrate.quad(function, low, high, epsabs=1e-13, epsrel=1e-11, limit=500)[0]


def summed(function, low, high):
    return sum(function(k) for k in range(int(low), int(min(high, 200)) + 1))


OWN = SimpleNamespace(integral=integrated, total=summed)


def meaning(name):
    """What a name in an expression is: a function of NumPy, SciPy or Python, or the derivative of
    one of SciPy's.
    """
    derivative = re.fullmatch(r"d(\w+)_d([a-z]+)", name)
    if not derivative:
        homes = (home for home in (OWN, np, special, math) if hasattr(home, name))
        return getattr(next(homes), name)
    function = getattr(special, derivative[1])
    names = next(iter(default_rules.rules(function))).names
    return lambda *args: by_differences(function, names.index(derivative[2]), args)


def by_differences(function, position, args):
    step = 1e-4 * max(abs(args[position]), 1e-2)

    def moved(times):
        at = (arg + times * step * (k == position) for k, arg in enumerate(args))
        return function(*at)

    return (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step)


def last_entry(value):
    return np.asarray(value).ravel()[-1]


def is_what_the_rule_computes(rule, position, text, args):
    tree = ast.fix_missing_locations(Callables().visit(ast.parse(text, mode="eval")))
    args = [last_entry(arg) for arg in args]
    y = rule.primal(*args)
    rows = rule.partials(y, *args)
    outs = y if isinstance(y, tuple) else ()
    if outs:
        rows = [partial for row in rows for partial in row]
    out = "y" if "y" not in rule.names else "f"
    values = {out: y} | {f"{out}_{k}": one for k, one in enumerate(outs)}
    values |= dict(zip(rule.names, args, strict=True))
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - bound
    values |= {name: meaning(name) for name in used - values.keys()}
    found = eval(compile(tree, "", "eval"), values)
    return np.allclose(found, rows[position], rtol=1e-6, atol=1e-12)


def test_what_is_shown_is_what_rules_compute():
    shown = [*shown_expressions()]
    assert len(shown) > 400
    assert [name for name, *one in shown if not is_what_the_rule_computes(*one)] == []
