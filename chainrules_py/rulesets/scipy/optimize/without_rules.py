"""The names of `scipy.optimize` that have no rule, each with the reason."""

from scipy import optimize

from chainrules_py.makers import non_differentiable
from chainrules_py.rulesets.scipy.reasons import reason_of_each

non_differentiable(optimize.linear_sum_assignment)
_CLASS = "it is a class"
NO_RULE_YET: dict[str, str] = {
    **{name: _CLASS for name in optimize.__all__ if isinstance(getattr(optimize, name), type)},
    **reason_of_each(
        {
            "minimize(method=...) is the same method, and has the rule": """
                fmin fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp
                fmin_tnc
            """,
            "minimize_scalar(method=...) is the same method, and has the rule": (
                "brent golden fminbound"
            ),
            "root(method=...) is the same method, and has the rule": """
                anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov
            """,
            "it is a search among permutations; linear_sum_assignment is declared to have no "
            "derivative": "quadratic_assignment",
            "it prints a text": "show_options",
            "start minimize, which has the rule, from what it finds": (
                "basinhopping brute differential_evolution direct dual_annealing shgo"
            ),
            "its solution is a vertex: solve the constraints that hold there as a linear system": (
                "linprog milp linprog_verbose_callback"
            ),
            "it takes finite differences of a function: differentiate the function": (
                "approx_fprime check_grad"
            ),
            "it is one step of a minimisation: differentiate the minimum": "bracket line_search",
            "nobody wrote it yet: it is the mean over each of its blocks": "isotonic_regression",
            "chainrules_tape.scipy.optimize computes it, by NumPy's functions": (
                "rosen rosen_der rosen_hess rosen_hess_prod"
            ),
        }
    ),
}
