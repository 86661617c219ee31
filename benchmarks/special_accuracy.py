"""The worst relative error of each first derivative of `scipy.special` over its domain, against
mpmath: a table for the docs.

    .venv/bin/python -m benchmarks.special_accuracy        # writes docs/special_functions.md

The exact derivative is that of mpmath's function in 40 digits, by a difference with a step that
leaves 15 of them. Points are spread over the domain, near its ends and on both sides of where a
formula of ours changes. The error is that of the derivative itself, relative to it; a derivative
that passes through zero is measured against the largest one of its row of points.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from scipy import special

from chainrules_py import default_rules, rrule

LINE = (-5.0, -2.2, -0.7, -1e-3, 1e-6, 0.4, 1.3, 4.1)
POSITIVE = (1e-6, 1e-2, 0.3, 1.0, 3.7, 12.0, 31.0, 120.0)
UNIT = (1e-6, 0.02, 0.3, 0.5, 0.77, 0.999)
SHAPES = (0.3, 1.0, 2.7, 14.0)
ORDERS = (0.0, 0.4, 2.5, 11.0)
DEGREES = (0, 1, 4, 9)
OFF_POLES = (-7.3, -2.7, -0.4, 1e-4, 0.6, 1.4, 8.0, 60.0)

# name: the derivative of which expression of mpmath, by x; grids of the arguments in front of x,
# and of x
BY_ARGUMENT: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = {
    "erf": ("erf(x)", (LINE,)),
    "erfc": ("erfc(x)", (LINE,)),
    "erfi": ("erfi(x)", (LINE,)),
    "erfcx": ("exp(x*x) * erfc(x)", ((-3.0, -0.4, 1e-4, 0.7, 3.0, 9.9, 10.1, 40.0),)),
    "erfinv": ("erfinv(x)", ((-0.99, -0.3, 1e-5, 0.5, 0.999),)),
    "dawsn": ("sqrt(pi) / 2 * exp(-x*x) * erfi(x)", ((-4.0, 1e-4, 0.7, 3.0, 9.9, 10.1),)),
    "ndtr": ("ncdf(x)", (LINE,)),
    "log_ndtr": ("log(ncdf(x))", ((-38.0, -6.0, -0.3, 0.2, 4.0),)),
    "expit": ("1 / (1 + exp(-x))", (LINE,)),
    "log_expit": ("-log(1 + exp(-x))", (LINE,)),
    "softplus": ("log(1 + exp(x))", (LINE,)),
    "logit": ("log(x / (1 - x))", (UNIT,)),
    "gamma": ("gamma(x)", (OFF_POLES,)),
    "rgamma": ("rgamma(x)", (OFF_POLES,)),
    "gammaln": ("log(abs(gamma(x)))", (OFF_POLES,)),
    "loggamma": ("loggamma(x)", (POSITIVE,)),
    "psi": ("psi(0, x)", (OFF_POLES,)),
    "digamma": ("psi(0, x)", (OFF_POLES,)),
    "polygamma": ("psi(n, x)", ((1, 2, 5), POSITIVE)),
    "zeta": ("zeta(n, x)", ((1.5, 4.0), POSITIVE)),
    "beta": ("beta(n, x)", (SHAPES, SHAPES)),
    "betaln": ("log(beta(n, x))", (SHAPES, SHAPES)),
    "binom": ("binomial(n, x)", ((4.3, 9.7), (0.2, 1.3, 3.9))),
    "poch": ("rf(n, x)", (SHAPES, SHAPES)),
    "expm1": ("expm1(x)", (LINE,)),
    "log1p": ("log1p(x)", (POSITIVE,)),
    "exp2": ("power(2, x)", (LINE,)),
    "exp10": ("power(10, x)", (LINE,)),
    "cbrt": ("cbrt(x)", (POSITIVE,)),
    "cosm1": ("cos(x) - 1", (LINE,)),
    "exprel": ("expm1(x) / x", ((-5.0, -0.6, -0.4, 1e-9, 0.3, 0.7, 5.0),)),
    "exp1": ("e1(x)", (POSITIVE,)),
    "expi": ("ei(x)", (POSITIVE,)),
    "expn": ("expint(n, x)", ((1, 2, 5), (0.1, 1.0, 7.0, 40.0))),
    "spence": ("polylog(2, 1 - x)", ((1e-3, 0.3, 0.96, 1.03, 1.8),)),
    "entr": ("-x * log(x)", (POSITIVE,)),
    "xlogy": ("n * log(x)", (SHAPES, POSITIVE)),
    "xlog1py": ("n * log1p(x)", (SHAPES, POSITIVE)),
    "boxcox": ("(power(n, x) - 1) / x", ((0.3, 2.0, 40.0), (-2.0, -1e-6, 1e-3, 0.7, 3.0))),
    "boxcox1p": ("(power(1 + n, x) - 1) / x", ((0.3, 2.0, 40.0), (-2.0, -1e-6, 1e-3, 0.7, 3.0))),
    "lambertw": ("lambertw(x).real", ((-0.3, 1e-5, 0.4, 2.0, 100.0),)),
    "gammainc": ("gammainc(n, 0, x, regularized=True)", (SHAPES, (1e-2, 0.6, 2.9, 13.0, 40.0))),
    "gammaincc": ("gammainc(n, x, regularized=True)", (SHAPES, (1e-2, 0.6, 2.9, 13.0, 40.0))),
    "betainc": ("betainc(n, 2.4, 0, x, regularized=True)", (SHAPES, UNIT)),
    "j0": ("besselj(0, x)", (POSITIVE,)),
    "j1": ("besselj(1, x)", (POSITIVE,)),
    "y0": ("bessely(0, x)", (POSITIVE,)),
    "y1": ("bessely(1, x)", (POSITIVE,)),
    "i0": ("besseli(0, x)", (POSITIVE,)),
    "i1": ("besseli(1, x)", (POSITIVE,)),
    "k0": ("besselk(0, x)", (POSITIVE,)),
    "k1": ("besselk(1, x)", (POSITIVE,)),
    "i0e": ("exp(-x) * besseli(0, x)", (POSITIVE,)),
    "i1e": ("exp(-x) * besseli(1, x)", (POSITIVE,)),
    "k0e": ("exp(x) * besselk(0, x)", (POSITIVE,)),
    "k1e": ("exp(x) * besselk(1, x)", (POSITIVE,)),
    "jv": ("besselj(n, x)", (ORDERS, POSITIVE[2:])),
    "yv": ("bessely(n, x)", (ORDERS, POSITIVE[2:])),
    "iv": ("besseli(n, x)", (ORDERS, POSITIVE[2:])),
    "kv": ("besselk(n, x)", (ORDERS, POSITIVE[2:])),
    "ive": ("exp(-x) * besseli(n, x)", (ORDERS, POSITIVE[2:])),
    "kve": ("exp(x) * besselk(n, x)", (ORDERS, POSITIVE[2:])),
    "yn": ("bessely(n, x)", (DEGREES, POSITIVE[2:])),
    "kn": ("besselk(n, x)", (DEGREES, POSITIVE[2:])),
    "ber": ("ber(0, x)", (POSITIVE[:6],)),
    "bei": ("bei(0, x)", (POSITIVE[1:6],)),
    "ker": ("ker(0, x)", (POSITIVE[1:6],)),
    "kei": ("kei(0, x)", (POSITIVE[1:6],)),
    "struve": ("struveh(n, x)", ((0.0, 1.3), POSITIVE[2:7])),
    "modstruve": ("struvel(n, x)", ((0.0, 1.3), POSITIVE[2:7])),
    "ellipk": ("ellipk(x)", (UNIT,)),
    "ellipe": ("ellipe(x)", (UNIT,)),
    "ellipkm1": ("ellipk(1 - x)", (UNIT,)),
    "ellipkinc": ("ellipf(n, x)", ((-4.0, 0.4, 1.5, 7.0), UNIT[:5])),
    "ellipeinc": ("ellipe(n, x)", ((-4.0, 0.4, 1.5, 7.0), UNIT[:5])),
    "elliprf": ("elliprf(x, 0.3, 1.1)", (POSITIVE,)),
    "elliprc": ("elliprc(n, x)", (SHAPES, (0.2, 0.9, 2.9, 20.0))),
    "elliprg": ("elliprg(x, 0.3, 1.1)", (POSITIVE[1:],)),
    "hyp0f1": ("hyp0f1(n, x)", (SHAPES, LINE)),
    "hyp1f1": ("hyp1f1(n, 1.6, x)", (SHAPES, LINE)),
    "hyp2f1": ("hyp2f1(n, 1.6, 2.3, x)", ((0.3, 2.7), (-3.0, -0.7, 1e-3, 0.4, 0.9))),
    "hyperu": ("hyperu(n, 1.6, x)", ((0.3, 2.7), POSITIVE[2:7])),
    "pbdv": ("pcfd(n, x)", ((0.4, 2.5), (-3.0, 0.2, 1.3, 4.0))),
    "airy": ("airyai(x)", ((-30.0, -5.0, -0.4, 1e-3, 0.9, 6.0, 30.0),)),
    "lpmv": ("legenp(2, 1, x).real", ((-0.7, 0.2, 0.8),)),
    "eval_legendre": ("legendre(n, x)", (DEGREES[1:], (-0.93, -0.3, 0.11, 0.6))),
    "eval_chebyt": ("chebyt(n, x)", (DEGREES[1:], (-0.93, -0.3, 0.11, 0.6))),
    "eval_chebyu": ("chebyu(n, x)", (DEGREES[1:], (-0.93, -0.3, 0.11, 0.6))),
    "eval_hermite": ("hermite(n, x)", (DEGREES[1:], (-2.0, -0.3, 0.11, 3.0))),
    "eval_laguerre": ("laguerre(n, 0, x)", (DEGREES[1:], (0.2, 1.3, 7.0))),
    "eval_genlaguerre": ("laguerre(n, 0.5, x)", (DEGREES[1:], (0.2, 1.3, 7.0))),
    "eval_gegenbauer": ("gegenbauer(n, 0.5, x)", (DEGREES[1:], (-0.93, -0.3, 0.11, 0.6))),
    "eval_jacobi": ("jacobi(n, 0.5, 1.2, x)", (DEGREES[1:], (-0.93, -0.3, 0.11, 0.6))),
    "sinc": ("sincpi(x)", ((-3.3, 1e-5, 0.4, 6.7),)),
    "factorial": ("factorial(x)", (POSITIVE[:7],)),
}
# Arguments that stand behind x or are written into the expression, as SciPy takes them; x is always
# last there.
CALLS: dict[str, Any] = {
    "betainc": lambda n, x: (n, 2.4, x),
    "elliprf": lambda x: (0.3, 1.1, x),
    "elliprg": lambda x: (0.3, 1.1, x),
    "hyp1f1": lambda n, x: (n, 1.6, x),
    "hyp2f1": lambda n, x: (n, 1.6, 2.3, x),
    "hyperu": lambda n, x: (n, 1.6, x),
    "lpmv": lambda x: (1, 2, x),
    "eval_genlaguerre": lambda n, x: (n, 0.5, x),
    "eval_gegenbauer": lambda n, x: (n, 0.5, x),
    "eval_jacobi": lambda n, x: (n, 0.5, 1.2, x),
}
# By the first argument, a shape or an order.
BY_PARAMETER: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = {
    "gammainc": ("gammainc(x, 0, n, regularized=True)", (SHAPES, (1e-2, 0.6, 2.9, 13.0, 40.0))),
    "gammaincc": ("gammainc(x, n, regularized=True)", (SHAPES, (1e-2, 0.6, 2.9, 13.0, 40.0))),
    "betainc": ("betainc(x, 2.4, 0, n, regularized=True)", (SHAPES, UNIT[1:5])),
    "jv": ("besselj(x, n)", (ORDERS, POSITIVE[2:])),
    "yv": ("bessely(x, n)", (ORDERS, POSITIVE[2:])),
    "iv": ("besseli(x, n)", (ORDERS[1:], POSITIVE[2:5])),
    "kv": ("besselk(x, n)", (ORDERS[1:], POSITIVE[2:])),
    "beta": ("beta(x, n)", (SHAPES, SHAPES)),
    "binom": ("binomial(x, n)", ((4.3, 9.7), (0.2, 1.3, 3.9))),
    "poch": ("rf(x, n)", (SHAPES, SHAPES)),
}


def exact(text: str, names: dict[str, Any]) -> Any:
    """Return the derivative of an expression of mpmath's by x."""
    import mpmath  # asv imports every file of this folder, and wants no mpmath

    scope = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")}
    point = mpmath.mpf(names["x"])
    code = compile(text, text, "eval")
    step = mpmath.mpf(10) ** -14 * max(abs(point), mpmath.mpf(10) ** -8)
    return mpmath.diff(lambda x: eval(code, {**scope, **names, "x": x}), point, h=step)


def points(
    name: str, by_parameter: bool
) -> Iterator[tuple[tuple[Any, ...], int, str, dict[str, Any]]]:
    """Return each call of a function, the position of the argument that moves, and the call as an
    expression of mpmath's with its names.
    """
    from mpmath import mpf

    text, grids = (BY_PARAMETER if by_parameter else BY_ARGUMENT)[name]
    for values in product(*grids):
        args = CALLS[name](*values) if name in CALLS else values
        if by_parameter:
            yield args, 0, text, {"x": values[0], "n": mpf(values[1])}
        else:
            names = (
                {"n": values[0] if isinstance(values[0], int) else mpf(values[0])}
                if len(values) > 1
                else {}
            )
            yield args, len(args) - 1, text, {**names, "x": values[-1]}


def worst_error(name: str, by_parameter: bool = False) -> float:
    """Return the worst relative error of a function's derivative at its points."""
    import mpmath

    errors, sizes = [], []
    with mpmath.workdps(40), np.errstate(all="ignore"):
        for args, position, text, names in points(name, by_parameter):
            y, pullback = rrule(getattr(special, name), *args)
            seed = (1.0, 0.0, 0.0, 0.0)[: len(y)] if isinstance(y, tuple) else np.ones_like(y)
            found, slope = np.real(pullback(seed)[position]), exact(text, names)
            errors.append(abs(mpmath.mpf(float(found)) - mpmath.re(slope)))
            sizes.append(abs(slope))
    floor = max(sizes) * mpmath.mpf(10) ** -8
    return float(max(error / max(size, floor) for error, size in zip(errors, sizes, strict=True)))


def functions() -> list[str]:
    """Return the names of the functions with a derivative."""
    public = [name for name in special.__all__ if callable(getattr(special, name))]
    moving = [
        name
        for name in public
        if any(rule.differentiable for rule in default_rules.rules(getattr(special, name)))
    ]
    return sorted(set(moving))


def errors() -> Iterator[tuple[str, bool, float]]:
    """Yield each derivative that is compared: the function, whether by its parameter, its error."""
    for name in sorted({*BY_ARGUMENT, *BY_PARAMETER}):
        if hasattr(special, name):
            for by_parameter, found in ((False, BY_ARGUMENT), (True, BY_PARAMETER)):
                if name in found:
                    yield name, by_parameter, worst_error(name, by_parameter)


def rows(found: Iterable[tuple[str, bool, float]]) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each power of ten, with the derivatives whose error is below it."""
    below: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for name, by_parameter, error in found:
        power = max(math.floor(math.log10(error)) + 1, -15)
        below[power][by_parameter].append(f"`{name}`")
    for power in sorted(below):
        of_argument, of_parameter = below[power]
        yield f"1e{power}", ", ".join(of_argument), ", ".join(of_parameter)


def document(found: Iterable[tuple[str, bool, float]]) -> str:
    """Return the text of the document, from the error of each derivative."""
    names = ", ".join(
        f"`{name}`" for name in functions() if name not in {*BY_ARGUMENT, *BY_PARAMETER}
    )
    figures = [COLUMNS, ("---",) * 3, *rows(found)]
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in figures)
    return f"{HEAD}\n{lines}\n\n{TAIL}\n\n{fill(names, 124)}.\n"


COLUMNS = "error below", "by the argument", "by a parameter"
HEAD = """# Derivatives of special functions: how accurate they are

This is the worst relative error of each first derivative of `scipy.special`, at points spread over its domain, compared with
mpmath in 40 digits. `python -m benchmarks.special_accuracy` writes it. Near a zero of a derivative, the error is relative to
1e-8 of the largest derivative. Errors of SciPy's own values are included. By the tests, second derivatives, and points beside
zeros, poles and ends of domains, are within 1e-12; `tests/shared/special_exceptions.py` lists exceptions.
"""
TAIL = """These share a formula with a function of the table, are inverses or outputs of one, or do not exist in mpmath.
The test kit compares them with differences of SciPy's values:"""

if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs", "special_functions.md").write_text(
        document(errors()), encoding="utf-8"
    )
