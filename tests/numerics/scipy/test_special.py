"""scipy.special: inverses that are not there, hard places, and second derivatives by parameters."""

from functools import partial

import numpy as np
import pytest
from scipy import special

from chainrules_py import rrule
from chainrules_py.rulesets.scipy.special import parameter_derivatives
from chainrules_py.rulesets.scipy.special.complex_polygamma import complex_polygamma as polygamma
from chainrules_tape import grad, hessian, jvp
from chainrules_tape.scipy import special as traced_special
from processes import printed
from slopes import along, quotients


@pytest.mark.parametrize(
    ("name", "args", "held"),
    [
        ("fdtridfd", (3.0, 0.75, 1.3), [1e100]),
        ("fdtridfd", (352.0, 0.2, 0.04), [1e-100]),
        ("fdtridfd", (0.95, 0.97, 4.6), [1e100]),  # where a sum took a minute, and was nan
        ("stdtridf", (0.72, 0.17), [1e10]),
        ("stdtridf", (0.1, 0.6), [1e-100, -1e100]),
        ("pdtrik", (0.35, 0.41), [0.0]),
        ("chndtrinc", (0.19, 10.7, 0.19), [0.0]),
    ],
)
def test_an_inverse_that_is_not_there_stays_what_scipy_makes_of_it(name, args, held):
    function = getattr(special, name)
    assert np.isclose(function(*args), held, rtol=1e-12, atol=1e-299).any()
    moving = [k for k in range(len(args)) if (name, k) != ("chndtrinc", 1)]
    for k in moving:
        nearby = [along(function, args, k)(args[k] * by) for by in (0.999, 1.001)]
        assert np.ptp(nearby) <= 1e-299
    assert grad(function, argnums=tuple(moving))(*args) == (0.0,) * len(moving)
    second = hessian(
        lambda *at: function(*put(args, moving, at)), argnums=tuple(range(len(moving)))
    )
    assert not np.any(second(*(args[k] for k in moving)))


def put(args, positions, values):
    at = dict(zip(positions, values, strict=True))
    return [at.get(k, arg) for k, arg in enumerate(args)]


@pytest.mark.parametrize("by", [(0,), (1,), (0, 0), (0, 1), (1, 1)])
def test_continued_fractions_end_where_rounding_moves_them(by, monkeypatch):
    # some 60 steps; one that is held to stand stiller than its terms allow goes on and on
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 20.0, (2, 20_000))
    steps = []
    fraction = parameter_derivatives._fraction

    def counted(coefficients, first):
        def counting(n):
            steps.append(n)
            return coefficients(n)

        return fraction(counting, first)

    monkeypatch.setattr(parameter_derivatives, "_fraction", counted)
    parameter_derivatives._beta_by(by, a, b, rng.uniform(0.01, 0.99, a.size))
    assert 30 < max(steps) < 100


def test_gamma_functions_of_complex_numbers_are_differentiated_twice():
    mp = pytest.importorskip("mpmath")
    for z in (0.3 + 0.2j, -7.6 + 1e-3j, 40.0 - 3.0j, -30.0 + 25.0j, 1e3 + 1e3j):
        for n in (1, 2, 3):
            with mp.workdps(40):
                exact = complex(mp.polygamma(n, mp.mpc(z)))
            assert abs(polygamma(n, z) - exact) <= 2e-13 * abs(exact), (n, z)


@pytest.mark.parametrize("call", ["zeta(2.0, x)", "lambertw(x).real"])
def test_the_first_thing_that_a_process_asks_is_the_ufunc_beneath(call):
    lines = (
        "from scipy import special; from chainrules_tape import grad; print(grad(lambda x:"
        f" special.{call})(1.5))"
    )
    found = float(printed(lines))
    expected = quotients(lambda x: eval(f"special.{call}", {"special": special, "x": x}), 1.5)
    assert np.isclose(found, expected, rtol=1e-7)


# Where short formulas lose their digits: the function, its arguments, and by which of them.
HARD = [
    *(
        (name, at, 0)
        for name in ("jv", "yv", "iv", "kv")
        for at in ((0.3, 1e-6), (2.5, 11.0), (20.3, 4.0), (50.0, 48.0), (-2.7, 3.0))
    ),
    ("betainc", (0.1, 3.0, 1e-20), 1),
    ("betainc", (1e-9, 47.3, 1e-9), 0),
    ("betainc", (1e-9, 47.3, 1e-9), 1),
    ("gammainc", (20.3, 1e-12), 1),
    ("beta", (1e12, 1.0), 0),
    ("binom", (1e-12, 1.0), 0),
    ("jv", (-0.01, 0.9999), 0),
    ("yv", (0.01, 0.9999), 0),
    ("yv", (-0.01, 0.9999), 0),
    ("boxcox", (0.0, 1.5), 1),
    ("stdtr", (0.7, -1.2e8), 0),
    ("stdtr", (0.7, 1e-9), 0),
    ("stdtr", (4.3, 2.1), 0),
    ("ellipkinc", (1.1, 1.0), 1),
    ("ellipeinc", (-1.1, 1.0), 1),
    ("elliprc", (0.05, -2.2), 0),
    ("elliprc", (10.4, -4.2), 1),
]


def inverse_of(function, at, start):
    """The argument at `at` as a function of the value, which stands in its place."""
    mp = pytest.importorskip("mpmath")

    def inverse(*args):
        def residual(x):
            return along(function, args, at)(x) - args[at]

        return mp.findroot(residual, start)

    return inverse


def theirs(name, start=None):
    """The function in mpmath; of inverses, from a first guess."""
    mp = pytest.importorskip("mpmath")

    def of_gamma(a, x):
        return mp.gammainc(a, 0, x, regularized=True)

    def of_beta(a, b, x):
        return mp.betainc(a, b, 0, x, regularized=True)

    def student(df, t):
        return (1 + mp.sign(t) * of_beta(mp.mpf(1) / 2, df / 2, t * t / (df + t * t))) / 2

    named = {
        "gammainc": of_gamma,
        "gammaincc": lambda a, x: mp.gammainc(a, x, regularized=True),
        "gammaincinv": inverse_of(of_gamma, 1, start),
        "gammainccinv": lambda a, y: inverse_of(of_gamma, 1, start)(a, 1 - y),
        "betainc": of_beta,
        "betaincc": lambda a, b, x: 1 - of_beta(a, b, x),
        "betaincinv": inverse_of(of_beta, 2, start),
        "betainccinv": lambda a, b, y: inverse_of(of_beta, 2, start)(a, b, 1 - y),
        "binom": mp.binomial,
        "ellipkinc": mp.ellipf,
        "ellipeinc": mp.ellipe,
        **{f"{kind}v": getattr(mp, f"bessel{kind}") for kind in "jyik"},
        "stdtr": student,
        "boxcox": lambda x, power: (x**power - 1) / power,
        **{kind: lambda u, m, kind=kind: mp.ellipfun(kind, u, m=m) for kind in ("sn", "cn", "dn")},
    }
    return named.get(name) or getattr(mp, name)


@pytest.mark.parametrize(("name", "args", "position"), HARD, ids=str)
def test_hard_places(name, args, position):
    mp = pytest.importorskip("mpmath")
    their = theirs(name)
    with mp.workdps(60):
        exact = [mp.mpf(each) for each in args]

        at = along(their, exact, position)
        x, step = exact[position], mp.mpf(10) ** -20 * (abs(exact[position]) or 1)
        expected = float((at(x + step) - at(x - step)) / (2 * step))
    found = rrule(getattr(special, name), *args)[1](1.0)[position]
    assert np.isclose(found, expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize(
    ("x", "df", "nc"),
    [
        (779.0, 848.0, 2.3),  # where Bessel functions of such an order underflow
        (422.0, 418.0, 0.4),
        (5100.0, 3000.0, 2000.0),
        (1.02e5, 1e5, 900.0),
        (150.0, 198.0, 1e-10),
        (3.0, 5.0, 0.0),
        (700.0, 650.0, 0.0),
        (4.1, 2.5, 30.0),
        (210.0, 201.9, 1.0),  # on both sides of an order of 100
        (210.0, 202.1, 1.0),
    ],
)
def test_the_density_of_a_noncentral_chi_squared(x, df, nc):
    mp = pytest.importorskip("mpmath")

    def density(x, df, nc):
        central = (x / 2) ** (df / 2 - 1) / mp.gamma(df / 2) * mp.hyp0f1(df / 2, nc * x / 4)
        return mp.exp(-(x + nc) / 2) / 2 * central

    with mp.workdps(60):
        at = [mp.mpf(each) for each in (x, df, nc)]
        more, same, fewer = (density(at[0], at[1] + by, at[2]) for by in (2, 0, -2))
        # DLMF 10.29.2 in terms of densities with two degrees of freedom more and less
        expected = [float(each) for each in (same, (fewer - same) / 2, (more - same) / 2)]
    slope = grad(special.chndtr)
    found = [slope(x, df, nc), *grad(slope, argnums=(0, 2))(x, df, nc)]
    scale = float(abs(same) + abs(more) + abs(fewer))
    assert np.allclose(found, expected, rtol=0, atol=1e-12 * scale)
    assert np.isclose(grad(special.chndtrix)(special.chndtr(x, df, nc), df, nc), 1 / expected[0])


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("nbdtr", (1.2, 6.9, 0.14)),
        ("nbdtrc", (3.7, 2.2, 0.4)),
        ("nbdtri", (0.75, 7.7, 0.69)),
        ("pdtr", (2.9, 1.3)),
        ("pdtri", (-0.4, 0.07)),
    ],
)
def test_counts_that_scipy_cuts_off(name, args):
    function, (*counts, x) = getattr(special, name), args
    whole = [float(int(count)) for count in counts]
    assert function(*args) == function(*whole, x)
    differences = quotients(partial(function, *whole), x)
    assert np.isclose(grad(function, argnums=len(counts))(*args), differences, rtol=1e-7)


def exact_hessian(function, args):
    """The second derivatives of a function of mpmath's, as differences with a step of 12 digits in
    60.
    """
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        point = [mp.mpf(arg) for arg in args]
        steps = [abs(x) * mp.mpf(10) ** -12 for x in point]

        def at(*moves):
            return function(
                *(
                    x + h * moves.count(k) - h * moves.count(~k)
                    for k, (x, h) in enumerate(zip(point, steps, strict=True))
                )
            )

        def entry(i, j):
            return (at(i, j) - at(i, ~j) - at(~i, j) + at(~i, ~j)) / (4 * steps[i] * steps[j])

        indices = range(len(args))
        return np.array([[float(entry(i, j)) for j in indices] for i in indices])


MIXED = {
    "gammainc": [
        (0.03, 0.2),
        (2.5, 4.0),
        (40.0, 41.0),
        (300.0, 280.0),
        (5.0, 20.0),
        (1e-6, 2.0),
        (20.3, 1e-3),
    ],
    "gammaincc": [(2.5, 4.0), (1e-6, 0.3)],
    "gammaincinv": [(2.5, 0.3), (0.4, 0.7), (40.0, 0.9)],
    "gammainccinv": [(2.5, 0.3)],
    "betainc": [
        (0.3, 2.0, 0.1),
        (2.5, 4.0, 0.7),
        (60.0, 40.0, 0.6),
        (1.5, 1e-5, 0.4),
        (1e-5, 47.3, 0.2),
        (0.7, 2.0, 0.999),
    ],
    "betaincc": [(2.5, 4.0, 0.7)],
    "betaincinv": [(2.5, 4.0, 0.7), (0.3, 2.0, 0.2)],
    "betainccinv": [(2.5, 4.0, 0.7)],
    "ellipkinc": [(0.5, 0.3), (1.2, 0.99), (4.5, -3.0), (1e-3, 0.4)],
    "ellipeinc": [(0.5, 0.3), (1.2, 0.99), (4.5, -3.0), (1e-3, 0.4)],
    "elliprf": [(0.3, 1.1, 2.0), (1e-9, 1.0, 1.0), (1.0, 1.0, 1.0)],
    "elliprc": [(0.3, 1.1), (2.0, 0.1), (1.0, 1.0)],
    "elliprd": [(0.3, 1.1, 2.0), (1e-9, 1.0, 1.0), (1.0, 1.0, 1.0), (5.0, 1.0, 1e-6)],
    "elliprg": [(0.3, 1.1, 2.0), (1.0, 1.0, 1.0)],
    "agm": [(0.3, 1.1), (1.0, 1e6), (1.0, 1.0)],
    "sn": [(1.1, 0.7), (0.3, 1e-9), (4.0, 0.99)],
    "cn": [(1.1, 0.7), (4.0, 0.99)],
    "dn": [(1.1, 0.7), (4.0, 0.99)],
}
CALLS = [(name, args) for name, points in MIXED.items() for args in points]


@pytest.mark.parametrize(("name", "args"), CALLS, ids=str)
def test_second_derivatives_by_all_arguments_and_parameters(name, args):
    def ours(*args):
        if name in ("sn", "cn", "dn"):
            return special.ellipj(*args)[("sn", "cn", "dn").index(name)]
        return getattr(special, name)(*args)

    expected = exact_hessian(theirs(name, float(ours(*args))), args)
    found = hessian(lambda x: ours(*(x[k] for k in range(len(args)))))(np.array(args))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_orders_that_scipy_reads_as_whole_numbers():
    for function in (special.expn, special.kn):
        with pytest.warns(RuntimeWarning, match="truncated"):
            _, pullback = rrule(function, 2.7, 1.3)
        assert pullback(1.0)[1] == rrule(function, 2, 1.3)[1](1.0)[1]


def test_the_incomplete_beta_function_has_a_slope_from_above_at_a_parameter_of_zero():
    """I_x(a, 1) is x^a, and I_x(a, 2) is x^a (1 + a (1 - x)); I_x(b, a) = 1 - I_(1 - x)(a, b)."""
    for x in (1e-8, 0.3, 0.999):
        for other, expected in ((1.0, np.log(x)), (2.0, np.log(x) + 1 - x)):
            for function, sign in ((special.betainc, 1), (special.betaincc, -1)):
                by_a = rrule(function, 0.0, other, x)[1](1.0)[0]
                assert by_a == pytest.approx(sign * expected, rel=1e-12, abs=1e-12)
            by_b = rrule(special.betainc, other, 0.0, 1 - x)[1](1.0)[1]
            if x > 0.1:  # 1 - x has its digits
                assert by_b == pytest.approx(-expected, rel=1e-12, abs=1e-12)
    assert np.isnan(rrule(special.betainc, 0.0, 0.0, 0.3)[1](1.0)[0])


def harmonic_part(n, m):
    """A spherical harmonic at phi = 0, which is real, as a function of theta."""
    return lambda theta: np.real(traced_special.sph_harm_y(n, m, theta, 0.0))


@pytest.mark.parametrize("pole", [0.0, np.pi])
def test_spherical_harmonics_have_slopes_at_the_poles(pole):
    """Y_11 = -sqrt(3 / 8 pi) sin(theta), Y_20 = sqrt(5 / 16 pi) (3 cos(theta)**2 - 1), and
    Y_21 = -sqrt(15 / 8 pi) sin(theta) cos(theta), from which these are.
    """
    slope = -np.sqrt(3 / (8 * np.pi)) * np.cos(pole)
    np.testing.assert_allclose(grad(harmonic_part(1, 1))(pole), slope, rtol=1e-14)
    np.testing.assert_allclose(grad(harmonic_part(2, 0))(pole), 0.0, atol=1e-15)
    np.testing.assert_allclose(
        grad(harmonic_part(2, 1))(pole), -np.sqrt(15 / (8 * np.pi)), rtol=1e-14
    )
    curvature = -6 * np.sqrt(5 / (16 * np.pi))
    np.testing.assert_allclose(grad(grad(harmonic_part(2, 0)))(pole), curvature, rtol=1e-14)


@pytest.mark.parametrize("theta", [-0.7, 0.4, 4.0])
def test_spherical_harmonics_beyond_the_poles_and_with_m_above_n(theta):
    for n in range(4):
        for m in range(-n - 1, n + 2):
            f = harmonic_part(n, m)
            for function, slope in ((f, grad(f)), (grad(f), grad(grad(f)))):
                difference = quotients(function, theta, 1e-5)
                np.testing.assert_allclose(slope(theta), difference, atol=1e-8)


def test_carlsons_integral_has_the_precision_of_its_arrays():
    x = np.array([1.0, 2.0], np.float32)
    y, _ = jvp(lambda x: special.elliprd(x, 1, 2.0), (x,), (x,))
    assert y.dtype == np.float32
