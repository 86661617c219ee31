"""The names of `scipy.optimize` that have no rule, each with the reason."""

from scipy import optimize

from chainrules_py.makers import non_differentiable

non_differentiable(optimize.linear_sum_assignment)

_MINIMIZE = "minimize(method=...) is the same method, and has the rule"
_SCALAR = "minimize_scalar(method=...) is the same method, and has the rule"
_ROOT = "root(method=...) is the same method, and has the rule"
_GLOBAL = "start minimize, which has the rule, from what it finds"
_LINEAR = "its solution is a vertex: solve the constraints that hold there as a linear system"
_DIFFERENCES = "it takes finite differences of a function: differentiate the function"
_CLASS = "it is a class"
_PART = "it is one step of a minimisation: differentiate the minimum"
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(
        ("fmin", "fmin_bfgs", "fmin_cg", "fmin_cobyla", "fmin_l_bfgs_b", "fmin_ncg", "fmin_powell"),
        _MINIMIZE,
    ),
    **dict.fromkeys(("fmin_slsqp", "fmin_tnc"), _MINIMIZE),
    **dict.fromkeys(("brent", "golden", "fminbound"), _SCALAR),
    **dict.fromkeys(
        ("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing"), _ROOT
    ),
    "newton_krylov": _ROOT,
    "quadratic_assignment": (
        "it is a search among permutations; linear_sum_assignment is declared to have no derivative"
    ),
    "show_options": "it prints a text",
    **dict.fromkeys(
        ("basinhopping", "brute", "differential_evolution", "direct", "dual_annealing", "shgo"),
        _GLOBAL,
    ),
    **dict.fromkeys(("linprog", "milp", "linprog_verbose_callback"), _LINEAR),
    **dict.fromkeys(("approx_fprime", "check_grad"), _DIFFERENCES),
    **dict.fromkeys(("bracket", "line_search"), _PART),
    "isotonic_regression": "nobody wrote it yet: it is the mean over each of its blocks",
    **dict.fromkeys(
        ("rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"),
        "a function to try solvers on, of a line of NumPy",
    ),
    **{name: _CLASS for name in optimize.__all__ if isinstance(getattr(optimize, name), type)},
}
