"""The names of `scipy.interpolate`.

Most are classes, whose objects are made and called in traced programs by other means.
"""

from scipy import interpolate

_STAND_IN = (
    "it makes objects; chainrules_tape.scipy.interpolate has a class of this name that is"
    " differentiated"
)
_FUNCTION = "chainrules_tape.scipy.interpolate has a function of this name that is differentiated"
_FITPACK = (
    "it is written in Fortran on knots that it chooses itself; CubicSpline and make_interp_spline"
    " are differentiated"
)
_SCATTERED = (
    "nobody wrote the derivative; LinearNDInterpolator and RBFInterpolator are differentiated"
)
_POLYNOMIAL = "call numpy.polynomial, or CubicHermiteSpline and BSpline, which are differentiated"
STAND_INS = (
    "CubicSpline",
    "PchipInterpolator",
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "BSpline",
    "RegularGridInterpolator",
    "LinearNDInterpolator",
    "NearestNDInterpolator",
    "RBFInterpolator",
    "interp1d",
    "BarycentricInterpolator",
    "KroghInterpolator",
)
FUNCTIONS = (
    *(
        "make_interp_spline",
        "interpn",
        "griddata",
        "pchip_interpolate",
        "splrep",
        "splev",
        "splint",
    ),
    *("barycentric_interpolate", "krogh_interpolate"),
)
NO_RULE_YET: dict[str, str] = {
    **{
        name: _FITPACK
        for name in interpolate.__all__
        if "Univariate" in name or "Bivariate" in name or name.startswith(("spl", "bispl"))
    },
    **dict.fromkeys(
        (
            "sproot",
            "spalde",
            "insert",
            "generate_knots",
            "interp2d",
            "make_splprep",
            "make_splrep",
            "make_lsq_spline",
        ),
        _FITPACK,
    ),
    "make_smoothing_spline": _FITPACK,
    **dict.fromkeys(("CloughTocher2DInterpolator", "Rbf"), _SCATTERED),
    **dict.fromkeys(("PPoly", "BPoly", "NdPPoly", "NdBSpline"), _POLYNOMIAL),
    **dict.fromkeys(
        ("AAA", "FloaterHormannInterpolator", "lagrange", "pade", "approximate_taylor_polynomial"),
        _POLYNOMIAL,
    ),
    **dict.fromkeys(STAND_INS, _STAND_IN),
    **dict.fromkeys(FUNCTIONS, _FUNCTION),
}
