"""The names of `scipy.sparse.linalg` that have no rule, each with the reason."""

_DENSE = (
    "its result is dense in general, or has another pattern; scipy.linalg's function of the same"
    " name has the rule"
)
_VALUES = (
    "nobody wrote the derivative by a sparse matrix; eigh and svd of the whole matrix have rules"
)
_FACTORS = (
    "it gives an object; chainrules_tape.scipy.sparse.linalg has one whose method solve is"
    " differentiable in the columns"
)
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(("inv", "expm"), _DENSE),
    "matrix_power": "write the products, which have rules",
    **dict.fromkeys(("eigs", "eigsh", "svds", "lobpcg"), _VALUES),
    **dict.fromkeys(("splu", "factorized", "SuperLU"), _FACTORS),
    "spilu": "it gives an approximation for preconditioners, which do not change a solution",
    **dict.fromkeys(
        ("lsqr", "lsmr"),
        "chainrules_tape.scipy.sparse.linalg has a function of this name that is differentiated",
    ),
    "funm_multiply_krylov": "nobody wrote the derivative; expm_multiply has the rule",
    "onenormest": "it is an estimate",
    **dict.fromkeys(
        ("is_sptriangular", "spbandwidth", "use_solver"), "it tells or sets how systems are solved"
    ),
    **dict.fromkeys(
        ("LinearOperator", "aslinearoperator", "LaplacianNd"),
        "it makes an operator, a constant of the solvers",
    ),
    **dict.fromkeys(
        ("ArpackError", "ArpackNoConvergence", "MatrixRankWarning"), "it is a class of errors"
    ),
}
