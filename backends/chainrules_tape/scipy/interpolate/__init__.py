"""`scipy.interpolate` for code that is differentiated: interpolants by knots, values and points.

With plain values these are SciPy's objects. Where something is traced, they are written in
operations that the tape can see.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.interpolate import CubicSpline
>>> x = np.arange(4.0)
>>> round(float(grad(lambda y: CubicSpline(x, y)(1.5))(x**2).sum()), 12)  # the weights of all values
1.0

In reading order: `interpolants` has what the classes have in common, then a module for each kind of
interpolant: `piecewise` (`PPoly`), `cubic`, `b_splines`, `of_fitpack`, `of_kinds` (`interp1d`),
`polynomials`, `grids`, `scattered`.
"""

from scipy import interpolate

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.interpolate.b_splines import (
    BSpline as BSpline,
    make_interp_spline as make_interp_spline,
    make_smoothing_spline as make_smoothing_spline,
    splev as splev,
    splint as splint,
    splrep as splrep,
)
from chainrules_tape.scipy.interpolate.cubic import (
    Akima1DInterpolator as Akima1DInterpolator,
    CubicHermiteSpline as CubicHermiteSpline,
    CubicSpline as CubicSpline,
    PchipInterpolator as PchipInterpolator,
)
from chainrules_tape.scipy.interpolate.grids import (
    RegularGridInterpolator as RegularGridInterpolator,
    interpn as interpn,
)
from chainrules_tape.scipy.interpolate.of_fitpack import (
    BivariateSpline as BivariateSpline,
    DerivedBivariateSpline as DerivedBivariateSpline,
    InterpolatedUnivariateSpline as InterpolatedUnivariateSpline,
    LSQBivariateSpline as LSQBivariateSpline,
    LSQSphereBivariateSpline as LSQSphereBivariateSpline,
    LSQUnivariateSpline as LSQUnivariateSpline,
    RectBivariateSpline as RectBivariateSpline,
    RectSphereBivariateSpline as RectSphereBivariateSpline,
    SmoothBivariateSpline as SmoothBivariateSpline,
    SmoothSphereBivariateSpline as SmoothSphereBivariateSpline,
    UnivariateSpline as UnivariateSpline,
    bisplev as bisplev,
)
from chainrules_tape.scipy.interpolate.of_kinds import interp1d as interp1d
from chainrules_tape.scipy.interpolate.piecewise import PPoly as PPoly
from chainrules_tape.scipy.interpolate.polynomials import (
    BarycentricInterpolator as BarycentricInterpolator,
    KroghInterpolator as KroghInterpolator,
)
from chainrules_tape.scipy.interpolate.scattered import (
    LinearNDInterpolator as LinearNDInterpolator,
    NearestNDInterpolator as NearestNDInterpolator,
    RBFInterpolator as RBFInterpolator,
    griddata as griddata,
)

__getattr__, __dir__ = stand_in(interpolate, globals())
