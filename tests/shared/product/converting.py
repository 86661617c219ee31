"""Programs on what NumPy takes for arrays, numbers and options: lists, fractions, classes of users."""

import array
import functools
import operator
import warnings
from fractions import Fraction
from types import SimpleNamespace
from typing import NamedTuple

import attrs
import numpy as np
from numpy import polynomial

from chainrules_py import primitive, scalar_rule
from chainrules_tape import checkpoint, compiled, container, seen_through
from late import Late, made
from stand_ins.fields import Field, field

V, PAIR = np.array([0.5, -1.5, 2.0]), np.array([1.5, 2.5])
X = np.array([0.31, 0.87, 0.52])
Z = np.array([0.3 + 0.2j, 0.5 - 0.1j, 0.2 + 0.7j])
A, M = np.arange(6.0).reshape(2, 3), [[2.0, 1.0], [1.0, 3.0]]
MASK = np.array([True, False, True])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
LOWER = np.array([[4.0, 0.0, 0.0], [0.3, 3.0, 0.0], [0.1, 0.2, 5.0]])
ZEROS = np.zeros((3, 1))
TWICE = np.array([1.0, 1.0, 2.0])  # points that determine a line
SPREAD = np.diag([1.0, 2.5, 4.0]) + np.exp(1j * np.arange(9.0) ** 2).reshape(3, 3) / 8
TURNING = np.array([[1.0, 2.0, 0.1], [-1.5, 0.5, 0.2], [0.3, 0.1, 3.0]])  # complex eigenvalues


def joined(parts):
    return np.concatenate([np.reshape(part, -1) for part in parts])


def all_of(*functions):
    return lambda x: joined([f(x) for f in functions])


def quiet(*functions):
    """Without the warnings that NumPy has of such calls."""

    def values(x):
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            return joined([f(x) for f in functions])

    return values


# --- Lists ---


LISTS = {
    "reductions": lambda x: joined(
        [
            np.mean([x[0], x[1] * x[2]]),
            np.sum([x, 2 * x * x], axis=0),
            np.prod((x[0], x[1], 3.0)),
            np.max([x[0], x[1]]),
            np.linalg.norm([x[0], x[1]]),
        ]
    ),
    "products": lambda x: joined(
        [
            np.outer([x[0], x[1]], [x[2], 2.0]),
            np.einsum("ij,j->i", A, [x[0], x[1], 1.0]),
            np.linalg.det([[x[0], 1.0], [2.0, x[1]]]),
            np.linalg.solve([[x[0], 1.0], [2.0, 3.0]], [x[1], 1.0]),
            np.linalg.slogdet([[x[0], 1.0], [0.0, x[2]]])[1],
            np.linalg.multi_dot([[x[0], 1.0], A, x]),
            np.fft.rfft([x[0], x[1], 1.0]).real,
        ]
    ),
    "arrangements": lambda x: joined(
        [
            np.diag([x[0], x[1]]),
            np.append([x[0], 1.0], x[1]),
            np.transpose([[x[0], x[1]], [x[2], 1.0]], [1, 0]),
            np.meshgrid([x[0], 1.0], [1.0, 2.0])[0],
            np.interp([0.25, 0.5], [0.0, 1.0], [x[0], x[1]]),
        ]
    ),
    "joined": lambda x: joined(
        [
            np.vstack([[x[0], 1.0, x[2]], A]),
            np.column_stack([[x[0], x[1]], A[:, 0]]),
            np.stack([[x[0], x[1]], (1.0, 2.0)]),
            np.stack(arrays=[x, 2.0 * x], axis=1),
            np.block([[x[0], x[1]], [1.0, x[2]]]),
            *(np.asarray([x, x * x], copy=copy) for copy in (None, np._CopyMode.IF_NEEDED)),
            *(join([[x[0], 3.0], x[:2] * x[1:], (x[1], x[0] * x[1])]) for join in JOINS),
        ]
    ),
    "ranges and lists": lambda x: joined(
        [
            np.r_[x],
            np.r_[x[0], 1.0, x[2] * x[1], 2],
            np.r_[0:3, x, 1:2:3j],
            np.r_[[x[0], 1.0], x],
            np.r_["0,2", x, A],
            np.r_["1,2,0", x, x * x],
            np.c_[x, A[0]],
            np.r_[1:3, 4] * x[0],
        ]
    ),
    "changed later": lambda x: joined([with_changed(f, x) for f in CHANGED]),
}
JOINS = (np.concatenate, np.hstack, np.stack, np.vstack)
BESIDE_LISTS = {
    "products": lambda x: joined(
        [
            np.dot([1.0, 2.0], x),
            np.dot((1.0, 2.0), x),
            np.kron([1, 2], x),
            np.cross([1.0, 2.0, 3.0], np.append(x, [1.0])),
            np.einsum("i,i", [1.0, 2.0], x),
            np.einsum(x, [0], M, [0, 1]),
            np.tensordot(M, x, 1),
            np.linalg.solve(M, x),
            np.linalg.multi_dot([M, x]),
            np.dot(x, [x, PAIR]),
            np.inner((x[1], x[0]), x),
        ]
    ),
    "samples": lambda x: joined(
        [
            np.interp(x, [0.0, 2.0, 3.0], [1.0, 2.0, 5.0]),
            np.convolve(x, [1.0, 2.0]),
            np.average(np.outer(x, x), (1, 0), ((1, 3), (2, 1))),
            np.trapezoid([1.0, 2.0], x),
            np.polyfit([0.0, 1.0], x, 1),
            np.gradient(x, [0.0, 2.0]),
            np.cov(x, [1.0, 3.0]),
            np.histogram([0.5, 1.5], bins=[0, 1, 2], weights=x)[0],
            np.quantile(x, [0.3, 0.6]),
            np.linspace([0.0, 0.0], x, 3),
            np.polymul([1.0, 1.0], x),
        ]
    ),
    "arrangements": lambda x: joined(
        [
            np.insert(x, 1, [7.0]),
            np.diff(x**2, prepend=[1.0, 2.0, 4.0]),
            np.diff(x**2, append=[1.0, 2.0]),
            np.ediff1d(x**2, [1.0, 2.0], [3.0]),
            np.choose([1, 0], [x, [3.0, 4.0]]),
            np.select([[True, False], [True, True]], [x, [3.0, 4.0]]),
            np.select([[False, True]], [x], [3.0, 4.0]),
        ]
    ),
}
CHANGED = (
    lambda x, kept: x[kept],
    lambda x, kept: np.take(x, kept),
    lambda x, kept: np.roll(x.reshape(1, 3), kept, axis=(0, 1)) * x,
    lambda x, kept: np.repeat(x, [*kept, 1]),
    lambda x, kept: np.pad(x, kept),
    lambda x, kept: np.multiply(x[:2], kept),
    lambda x, kept: np.dot(kept, x[:2] ** 2) ** 2,
    lambda x, kept: np.concatenate([x * k for k in kept]),
)


def with_changed(f, x):
    """A call with a list that is another one afterwards, and one of arrays."""
    kept, rows = [0, 2], [x, x**2]
    y, made = f(x, kept), np.stack(rows)
    kept[:], rows[0] = [2, 1], x**3
    return joined([y**3, made**3])


# --- Options ---


class Second:
    """An index that is no integer."""

    def __index__(self):
        return 1


REDUCTIONS = (
    *("sum", "mean", "prod", "max", "std", "var", "nansum", "nanmean", "nanprod", "nanmin"),
    *("nanstd", "ptp", "median", "average", "cumsum", "diff", "sort", "linalg.norm", "fft.rfft"),
)


def along_any_axis(a):
    axes = np.array(1), np.int64(1), Second()
    found = [
        np.real(functools.reduce(getattr, name.split("."), np)(a, axis=axis))
        for name in REDUCTIONS
        for axis in axes
    ]
    return joined(
        [*found, *(join([a, a], axis=k) for join in (np.concatenate, np.stack) for k in axes)]
    )


class GivesArray:
    """An object that NumPy turns into an array."""

    def __array__(self, dtype=None, copy=None):
        return np.array([0, 1], dtype)


class OwnSequence:
    """A sequence that is no class of Python's."""

    def __len__(self):
        return 2

    def __getitem__(self, place):
        return [0, 1][place]


class OwnInteger:
    """An object that stands for an integer."""

    def __index__(self):
        return 1


pandas = Late("pandas")
INDICES = {
    "range": range(2),
    "list": [0, 1],
    "array.array": array.array("l", [0, 1]),
    "an object with an array": GivesArray(),
    "a sequence": OwnSequence(),
    "memory": memoryview(np.arange(2)),
    "pandas.Index": Late(lambda: pandas.Index([0, 1])),
    "pandas.Series": Late(lambda: pandas.Series([0, 1])),
    "a tuple": (0, 1),
    "uint8": np.arange(2, dtype=np.uint8),
}
WRITTEN = {"list", "a tuple", "uint8"}  # as text
CORNERS = np.cos(np.arange(8.0)).reshape(2, 2, 2)
EVERY = slice(None)


def forms(s):
    """An index in each place of one, beside slices, None, ... and arrays."""
    yield from ((s,), (s, EVERY, 0), (0, None, s), (0, ..., s), (s, ..., 0), (s, s), (s, EVERY, s))
    yield from ((EVERY, s), (np.array([1, 0]), s), (OwnInteger(), s))
    yield EVERY, s, np.array([True, False])
    if not isinstance(s, tuple):
        yield s


def indexed(s):
    def values(x):
        y, read = x * 1.0, []
        for index in forms(s):
            read.append(x[index] ** 2)
            y[index] = x[index] * 0.5 + y[index]
            y[index] += x[0, 0, 0]
            np.add.at(y, index, x[index] * x[0, 0, 1])
        filled = np.zeros((2, 2, 2))
        filled[s, EVERY, 0] = x[s, EVERY, 1]
        filled[s, EVERY, 0] *= 2
        return joined([*read, y, filled * x])

    return values


def indexed_by_what_changes(x):
    places = array.array("l", [0, 1])
    y = x[places] * 1.0
    places[0] = 2
    return y * x[1:]


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def terms(u, vh):
    """u_k v_k^H of all pairs, which is all there is to know of vectors with free phases."""
    return np.swapaxes(u, -1, -2)[..., None] * vh[..., None, :]


def singular_terms(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return joined([s, terms(u, vh)])


def vectors_of_pairs(a):
    return joined(np.linalg.svd(a, full_matrices=False))


def spectral_terms(parts):
    w, v = parts
    return joined([w, terms(v, adjoint(v))])


OPTIONS = {
    "modes by number": all_of(
        lambda x: np.convolve(x, x, mode=2), lambda x: np.correlate(x, x[:2], mode=1)
    ),
    "too few points": quiet(
        lambda y: np.polyfit(TWICE, y, 2),
        lambda y: np.polynomial.chebyshev.chebfit(TWICE, y, 2),
    ),
    "powers of zero": quiet(lambda x: np.logspace(x[0], 3.0, 4, base=0) + x[0]),
    "choices": all_of(
        lambda x: np.choose((0, 3, 0), [x, x * x], mode="wrap"),
        lambda x: np.clip(x, [0.4, 0.1, 0.1], (1.0,)),
        lambda x: x.clip(max=[[0.4, 0.1, 0.1], [0.2, 0.9, 0.6]]),
        lambda x: np.clip(x, [x[1] * 0.4, x[0], 0.1], None),
        lambda x: np.where(MASK, x * x, [1.0, 2.0, 3.0]),
        lambda x: np.where(MASK, (1, 2, 3), x * x),
        lambda x: np.where(MASK, [x[0] * x[1], 1.0, x[2]], x * x),
    ),
    "complex dtypes": all_of(
        lambda x: np.sum(x, dtype=complex) * x,
        lambda x: np.mean(x, dtype=complex) * x,
        lambda x: np.trace(np.outer(x, x), dtype=complex) * x,
    ),
    "arguments of any kind": all_of(
        lambda x: np.trapezoid(x[:0]) * x,
        lambda x: np.multiply(*np.ix_(x, x[:2])),
        lambda x: np.pad(x * x, 1, constant_values=None)[1:-1],
        lambda x: np.cov(x, bias=None),
        lambda x: np.sum(x**2)[None, None],
        lambda x: np.full_like(ZEROS, x[0] * x[1]),
    ),
}
# --- Functions of pieces and of lines ---

T = np.linspace(0.0, 5.0, 7)
CUBE, P = np.arange(12.0).reshape(2, 3, 2), np.array([1.7, 0.4, -0.3])


def by_cases(p):
    before, after = lambda t: p[1] * t**2, lambda t: p[2] * np.sin(p[1] * t)
    return np.piecewise(T, [T < p[0], T > 4, T > 9], [before, after, after, p[2]])


def with_other_arguments(p):
    lines = np.apply_along_axis(lambda row, p: row @ p[:2], 2, CUBE, p)
    return np.piecewise(lines, [lines > 3], [lambda y, p: y * p, p[1]], p[0])


# --- Numbers ---

THIRD = Fraction(1, 3)


def fractions(x):
    return [
        x**THIRD + THIRD**x,
        x * THIRD * x + THIRD * x * x,
        (x + THIRD) ** 2 - (THIRD - x) ** 2,
        x * x / THIRD + THIRD / x,
        x * (x % THIRD),
        pow(x, Fraction(-1, 2)) * np.power(x, THIRD),
        (x * THIRD) ** Fraction(5, 2) if np.all(x > THIRD) else 0.0 * x,
    ]


@primitive
def power(x, p=2.0, factor=3.0):
    return factor * x**p


scalar_rule(
    power, "x, p, factor", "factor * p * x ** (p - 1)", "factor * x ** p * log(x)", "x ** p"
)


# --- Classes ---


class Labelled(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with a name, which holds what comes out of operators and ufuncs."""

    def __init__(self, data, name):
        self.data, self.name = data, name

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        data = [x.data if isinstance(x, Labelled) else x for x in inputs]
        return Labelled(getattr(ufunc, method)(*data, **options), self.name)


HELD = Labelled(np.array([3.0, -4.0, 1.0]), "a")


class Observed(np.ndarray):
    """An array of which results are plain arrays."""

    __array_priority__ = -1

    def __array_wrap__(self, array, context=None, return_scalar=False):
        plain = array.view(np.ndarray)
        return plain[()] if return_scalar else plain


OBSERVED = np.array([0.4, 0.9, 0.7]).view(Observed)


def beside_a_class(x, a=OBSERVED):
    return joined(
        [
            *(
                operator.iadd(x * x, a) if a is OBSERVED else a,
                x * a + a / x,
                x**a + a**x,
                a @ x + x @ a,
                x * (x < a),
                a * x[0],
                x[1:] * a[:2],
            ),
            *(np.hypot(a, x), np.multiply.outer(a, x), np.where(a > 0.5, x, a) ** 2),
            np.concatenate([a, x]) ** 2 * np.stack([x, a]).ravel(),
            np.linalg.solve(np.diag(a), x),
            np.einsum("i,i->", a, x * x),
        ]
    )


class Named(np.ndarray):
    """A subclass that means what NumPy's arrays mean."""


def through_a_view(x):
    y = x * x
    z = y.view(Named)
    z[0] = 5.0 * x[1]
    y *= 2.0
    return (z * x.view()).view(np.ndarray) + y.view(np.ndarray)


def with_attributes(x):
    y = x * x
    y.spacing, y.total = 4.0, np.sum(x)
    z = np.sin(y)
    return z.slope() * z.spacing * y.total + z.spacing


def by_name_and_class(x):
    y = np.exp(2.0 * x)
    is_field = [isinstance(array, Field) for array in (y, x.view(np.ndarray))]
    return y if (y.name, *is_field) == ("height", True, False) else x


def written_field(x):
    spacing = x.spacing
    y = x * x
    v = y[1:]
    v *= 3.0
    y[0] = x[1]
    z = Field(y.copy(), "again", spacing)
    return z.slope() * v


def written_beneath(x):
    y = x * 1.0
    v = y[1:].view(Field).view(np.ndarray)[1:]
    y[:] = 5.0
    return v * x[2:]


def made_inside(x):
    y = Field(np.cos(x.view(np.ndarray)), "made", 0.1)
    return y.slope() ** 2 * y.first


def written_argument(x):
    v = x.view(np.ndarray)
    x[0] = x[1] * x[2]
    return np.asarray(v * x)


FIELDS = (
    lambda x: x.slope() ** 2,
    lambda x: np.sin(x * x).slope() ** 2,
    lambda x: x.first * x[1] + x.entry_1 * x.entry_2,
    lambda x: x * x.ones() * x.factor * x.three(),
    lambda x: (X * field()).slope() * (x * field()).slope(),
    *(with_attributes, by_name_and_class, written_field, written_beneath, made_inside),
)
SERIES, ROOTS = np.arange(6.0).reshape(3, 2), np.array([0.25, 3.0])


def asked_for_their_class(x):
    """As functions of NumPy's that are written in Python do."""
    return joined(
        [
            polynomial.polynomial.polyval(x, SERIES),
            polynomial.chebyshev.chebval(x, SERIES),
            polynomial.hermite_e.hermeval(x, SERIES),
            polynomial.polynomial.polyvalfromroots(x, ROOTS),
            x * 2.0 if isinstance(x, np.ndarray) else x * 3.0,
            np.stack([v * 2.0 if isinstance(v, float) else v * 3.0 for v in x]),
        ]
    )


class Tuple(NamedTuple):
    w: np.ndarray
    b: float


@attrs.define
class Attrs:
    w: np.ndarray
    b: float


@container
class Slotted:
    """A class that is marked."""

    __slots__ = ("b", "w")

    def __init__(self, w, b):
        self.w, self.b = w, b


class Inheriting(Slotted):
    """Of a class that is marked."""


MAKERS = (Tuple, Attrs, Slotted, Inheriting, lambda w, b: SimpleNamespace(w=w, b=b))


def weighted(w, x):
    return np.sum(np.sin(x) * x * w)


class Model:
    """Functions of all kinds."""

    w = V

    def method(self, x):
        return weighted(self.w, x)

    @staticmethod
    def static(x):
        return weighted(V, x)

    @classmethod
    def of_class(cls, x):
        return weighted(cls.w, x)

    @seen_through
    def seen(self, x):
        return weighted(self.w, x)

    @compiled
    def compiled(self, x):
        return weighted(self.w, x)

    @checkpoint
    def checkpointed(self, x):
        return weighted(self.w, x)

    def __call__(self, x):
        return weighted(self.w, x)


KINDS = {
    "partial": functools.partial(weighted, V),
    "partial of seen": functools.partial(seen_through(weighted), V),
    "decorated": functools.wraps(weighted)(lambda *args: weighted(V, *args)),
    "object": Model(),
    **{name: getattr(Model(), name) for name in vars(Model) if not name.startswith(("_", "w"))},
}
# --- Writes into what a conversion gave ---

CONVERSIONS = (
    lambda x: np.asarray(x),
    lambda x: np.asarray(x, dtype=float),
    lambda x: np.asarray(x, "float64", order="C"),
    lambda x: np.asanyarray(x, order="K"),
    lambda x: np.asarray(x, copy=False),
    lambda x: np.array(x, copy=False),
    lambda x: np.array(x, copy=None),
    lambda x: np.asarray(x, copy=True),
    lambda x: np.array(x, dtype=float),
    lambda x: np.asarray(x, dtype=complex).real,
)


def written_to(made, x):
    """Writes into a buffer and a copy of the argument by another name, which are read by their own."""
    buffer, copy = np.zeros(3), np.sin(x)
    made(buffer)[1] = x[0] * x[1]
    made(copy)[0] = 5.0 * x[2]
    return joined([buffer, copy * copy])


ROWS = {
    **{f"lists, {name}": (f, (V,), "") for name, f in LISTS.items()},
    "converted": (
        all_of(
            lambda x: np.require(x, float, ["C"]),
            lambda x: np.asarray_chkfinite(x),
            lambda x: sum((1 + i) * v * v for (i,), v in np.ndenumerate(x)),
            lambda x: np.fromiter((v * v for v in x), float),
            lambda x: x * np.ones(np.broadcast(x, [[1.0], [2.0]]).shape),
        ),
        (V,),
        "decides",
    ),
    **{f"beside lists, {name}": (f, (PAIR,), "") for name, f in BESIDE_LISTS.items()},
    **{f"options, {name}": (f, (X,), "") for name, f in OPTIONS.items()},
    "bins": (
        all_of(
            lambda x: np.histogram2d(x, x[::-1], bins=[0.2, 0.5, 0.9])[1] * x,
            lambda x: np.histogram2d(x, x[::-1], bins=np.array([2, 3]))[1],
        ),
        (X,),
        "counts",
    ),
    "options, axes": (along_any_axis, (MATRIX,), ""),
    "options, ranks": (
        all_of(
            lambda a: np.linalg.lstsq(a, X, rcond=0.6)[0],
            lambda a: np.linalg.lstsq(a, np.stack([X, X**2], 1) * a[0, 0], rcond=0.6)[0],
            lambda a: np.linalg.lstsq(a, np.ones(3), rcond=2.0)[0],
        ),
        (MATRIX,),
        "",
    ),
    "options, triangles": (
        all_of(
            lambda a: np.linalg.eigvalsh(a)[0],
            lambda a: np.linalg.eigvalsh(a.T, UPLO="U")[0],
            lambda a: np.linalg.eigh(a)[1][:, 0] ** 4,
            lambda a: np.sin(np.linalg.cholesky(a)),
        ),
        (LOWER,),
        "",
    ),
    **{
        f"index, {name}": (
            Late(lambda s=s: indexed(made(s))),
            (CORNERS,),
            "writes" + " textless" * (name not in WRITTEN),
        )
        for name, s in INDICES.items()
    },
    "an index that changes": (indexed_by_what_changes, (X,), "writes"),
    "vectors without their phases": (
        all_of(
            *(singular_terms, lambda a: singular_terms(a[:, :2])),
            lambda a: singular_terms(np.stack([a, a @ a])[:, :2]),
            lambda a: spectral_terms(np.linalg.eigh(np.stack([a + adjoint(a), a @ adjoint(a)]))),
            lambda a: spectral_terms(np.linalg.eig(np.stack([a, a.T @ a]))),
        ),
        (SPREAD,),
        "complex",
    ),
    "vectors with their phases": (
        all_of(
            *(vectors_of_pairs, lambda a: vectors_of_pairs(a[:, :2])),
            lambda a: joined(np.linalg.eigh(a + adjoint(a))),
            lambda a: np.linalg.eigh(a @ adjoint(a), UPLO="U")[1],
            lambda a: joined(np.linalg.eig(a)),
        ),
        (SPREAD,),
        "complex",
    ),
    "vectors of a turning matrix": (lambda a: joined(np.linalg.eig(a)), (TURNING,), ""),
    "options, complex": (
        quiet(
            lambda z: np.var(z, mean=Z[:1]),
            lambda z: np.var(z, dtype=float),
            lambda z: np.nanstd(z, dtype=float),
        ),
        (Z,),
        "complex unserial",
    ),
    "bins, complex": (
        lambda w: np.histogram(X, bins=3, weights=w, density=True)[0],
        (Z,),
        "complex",
    ),
    "options, a number": (
        lambda x: np.take(x, [0, 0], axis=-1) * x + np.repeat(x, 2, axis=0) * x,
        (np.float64(0.7),),
        "number",
    ),
    "a complex number": (lambda z: np.abs(z), (0.6 - 0.8j,), "complex number"),
    "extract of a number": (lambda x: np.extract(x > 0.5, x), (0.7,), "number counts"),
    "ranges": (
        all_of(
            lambda x: np.arange(x[0], 7 * x[1], x[1]),
            lambda x: np.arange(x[1] + 1.5) * x[0],
            lambda x: np.arange(x[0], stop=x[0] + 2.5),
        ),
        (np.array([0.5, 2.0]),),
        "counts",
    ),
    "pieces": (all_of(by_cases, with_other_arguments), (P,), "counts"),
    "lines": (
        all_of(
            lambda p: np.apply_along_axis(lambda row: row[:2] * p[1] + p[2], 1, CUBE),
            lambda p: np.apply_along_axis(lambda row: [row.sum() * p[1], p[2] ** 2], -1, CUBE),
        ),
        (P,),
        "",
    ),
    "fractions beside a number": (fractions, (0.7,), "number decides classed"),
    "fractions beside arrays": (
        lambda x: joined([y.astype(float) for y in fractions(x)]),
        (np.array([0.7, 0.5]),),
        "decides",
    ),
    "arguments left out": (
        lambda x: power(x) + power(x, 3.0) * power(x=x, factor=x) + power(x, p=x, factor=5.0),
        (PAIR,),
        "",
    ),
    "held by a class": (
        all_of(
            *(
                lambda x: (x + HELD).data,
                lambda x: (HELD / x).data,
                lambda x: (x - (HELD - x)).data,
            ),
            *(lambda x: np.multiply(x, HELD).data, lambda x: (x > HELD).data * x),
        ),
        (V,),
        "foreign",
    ),
    "beside a class": (beside_a_class, (X,), "writes textless"),
    "of a class": (lambda a: beside_a_class(X, a), (OBSERVED,), ""),
    "fields": (lambda x: np.asarray(all_of(*FIELDS)(x)), (field(),), "writes"),
    "fields, written": (written_argument, (field(),), "writes argument"),
    "through a view": (through_a_view, (X,), "writes"),
    "asked for their class": (asked_for_their_class, (PAIR,), ""),
    **{
        f"container, {k}": (lambda p: np.sum(p.w**2) * p.b, (make(V, 0.5),), "list")
        for k, make in enumerate(MAKERS)
    },
    "functions of all kinds": (
        lambda x: joined([f(x * k) for k, f in enumerate(KINDS.values())]),
        (V,),
        "",
    ),
    "written to conversions": (
        lambda x: joined([written_to(f, x) for f in CONVERSIONS]),
        (V,),
        "writes",
    ),
}
