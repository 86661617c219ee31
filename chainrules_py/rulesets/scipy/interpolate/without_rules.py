"""The names of `scipy.interpolate`.

Most are classes, whose objects are made and called in traced programs by other means.
"""

from scipy import interpolate

from chainrules_py.rulesets.scipy.reasons import reason_of_each

_FITPACK = (
    "it is written in Fortran on knots that it chooses itself; CubicSpline and make_interp_spline"
    " are differentiated"
)
NO_RULE_YET: dict[str, str] = {
    **{
        name: _FITPACK
        for name in interpolate.__all__
        if "Univariate" in name or "Bivariate" in name or name.startswith(("spl", "bispl"))
    },
    **reason_of_each(
        {
            "it is written in Fortran on knots that it chooses itself; CubicSpline and "
            "make_interp_spline are differentiated": """
                sproot spalde insert generate_knots interp2d make_splprep make_splrep
                make_lsq_spline make_smoothing_spline
            """,
            "nobody wrote the derivative; LinearNDInterpolator and RBFInterpolator are "
            "differentiated": ("CloughTocher2DInterpolator Rbf"),
            "call numpy.polynomial, or CubicHermiteSpline and BSpline, which are differentiated": """
                PPoly BPoly NdPPoly NdBSpline AAA FloaterHormannInterpolator lagrange pade
                approximate_taylor_polynomial
            """,
            "it makes objects; chainrules_tape.scipy.interpolate has a class of this name "
            "that is differentiated": """
                CubicSpline PchipInterpolator Akima1DInterpolator CubicHermiteSpline BSpline
                RegularGridInterpolator LinearNDInterpolator NearestNDInterpolator RBFInterpolator
                interp1d BarycentricInterpolator KroghInterpolator
            """,
            "chainrules_tape.scipy.interpolate has a function of this name that is "
            "differentiated": """
                make_interp_spline interpn griddata pchip_interpolate splrep splev splint
                barycentric_interpolate krogh_interpolate
            """,
        }
    ),
}
