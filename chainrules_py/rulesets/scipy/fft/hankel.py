"""The fast Hankel transform on logarithmically spaced points.

It is a circular convolution read backwards, a symmetric matrix, between two multiplications by
powers of the points. These differ by a number only, so transform and inverse are their own
adjoints.
"""

from scipy import fft

from chainrules_py.makers import linear_rule
from chainrules_py.projection import Space
from chainrules_py.values.arrays import call


@linear_rule(fft.fht)
def fht_adjoint(y_bar, a: Space, *, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0):
    return call(fft.fht, y_bar, dln, mu, offset=offset, bias=bias)


@linear_rule(fft.ifht)
def ifht_adjoint(y_bar, A: Space, *, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0):
    return call(fft.ifht, y_bar, dln, mu, offset=offset, bias=bias)
