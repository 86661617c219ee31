"""The names of `scipy.sparse` that have no rule, each with the reason."""

from scipy import sparse

from chainrules_py.rulesets.scipy.reasons import reason_of_each

_MADE = (
    "it makes a sparse matrix, of which no value can be traced: differentiate by the matrix, or by"
    " the dense factor"
)
_HERE = "it makes a sparse matrix; of traced entries chainrules_tape.scipy.sparse makes one"
_ASKED = "it tells what a matrix is"
_FORMATS = [
    f"{form}_{kind}"
    for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
    for kind in ("array", "matrix")
]
_MAKERS = (
    "block_array",
    "block_diag",
    "bmat",
    "diags",
    "diags_array",
    "expand_dims",
    "eye",
    "eye_array",
    "hstack",
    "identity",
)
_MORE_MAKERS = (
    "kron",
    "kronsum",
    "matrix_transpose",
    "permute_dims",
    "rand",
    "random",
    "random_array",
    "spdiags",
    "swapaxes",
    "tril",
    "triu",
    "vstack",
)
_OF_TRACED = (
    *[name for name in _FORMATS if name[:3] in ("bsr", "coo", "csc", "csr", "dia")],
    *(
        "block_array",
        "block_diag",
        "bmat",
        "diags",
        "diags_array",
        "hstack",
        "kron",
        "tril",
        "triu",
        "vstack",
    ),
)
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys((*_FORMATS, *_MAKERS, *_MORE_MAKERS), _MADE),
    **dict.fromkeys(_OF_TRACED, _HERE),
    **{name: _ASKED for name in sparse.__all__ if name.startswith("is")},
    **reason_of_each(
        {
            "it tells what a matrix is": "find get_index_dtype safely_cast_index_arrays",
            "it reads or writes a file": "load_npz save_npz",
            "it is a class of sparse matrices": "sparray spmatrix",
            "it is a class of warnings": "SparseWarning SparseEfficiencyWarning",
        }
    ),
}
