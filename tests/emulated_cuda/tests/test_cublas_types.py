"""cuBLAS where the types are arguments; what it has for real numbers only; its handles."""

import numpy as np
import pytest

from emulated_cuda.c_calls import (
    TOLERANCES,
    call,
    close,
    columns,
    number,
    random_array,
    status_of,
)
from emulated_cuda.libraries.cublas import blas

HANDLE = 0
KINDS = {"float32": 0, "float64": 1, "float16": 2, "complex64": 4, "complex128": 5}
IN_SINGLE, IN_HALF, IN_DOUBLE = 68, 64, 70
COMPUTE = {
    "float16": IN_SINGLE,
    "float32": IN_SINGLE,
    "float64": IN_DOUBLE,
    "complex64": IN_SINGLE,
    "complex128": IN_DOUBLE,
}


def scalars(dtype):
    """1 and 0 in the type that the compute type has for them."""
    kind = "float32" if dtype == "float16" else dtype
    return number(1, kind), number(0, kind)


@pytest.mark.parametrize("dtype", KINDS)
def test_types_as_arguments(dtype):
    kind = KINDS[dtype]
    (a, lda), (b, ldb) = columns(random_array(dtype, 4, 5)), columns(random_array(dtype, 3, 5))
    c, ldc = columns(np.full((4, 3), np.nan, dtype))
    one, zero = scalars(dtype)
    arguments = one, a, kind, lda, b, kind, ldb, zero, c, kind, ldc
    call(blas, "cublasGemmEx", HANDLE, 0, 2, 4, 3, 5, *arguments, COMPUTE[dtype], -1)
    close(c, a @ b.conj().T)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("older", [False, True])
def test_types_as_arguments_of_batches(dtype, older):
    kind = KINDS[dtype]
    a, b = random_array(dtype, 2, 4, 5), random_array(dtype, 2, 5, 3)
    stacks = [np.ascontiguousarray(x.swapaxes(1, 2)) for x in (a, b, np.zeros((2, 4, 3), dtype))]
    one, zero = scalars(dtype)
    compute = KINDS["float32" if dtype == "float16" else dtype] if older else COMPUTE[dtype]
    arguments = one, stacks[0], kind, 4, 20, stacks[1], kind, 5, 15, zero, stacks[2], kind, 4, 12, 2
    call(blas, "cublasGemmStridedBatchedEx", HANDLE, 0, 0, 4, 3, 5, *arguments, compute, -1)
    close(stacks[2].swapaxes(1, 2), a @ b)


def test_half_precision_is_summed_in_single():
    """In half precision 2048 + 1 is 2048."""
    a, b, c = (
        np.ones((1, 4096), np.float16),
        np.ones((4096, 1), np.float16),
        np.zeros((1, 1), np.float16),
    )
    one, zero = scalars("float16")
    call(blas, "cublasSgemmEx", HANDLE, 0, 0, 1, 1, 4096, one, a, 2, 1, b, 2, 4096, zero, c, 2, 1)
    assert c[0, 0] == 4096


def test_scalars_may_be_half():
    a, c, one = np.ones((1, 1), np.float16), np.zeros((1, 1), np.float16), number(1, "float16")
    call(
        blas,
        "cublasGemmEx",
        HANDLE,
        0,
        0,
        1,
        1,
        1,
        one,
        a,
        2,
        1,
        a,
        2,
        1,
        one,
        c,
        2,
        1,
        IN_HALF,
        -1,
    )
    assert c[0, 0] == 1


def test_other_types_are_refused():
    a, one = np.ones((1, 1), np.int8), number(1, "i")
    status = status_of(
        blas,
        "cublasGemmEx",
        HANDLE,
        0,
        0,
        1,
        1,
        1,
        one,
        a,
        3,
        1,
        a,
        3,
        1,
        one,
        a,
        3,
        1,
        IN_SINGLE,
        -1,
    )
    assert status == blas.unsupported


@pytest.mark.parametrize("letters", ["Cs", "Zd"])
def test_complex_vectors_by_a_real_number(letters):
    dtype = {"Cs": "complex64", "Zd": "complex128"}[letters]
    x = random_array(dtype, 5)
    wanted = 3 * x
    call(blas, f"cublas{letters}scal_v2", HANDLE, 5, number(3, x.real.dtype), x, 1)
    np.testing.assert_allclose(x, wanted, rtol=TOLERANCES[dtype])


def test_handles_keep_their_modes():
    first, second, mode, stream = (number(0, np.uintp) for _ in range(4))
    for handle in (first, second):
        call(blas, "cublasCreate_v2", handle)
    assert first[0] != second[0]
    call(blas, "cublasSetPointerMode_v2", int(first[0]), 1)
    call(blas, "cublasSetStream_v2", int(first[0]), 0x70)
    for handle, wanted in ((first, 1), (second, 0)):
        call(blas, "cublasGetPointerMode_v2", int(handle[0]), mode)
        assert mode[0] == wanted
    call(blas, "cublasGetStream_v2", int(first[0]), stream)
    assert stream[0] == 0x70
    for handle in (first, second):
        call(blas, "cublasDestroy_v2", int(handle[0]))


def test_a_destroyed_handle_is_none(capfd):
    assert status_of(blas, "cublasDestroy_v2", 0) == blas.failed
    assert "KeyError" in capfd.readouterr().err
