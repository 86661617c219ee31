"""The names of `scipy.sparse` that have no rule, each with the reason."""

from scipy import sparse

from chainrules_py.rulesets.scipy.reasons import reason_of_each

_MADE = (
    "it makes a sparse matrix, of which no value can be traced: differentiate by the matrix, or by"
    " the dense factor"
)
_OF_TRACED = "it makes a sparse matrix; of traced entries chainrules_tape.scipy.sparse makes one"
_ASKED = "it tells what a matrix is"
NO_RULE_YET: dict[str, str] = {
    **{name: _ASKED for name in sparse.__all__ if name.startswith("is")},
    **reason_of_each(
        {
            _MADE: """
                dok_array dok_matrix expand_dims eye eye_array identity kronsum lil_array lil_matrix
                matrix_transpose permute_dims rand random random_array spdiags swapaxes
            """,
            _OF_TRACED: """
                block_array block_diag bmat bsr_array bsr_matrix coo_array coo_matrix csc_array
                csc_matrix csr_array csr_matrix dia_array dia_matrix diags diags_array hstack kron
                tril triu vstack
            """,
            _ASKED: "find get_index_dtype safely_cast_index_arrays",
            "it reads or writes a file": "load_npz save_npz",
            "it is a class of sparse matrices": "sparray spmatrix",
            "it is a class of warnings": "SparseWarning SparseEfficiencyWarning",
        }
    ),
}
