"""The weight functions with which the families of `numpy.polynomial` are orthogonal."""

from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

from chainrules_py.makers import non_differentiable, scalar_rule

scalar_rule(chebyshev.chebweight, "x", "x*out / (1 - x*x)", singular=True)
scalar_rule(laguerre.lagweight, "x", "-out")
scalar_rule(hermite.hermweight, "x", "-2*x*out")
scalar_rule(hermite_e.hermeweight, "x", "-x*out")

non_differentiable(legendre.legweight)  # ones, like numpy.ones_like
