"""The names of `scipy.integrate` that have no rule, each with the reason."""

from scipy import integrate

_VECTOR = "quad_vec has the rule, for integrands of any shape"
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(("cubature", "tanhsinh"), _VECTOR),
    "qmc_quad": "its points are drawn: take the mean of the integrand over points of your own",
    **dict.fromkeys(
        ("newton_cotes", "lebedev_rule"), "its nodes and weights depend on whole numbers"
    ),
    "nsum": "nobody wrote it yet: a sum of derivatives, term by term",
    "solve_bvp": (
        "its mesh follows the solution: shoot with root and solve_ivp, which have rules"
        " (docs/design/equations.md)"
    ),
    **{
        name: "it is a class; solve_ivp has the rule"
        for name in integrate.__all__
        if isinstance(getattr(integrate, name), type)
    },
}
