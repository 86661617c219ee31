"""Orthogonal polynomials, by argument: DLMF 18.9.15 to 18.9.26. Of order 0 they are constant."""

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.tangents import not_implemented

BY_ORDER = not_implemented("the derivative of an orthogonal polynomial by a real order")
BY_PARAMETER = not_implemented("the derivative of an orthogonal polynomial by a parameter")
_LOWER = "where(n == 0, 0, n - 1)"

OF_ORDER = {
    "legendre": f"(n + 1) / 2 * eval_jacobi({_LOWER}, 1.0, 1.0, x)",
    "sh_legendre": f"(n + 1) * eval_jacobi({_LOWER}, 1.0, 1.0, 2 * x - 1)",
    "chebyt": f"n * eval_chebyu({_LOWER}, x)",
    "chebyu": f"2 * eval_gegenbauer({_LOWER}, 2.0, x)",
    "chebyc": f"n * eval_chebys({_LOWER}, x)",
    "chebys": f"eval_gegenbauer({_LOWER}, 2.0, 0.5 * x)",
    "sh_chebyt": f"2 * n * eval_sh_chebyu({_LOWER}, x)",
    "sh_chebyu": f"4 * eval_gegenbauer({_LOWER}, 2.0, 2 * x - 1)",
    "hermite": f"2 * n * eval_hermite({_LOWER}, x)",
    "hermitenorm": f"n * eval_hermitenorm({_LOWER}, x)",
    "laguerre": f"-eval_genlaguerre({_LOWER}, 1.0, x)",
}
for name, slope in OF_ORDER.items():
    special_rule(getattr(special, f"eval_{name}"), "n, x", BY_ORDER, f"where(n == 0, 0, {slope})")

special_rule(
    special.eval_genlaguerre,
    "n, alpha, x",
    BY_ORDER,
    BY_PARAMETER,
    f"where(n == 0, 0, -eval_genlaguerre({_LOWER}, alpha + 1, x))",
)
special_rule(
    special.eval_gegenbauer,
    "n, alpha, x",
    BY_ORDER,
    BY_PARAMETER,
    f"where(n == 0, 0, 2 * alpha * eval_gegenbauer({_LOWER}, alpha + 1, x))",
)
special_rule(
    special.eval_jacobi,
    "n, alpha, beta, x",
    BY_ORDER,
    BY_PARAMETER,
    BY_PARAMETER,
    f"where(n == 0, 0, (n + alpha + beta + 1) / 2 * eval_jacobi({_LOWER}, alpha + 1, beta + 1, x))",
)
special_rule(
    special.eval_sh_jacobi,
    "n, p, q, x",
    BY_ORDER,
    BY_PARAMETER,
    BY_PARAMETER,
    f"where(n == 0, 0, (n + p) / binom(2 * n + p - 1, n) * eval_jacobi({_LOWER}, p - q + 1, q, 2 *"
    " x - 1))",
)
special_rule(
    special.lpmv,
    "m, v, x",
    not_implemented("the derivative of an associated Legendre function by its order"),
    not_implemented("the derivative of an associated Legendre function by its degree"),
    "(v * x * out - (v + m) * lpmv(m, v - 1, x)) / (x * x - 1)",
)
