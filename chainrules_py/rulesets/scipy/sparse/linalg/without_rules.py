"""The names of `scipy.sparse.linalg` that have no rule, each with the reason."""

from chainrules_py.rulesets.scipy.reasons import reason_of_each

NO_RULE_YET: dict[str, str] = reason_of_each(
    {
        "its result is dense in general, or has another pattern; scipy.linalg's function "
        "of the same name has the rule": ("inv expm"),
        "write the products, which have rules": "matrix_power",
        "nobody wrote the derivative by a sparse matrix; eigh and svd of the whole matrix"
        " have rules": ("eigs eigsh svds lobpcg"),
        "it gives an object; chainrules_tape.scipy.sparse.linalg has one whose method "
        "solve is differentiable in the columns": ("splu factorized SuperLU"),
        "it gives an approximation for preconditioners, which do not change a solution": ("spilu"),
        "chainrules_tape.scipy.sparse.linalg has a function of this name that is differentiated": (
            "lsqr lsmr"
        ),
        "nobody wrote the derivative; expm_multiply has the rule": "funm_multiply_krylov",
        "it is an estimate": "onenormest",
        "it tells or sets how systems are solved": "is_sptriangular spbandwidth use_solver",
        "it makes an operator, a constant of the solvers": (
            "LinearOperator aslinearoperator LaplacianNd"
        ),
        "it is a class of errors": "ArpackError ArpackNoConvergence MatrixRankWarning",
    }
)
