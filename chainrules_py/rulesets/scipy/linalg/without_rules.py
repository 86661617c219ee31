"""The names of `scipy.linalg` that have no rule, each with the reason."""

_BASIS = (
    "its columns are an arbitrary basis of a space; the projector onto it, by pinv, is"
    " differentiable"
)
_SCHUR = (
    "its vectors turn by an equation that nobody solved here; schur, eig, and functions such as"
    " sqrtm, have rules"
)
_UPDATE = "nobody wrote the derivative; call qr of the changed matrix, which has the rule"
_LAPACK = "it gives functions that write into buffers"
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(("null_space", "orth"), _BASIS),
    **dict.fromkeys(("hessenberg", "qz", "ordqz", "cdf2rdf"), _SCHUR),
    **dict.fromkeys(("qr_delete", "qr_insert", "qr_update"), _UPDATE),
    "qr_multiply": (
        "nobody wrote the derivative; multiply by the matrix Q of qr, which has the rule"
    ),
    "ldl": "its pivots of two rows are chosen by size; cholesky and lu have rules",
    "cossin": "nobody wrote the derivative; svd of the blocks has the rule",
    "subspace_angles": (
        "it is arccos of the singular values of a product of bases, or arcsin; write that with"
        " svdvals"
    ),
    "funm": (
        "it computes by eigenvalues that must differ; expm, logm, sqrtm and their like have rules,"
        " and chainrules_py.rulesets.linalg.hermitian_function takes any function"
    ),
    "expm_cond": "it is a bound for rounding errors",
    "clarkson_woodruff_transform": (
        "it multiplies by a random matrix; draw the matrix and write the product"
    ),
    **dict.fromkeys(("get_blas_funcs", "get_lapack_funcs", "find_best_blas_type"), _LAPACK),
    **dict.fromkeys(("LinAlgError", "LinAlgWarning"), "it is a class of errors"),
}
