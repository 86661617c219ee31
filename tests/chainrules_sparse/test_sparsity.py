"""`Sparsity`: what it is made of, saved and read again, and what it refuses."""

import numpy as np
import pytest
from scipy import sparse

from chainrules_tape import Sparsity, SparsityError


def test_anything_that_is_a_matrix_is_a_pattern():
    entries = [[1.0, 0.0, -2.0], [0.0, 0.0, 1.0]]
    found = [Sparsity(make(entries)) for make in (np.array, list, sparse.coo_matrix)]
    assert found[0] == found[1] == found[2]
    np.testing.assert_array_equal(found[0].pattern.toarray(), np.array(entries) != 0)


def test_explicit_zeros_and_repetitions_do_not_count():
    given = sparse.coo_array(([1.0, 0.0, 1.0], ([0, 1, 0], [1, 1, 1])), (2, 2))
    found = Sparsity(given)
    assert found.pattern.nnz == 1
    assert given.nnz == 3


def test_the_pattern_is_not_the_callers():
    own = sparse.csr_array(np.eye(3, dtype=bool))
    found = Sparsity(own)
    own.data[:] = False
    assert found.pattern.toarray().all(where=np.eye(3, dtype=bool))


def test_a_symmetric_pattern_has_mirror_images():
    found = Sparsity([[1, 1], [0, 0]], symmetric=True)
    np.testing.assert_array_equal(found.pattern.toarray(), [[True, True], [True, False]])
    with pytest.raises(SparsityError, match="square"):
        Sparsity(np.ones((2, 3)), symmetric=True)


ARROW = np.eye(20) + (np.arange(20) == 0) + (np.arange(20) == 3)[:, None]


@pytest.mark.parametrize(
    ("pattern", "symmetric"), [(np.tri(6), False), (np.tri(6), True), (ARROW, False)]
)
def test_saved_and_loaded(tmp_path, pattern, symmetric):
    path = tmp_path / "pattern.npz"
    made = Sparsity(pattern, symmetric=symmetric, dense_because=("numpy.sort at f.py:3",))
    made.save(path)
    found = Sparsity.load(path)
    assert found == made
    assert found.dense_because == made.dense_because
    assert found.by_columns == made.by_columns
    np.testing.assert_array_equal(found.colours, made.colours)
    np.testing.assert_array_equal(found.places, made.places)
    assert (found.apart is None) == (pattern is not ARROW)


def test_a_disk_that_becomes_full_leaves_the_former_file(tmp_path):
    resource = pytest.importorskip("resource")  # of Unix
    path = tmp_path / "pattern.npz"
    SAVED.save(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1200, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            Sparsity(np.random.default_rng(0).random((200, 200)) < 0.1).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert Sparsity.load(path) == SAVED
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_before_rows_were_found_apart(tmp_path):
    SAVED.save(tmp_path / "pattern.npz")
    with np.load(tmp_path / "pattern.npz") as parts:
        before = {name: part for name, part in parts.items() if name != "apart"}
    np.savez(tmp_path / "pattern.npz", **before)
    assert Sparsity.load(tmp_path / "pattern.npz") == SAVED


def test_patterns_that_differ_are_not_equal():
    assert Sparsity(np.eye(3)) != Sparsity(np.eye(4))
    assert Sparsity(np.eye(3)) != Sparsity(np.eye(3)[::-1])
    assert Sparsity(np.eye(3)) != Sparsity(np.eye(3), symmetric=True)


def test_how_it_prints():
    assert repr(Sparsity(np.eye(2))) == "Sparsity of 2 x 2, 2 entries"
    assert "symmetric" in repr(Sparsity(np.eye(2), symmetric=True))
    assert "dense in 1 places" in repr(Sparsity(np.eye(2), dense_because=("here",)))


SAVED = Sparsity(np.eye(4) + np.eye(4, k=1))


ROW = np.arange(20)
DAMAGES = {
    "an index too large": (SAVED, {"indices": SAVED.pattern.indices + 1}),
    "an index below zero": (SAVED, {"indices": SAVED.pattern.indices - 1}),
    "rows that end before they begin": (SAVED, {"indptr": SAVED.pattern.indptr[::-1]}),
    "a row too few": (SAVED, {"indptr": SAVED.pattern.indptr[1:]}),
    "another shape": (SAVED, {"shape": (3, 4)}),
    "one colour for all": (SAVED, {"colours": np.zeros(4, int)}),
    "a colour too few": (SAVED, {"colours": SAVED.colours[1:]}),
    "a colour below zero": (SAVED, {"colours": SAVED.colours - 1}),
    "colours that are no integers": (SAVED, {"colours": SAVED.colours * 1.0}),
    "columns of one colour": (SAVED, {"by_columns": False, "colours": np.array([0, 0, 1, 1])}),
    "no rows apart": (Sparsity(ARROW), {"apart": np.full(20, -1)}),
    "all rows as one": (Sparsity(ARROW), {"apart": np.zeros(20, int)}),
    "rows that are no integers": (Sparsity(ARROW), {"apart": np.where(ROW == 3, 0.0, -1.0)}),
    "too few rows": (Sparsity(ARROW), {"apart": np.where(ROW[1:] == 3, 0, -1)}),
    "two rows in a column": (Sparsity(ARROW), {"apart": np.where(ROW < 4, 0, -1)}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_when_it_is_loaded(damage, tmp_path):
    made, changed = DAMAGES[damage]
    made.save(path := tmp_path / "pattern.npz")
    with np.load(path) as parts:
        np.savez(path, **{**parts, **changed})
    with pytest.raises(SparsityError, match=r"Sparsity.load.*pattern.npz.*save again"):
        Sparsity.load(path)


def test_a_file_of_another_kind_is_refused_when_it_is_loaded(tmp_path):
    path = tmp_path / "pattern.npz"
    Sparsity(np.eye(3)).save(path)
    half = path.read_bytes()[:200]
    np.save(tmp_path / "array.npy", np.eye(3))
    np.savez(tmp_path / "part.npz", shape=(3, 3))
    with pytest.raises(SparsityError, match="indices"):
        Sparsity.load(tmp_path / "part.npz")
    for content in (half, b"", b"text", (tmp_path / "array.npy").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(SparsityError, match=r"Sparsity.load.*holds no pattern.*save again"):
            Sparsity.load(path)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("shape", [(0, 0), (3, 3)])
def test_an_empty_pattern_is_loaded(shape, symmetric, tmp_path):
    made = Sparsity(np.zeros(shape), symmetric=symmetric)
    made.save(tmp_path / "pattern.npz")
    assert Sparsity.load(tmp_path / "pattern.npz") == made
