"""The names of `scipy.integrate` that have no rule, each with the reason."""

_NODES = "sum the function at the nodes of numpy.polynomial.legendre.leggauss, which is differentiated"
NO_RULE_YET: dict[str, str] = {
    "fixed_quad": f"it calls a function: {_NODES}",
    "newton_cotes": "its arguments are whole numbers, and it has no derivative",
    "lebedev_rule": "its arguments are whole numbers, and it has no derivative",
}
