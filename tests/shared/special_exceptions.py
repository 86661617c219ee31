"""Where derivatives of special functions and ufuncs are off by more than 1e-12, by how much, and
why: read by the test.

A line is for a call of `special_points`: the order of the derivative (0 for both), the ends of |x|,
a bound of the relative error there, which is infinite where no digit is promised, and the reason.
Reasons that stand for several calls have a name.
"""

from math import inf
from typing import NamedTuple


class Inexact(NamedTuple):
    """An interval of |x| in which a derivative of a call is less accurate."""

    call: str
    order: int
    between: tuple[float, float]
    off: float
    why: str


SATURATED = (
    "the slope is 1 - out * out, of which the output has no more digits: off by 1e-16 of the"
    " largest slope. By cosh it would cost a second pass over x and keep x, in the commonest"
    " activation there is"
)
FLAT = (
    "the slope is x / length, whose derivative is a difference of 1 / length and x * x / length**3:"
    " off by 1e-16 of the largest entry of the Hessian. A form for long x alone costs as much as"
    " the function"
)
OPPOSITE = (
    "a difference of terms that are about x**2 times larger, once for each order, up to where an"
    " asymptotic series takes over"
)
COMPONENT = "a real or imaginary part that is small: off by 1e-16 of the complex derivative"
VALUE = "SciPy's own value is off by as much, and the slope is a product with it"
UNDERFLOW = "values in between leave the range of doubles"
ZERO = (
    "beside a zero of this derivative, where values of SciPy's that it is made of are off by 1e-16"
    " of their largest ones"
)

INEXACT = [
    Inexact("np.tanh(x)", 0, (3.0, inf), inf, SATURATED),
    Inexact("np.hypot(x, 1.3)", 2, (10.0, inf), inf, FLAT),
    Inexact("np.hypot(1e-9, x)", 2, (1e-8, inf), inf, FLAT),
    Inexact("special.pseudo_huber(1.3, x)", 2, (10.0, inf), inf, FLAT),
    Inexact("special.erfcx(x)", 2, (5.0, 10.0), 1e-11, OPPOSITE),
    Inexact("special.dawsn(x)", 2, (5.0, 10.0), 1e-11, OPPOSITE),
    Inexact("special.wofz(x).imag", 2, (5.0, 10.0), 1e-11, OPPOSITE),
    Inexact("special.wofz(x).real", 0, (9.0, inf), inf, COMPONENT),
    Inexact("special.modfresnelp(x)[1].real", 2, (0.0, 6.0), inf, COMPONENT),
    Inexact("special.voigt_profile(x, 0.8, 0.3)", 2, (5.0, 8.0), 1e-11, OPPOSITE),
    Inexact("special.voigt_profile(0.4, x, 0.3)", 0, (0.03, 0.15), 2e-9, OPPOSITE),
    Inexact("special.voigt_profile(0.4, 0.8, x)", 2, (8.0, 12.0), 1e-11, OPPOSITE),
    Inexact("special.cotdg(x)", 2, (0.0, 1e-90), inf, UNDERFLOW),
    Inexact("special.i1(x)", 2, (0.0, 1e-150), inf, UNDERFLOW),
    Inexact("special.iv(2, x)", 1, (0.0, 1e-150), inf, UNDERFLOW),
    Inexact("special.i0e(x)", 2, (29.0, 30.0), 1e-11, OPPOSITE),
    Inexact("special.ive(0.4, x)", 2, (5.0, 30.0), 2e-11, OPPOSITE),
    Inexact("special.ber(x)", 0, (9.0, 30.0), 1e-8, VALUE),
    Inexact("special.bei(x)", 0, (9.0, 30.0), 1e-8, VALUE),
    Inexact("special.kei(x)", 2, (5.0, 9.0), 1e-11, VALUE),
    Inexact("special.agm(1.3, x)", 0, (0.0, 1e-90), inf, UNDERFLOW),
    Inexact("special.agm(1.3, x)", 0, (1e90, inf), inf, UNDERFLOW),
    Inexact("special.hyperu(0.7, 1.6, x)", 0, (5.0, 21.0), 1e-8, VALUE),
    Inexact("special.eval_legendre(5, x)", 2, (0.0, 1e-4), inf, ZERO),
    Inexact("special.eval_chebyt(5, x)", 2, (0.0, 1e-4), 1e-10, ZERO),
    Inexact("special.eval_chebyu(5, x)", 2, (0.0, 1e-4), 1e-10, ZERO),
    Inexact("special.lpmv(1, 2, x)", 2, (0.0, 1e-4), inf, ZERO),
    Inexact("special.beta(2.3, x)", 0, (1e3, 1e5), 3e-11, VALUE),
    Inexact("special.beta(1e-9, x)", 0, (1e3, 1e5), 3e-11, VALUE),
    Inexact("special.poch(x, 2.3)", 0, (1e3, 1e5), 3e-11, VALUE),
    Inexact("special.binom(x, 1.4)", 0, (1e3, 1e5), 3e-11, VALUE),
    Inexact("special.binom(x, 1.4)", 0, (1e-11, 2e-8), 1e-9, VALUE),
]
