"""The names of `scipy.linalg` that have no rule, each with the reason."""

from chainrules_py.rulesets.scipy.reasons import reason_of_each

NO_RULE_YET: dict[str, str] = reason_of_each(
    {
        "its columns are an arbitrary basis of a space; the projector onto it, by pinv, "
        "is differentiable": ("null_space orth"),
        "its vectors turn by an equation that nobody solved here; schur, eig, and "
        "functions such as sqrtm, have rules": ("hessenberg qz ordqz cdf2rdf"),
        "nobody wrote the derivative; call qr of the changed matrix, which has the rule": (
            "qr_delete qr_insert qr_update"
        ),
        "nobody wrote the derivative; multiply by the matrix Q of qr, which has the rule": (
            "qr_multiply"
        ),
        "its pivots of two rows are chosen by size; cholesky and lu have rules": "ldl",
        "nobody wrote the derivative; svd of the blocks has the rule": "cossin",
        "it is arccos of the singular values of a product of bases, or arcsin; write that"
        " with svdvals": ("subspace_angles"),
        "it computes by eigenvalues that must differ; expm, logm, sqrtm and their like "
        "have rules, and chainrules_py.rulesets.linalg.hermitian_function takes any "
        "function": ("funm"),
        "it is a bound for rounding errors": "expm_cond",
        "it multiplies by a random matrix; draw the matrix and write the product": (
            "clarkson_woodruff_transform"
        ),
        "it gives functions that write into buffers": (
            "get_blas_funcs get_lapack_funcs find_best_blas_type"
        ),
        "it is a class of errors": "LinAlgError LinAlgWarning",
    }
)
