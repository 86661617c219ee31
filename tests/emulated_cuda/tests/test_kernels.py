"""Kernels written for the purpose: instructions on bits, roundings, warps, atomic operations."""

from fractions import Fraction

import numpy as np
import pytest

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.gpu
MOST = 2**32 - 1


def run(code, *arrays, threads=1, blocks=1, shared=0):
    """Launch the kernel `k` of a source."""
    cupy.RawKernel(code, "k", options=("--device-int128",))(
        (blocks,), (threads,), arrays, shared_mem=shared
    )
    return arrays[0].get()


HEADER = """#include <cuda_fp16.h>
__device__ unsigned signs(unsigned a, unsigned b, unsigned c) {
    asm("prmt.b32 %0, %0, %1, %2;" : "+r"(a) : "r"(b), "r"(c));
    return a;
}
"""
NAMES = (
    "unsigned a = 0x89ABCDEFu * one, b = 0x12345678u * one; float x = 0.1f * one; double y = 0.1 *"
    " one;"
)
NAMES += "unsigned long long c = 0xFEDCBA9876543210ull * one, d = 0x0123456789ABCDEFull * one;"


def values_of(c_type, dtype, expressions):
    """Each expression of C, evaluated on the device; the factor `one` hides the values of its names
    from the compiler.
    """
    lines = "".join(
        f"out[{k}] = ({c_type})({expression});\n" for k, expression in enumerate(expressions)
    )
    code = (
        f'{HEADER} extern "C" __global__ void k({c_type} *out, long long one) {{ {NAMES} {lines} }}'
    )
    return run(code, cupy.zeros(len(expressions), dtype), np.int64(1)).tolist()


A, B, C, D = 0x89ABCDEF, 0x12345678, 0xFEDCBA9876543210, 0x0123456789ABCDEF
TENTH = int(np.float32(0.1).view(np.uint32))
UNSIGNED = {  # expression: value
    "__brev(b)": int(f"{B:032b}"[::-1], 2),
    "__popc(a)": bin(A).count("1"),
    "__clz(b)": 3,
    "__clz(a - a)": 32,
    "__ffs(b)": 4,
    "__byte_perm(a, b, 0x5140)": 0x56CD78EF,
    "signs(a, b, 0x7f8e)": 0x1200FF00,  # byte 7, and the signs of bytes 7, 0 and 6
    "__funnelshift_l(a, b, 8)": (B << 8 | A >> 24) & MOST,
    "__funnelshift_r(a, b, 12)": (B << 32 | A) >> 12 & MOST,
    "__funnelshift_lc(a, b, 40)": A,
    "__umulhi(a, b)": A * B >> 32,
    "__mulhi((int)a, (int)b)": ((A - 2**32) * B >> 32) & MOST,
    "(a & b) | (~a & 0xFF00FF00u) ^ (b >> 3)": (A & B) | ((~A & 0xFF00FF00) ^ (B >> 3)),
    "a / (b >> 20)": A // (B >> 20),
    "a % (b >> 20)": A % (B >> 20),
    "(unsigned)((int)a >> 5)": ((A - 2**32) >> 5) & MOST,
    "__usad(a, b, 7u)": A - B + 7,
    "(a >> 7) & 0x1FFF": A >> 7 & 0x1FFF,
    "min((int)a, (int)b)": A,
    "(unsigned)(short)a": 0xFFFFCDEF,
    "__float2uint_rz(-1.5f * x)": 0,
    "__float2uint_rz(x * 1e30f)": MOST,
    "(unsigned)__float2int_rz(x * -1e30f)": 2**31,
    "__float2uint_rn(25.0f * x)": 2,
    "(unsigned)__double2int_rd(-15.0 * y)": MOST - 1,
    "(unsigned)((int)a >> (b & 120))": MOST,  # further than there are bits
    "__float_as_uint(x)": TENTH,
    "__float_as_uint(fminf(sqrtf(-x), x))": TENTH,  # not nan
    "__float_as_uint(fmaxf(x, sqrtf(-x)))": TENTH,
    "(unsigned)__half_as_ushort(__float2half(x * 1.0f))": int(
        np.float16(np.float32(0.1)).view(np.uint16)
    ),
    "(unsigned)__half_as_ushort(__float2half(x * 1e-6f))": int(
        (np.float32(0.1) * np.float32(1e-6)).astype(np.float16).view(np.uint16)
    ),
    "(unsigned)__half_as_ushort(__float2half(x * 1e7f))": 0x7C00,
}
LONG = {
    "__umul64hi(c, d)": C * D >> 64,
    "__brevll(c)": int(f"{C:064b}"[::-1], 2),
    "__popcll(c)": bin(C).count("1"),
    "__clzll(d)": 7,
    "c / (d >> 40)": C // (D >> 40),
    "c % (d >> 40)": C % (D >> 40),
    "c * d": C * D % 2**64,
    "(unsigned long long)((long long)c >> 60)": 2**64 - 1,
    "c << (d & 63)": (C << (D & 63)) % 2**64,
    "(unsigned long long)(((unsigned __int128)c * d + c) >> 64)": (C * D + C) >> 64,
    "(unsigned long long)(((unsigned __int128)c << 64 | d) - ((unsigned __int128)d << 64 | c) >> 64)": (
        ((C << 64 | D) - (D << 64 | C)) >> 64
    ),
    "__double_as_longlong(y)": int(np.float64(0.1).view(np.uint64)),
    "__double2ull_rz(y * 1e30)": 2**64 - 1,
}


@pytest.mark.parametrize(("dtype", "table"), [("uint32", UNSIGNED), ("uint64", LONG)])
def test_bits(dtype, table):
    c_type = {"uint32": "unsigned", "uint64": "unsigned long long"}[dtype]
    found = values_of(c_type, dtype, table)
    assert dict(zip(table, found, strict=True)) == table


OPERATIONS = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "sub": lambda a, b: a - b}


@pytest.mark.parametrize(("letter", "dtype"), [("f", "float32"), ("d", "float64")])
def test_directed_rounding(letter, dtype):
    """Down, up and towards zero lie around the exact number, one unit apart."""
    c_type = {"f": "float", "d": "double"}[letter]
    calls = [
        f"__{letter}{name}_{mode}(a, b)" for name in OPERATIONS for mode in ("rd", "ru", "rz", "rn")
    ]
    lines = "".join(f"out[{k}] = {call};" for k, call in enumerate(calls))
    code = f'extern "C" __global__ void k({c_type} *out, {c_type} a, {c_type} b) {{ {lines} }}'
    a, b = np.dtype(dtype).type(0.1), np.dtype(dtype).type(-1.7)
    found = run(code, cupy.zeros(len(calls), dtype), a, b).reshape(3, 4)
    for operation, (down, up, zero, near) in zip(OPERATIONS.values(), found, strict=True):
        exact = operation(Fraction(float(a)), Fraction(float(b)))
        assert Fraction(float(down)) < exact < Fraction(float(up))
        assert np.nextafter(down, np.dtype(dtype).type(np.inf)) == up
        assert zero == (up if exact < 0 else down)
        assert near == operation(a, b)


def test_fused_multiply_add_rounds_once():
    code = 'extern "C" __global__ void k(double *out, double a) { out[0] = fma(a, a, -1.0); }'
    a = 1 + 2.0**-30
    assert run(code, cupy.zeros(1), a)[0] == float(Fraction(a) ** 2 - 1)


WARPS = r"""
extern "C" __global__ void k(int *out) {
    int lane = threadIdx.x & 31, n = blockDim.x, *row = out + threadIdx.x;
    unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 0xffffu;
    row[0 * n] = __shfl_sync(mask, threadIdx.x * 10, 3);
    row[1 * n] = __shfl_up_sync(mask, threadIdx.x, 2);
    row[2 * n] = __shfl_down_sync(mask, threadIdx.x, 1, 8);
    row[3 * n] = __shfl_xor_sync(mask, threadIdx.x, 5);
    row[4 * n] = __ballot_sync(mask, lane % 3 == 0);
    row[5 * n] = __any_sync(mask, threadIdx.x == 40);
    row[6 * n] = __all_sync(mask, threadIdx.x < 40);
    row[7 * n] = __syncthreads_count(threadIdx.x % 2);
    row[8 * n] = __syncthreads_or(threadIdx.x == 7);
    row[9 * n] = __syncthreads_and(threadIdx.x != 7);
    if (threadIdx.x > 40) return;
    __syncthreads();  // whoever left is not waited for
    row[10 * n] = 1;
}
"""


def test_warps_and_barriers():
    threads = 48
    found = run(WARPS, cupy.zeros((11, threads), "int32"), threads=threads)
    t = np.arange(threads)
    first, lane = t & ~31, t & 31
    partner = np.where((first == 32) & ((lane ^ 5) > 15), t, first + (lane ^ 5))
    ballots = [sum(1 << k for k in range(width) if k % 3 == 0) for width in (32, 16)]
    expected = [
        (first + 3) * 10,
        np.where(lane < 2, t, t - 2),
        np.where(t % 8 == 7, t, t + 1),
        partner,
        np.where(t < 32, *np.array(ballots, "uint32").view("int32")),
        t >= 32,
        t < 32,
        np.full(threads, threads // 2),
        np.ones(threads),
        np.zeros(threads),
        t <= 40,
    ]
    np.testing.assert_array_equal(found, np.array(expected).astype(int))


REVERSED = r"""
extern "C" __global__ void k(float *out) {
    extern __shared__ float dynamic[];
    __shared__ float fixed[64];
    fixed[threadIdx.x] = threadIdx.x; dynamic[threadIdx.x] = blockIdx.x;
    __syncthreads();
    int other = blockDim.x - 1 - threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = fixed[other] + 100 * dynamic[other];
}
"""


def test_shared_memory():
    found = run(REVERSED, cupy.zeros((3, 64), "float32"), threads=64, blocks=3, shared=256)
    np.testing.assert_array_equal(found, np.arange(64)[::-1] + 100 * np.arange(3)[:, None])


ATOMIC = r"""
extern "C" __global__ void k(int *out, double *sum, unsigned long long *wide, float *single) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out, t); atomicMax(out + 1, t); atomicMin(out + 2, -t); atomicOr(out + 3, 1 << (t & 7));
    atomicXor(out + 4, t); atomicInc((unsigned *)out + 5, 9); atomicExch(out + 6, 5); atomicSub(out + 7, 2);
    atomicAdd(sum, 0.5); atomicAdd(wide, 1ull << 33); atomicAdd(single, 0.25f);
    for (int old = out[8], seen; (seen = atomicCAS(out + 8, old, old + 3)) != old; old = seen);
}
"""


def test_atomic_operations():
    sums = cupy.zeros(1), cupy.zeros(1, "uint64"), cupy.zeros(1, "float32")
    n = 4 * 32
    found = run(ATOMIC, cupy.zeros(9, "int32"), *sums, threads=32, blocks=4)
    folded = 0
    for k in range(n):
        folded ^= k
    assert found.tolist() == [n * (n - 1) // 2, n - 1, 1 - n, 255, folded, n % 10, 5, -2 * n, 3 * n]
    assert [x.get()[0] for x in sums] == [n / 2, n * 2**33, n / 4]


def test_local_arrays_calls_and_switches():
    code = r"""
    __device__ __noinline__ int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 2); }
    extern "C" __global__ void k(int *out) {
        int local[16], t = threadIdx.x;
        for (int i = 0; i < 16; i++) local[(i * 5 + t) & 15] = i;
        switch (t) {
            case 0: t = 7; break; case 1: t = 3; break; case 2: t = 11; break;
            case 3: t = 2; break; case 4: t = 9; break; default: t = 1;
        }
        out[threadIdx.x] = depth(t) * 100 + local[t];
    }"""
    expected = []
    for t, chosen in enumerate([7, 3, 11, 2, 9, 1]):
        local = {(i * 5 + t) & 15: i for i in range(16)}
        expected.append(-(-chosen // 2) * 100 + local[chosen])
    assert run(code, cupy.zeros(6, "int32"), threads=6).tolist() == expected


def test_variables_of_a_module():
    module = cupy.RawModule(
        code=(
            '__constant__ double table[3] = {1.5, 2.5, -1.0}; __device__ int seen;extern "C"'
            " __global__ void k(double *out) { out[threadIdx.x] = table[threadIdx.x]; seen = 7; }"
        )
    )
    out = cupy.zeros(3)
    module.get_function("k")((1,), (3,), (out,))
    assert out.tolist() == [1.5, 2.5, -1.0]
    assert cupy.ndarray(1, "int32", module.get_global("seen")).tolist() == [7]
