"""The names of `scipy.special` that have no rule, each with the reason."""

from scipy import special

_FAMILIES = (
    "legendre",
    "chebyt",
    "chebyu",
    "chebyc",
    "chebys",
    "laguerre",
    "hermite",
    "hermitenorm",
    "sh_legendre",
)
_OBJECTS = (
    "it makes an orthopoly1d; evaluate the polynomial by the function eval_..., which has the rule"
)
_SEQUENCES = (
    "it gives values of all orders up to one; ask for those of one order, which have the rule"
)
_BY_PARAMETER = "its nodes and weights move with a parameter, by which nobody wrote the derivative"
_NONCENTRAL = "the density of this distribution is not in SciPy"
_COUNTS = "it counts in whole numbers; betainc and gammainc have rules"
_SPHEROIDAL = (
    "SciPy's values and the derivatives beside them do not agree everywhere, in single precision"
    " above all"
)
_ELLIPSOIDAL = "the derivatives of ellipsoidal harmonics are not in SciPy"
_WHOLE = "its arguments are whole numbers, and it has no derivative"
NO_RULE_YET: dict[str, str] = {
    **{name: _WHOLE for name in special.__all__ if name.endswith("_zeros")},
    **dict.fromkeys(("bernoulli", "euler", "stirling2", "factorial2", "factorialk"), _WHOLE),
    **{f"roots_{family}": _WHOLE for family in (*_FAMILIES, "sh_chebyt", "sh_chebyu")},
    **dict.fromkeys(
        (*_FAMILIES, "jacobi", "genlaguerre", "gegenbauer", "sh_chebyt", "sh_chebyu", "sh_jacobi"),
        _OBJECTS,
    ),
    "assoc_laguerre": (
        "it is eval_genlaguerre, which has the rule, with the arguments in another order"
    ),
    **dict.fromkeys(
        ("lmbda", "lqmn", "lqn", "pbdn_seq", "pbdv_seq", "pbvv_seq", "riccati_jn", "riccati_yn"),
        _SEQUENCES,
    ),
    **dict.fromkeys(
        ("obl_cv_seq", "pro_cv_seq", "mathieu_even_coef", "mathieu_odd_coef"), _SEQUENCES
    ),
    **dict.fromkeys(
        ("legendre_p", "legendre_p_all", "assoc_legendre_p", "assoc_legendre_p_all"), _SEQUENCES
    ),
    **dict.fromkeys(("sph_legendre_p", "sph_legendre_p_all", "sph_harm_y_all"), _SEQUENCES),
    **dict.fromkeys(
        ("roots_jacobi", "roots_genlaguerre", "roots_gegenbauer", "roots_sh_jacobi"), _BY_PARAMETER
    ),
    **dict.fromkeys(("ellip_harm", "ellip_harm_2", "ellip_normal"), _ELLIPSOIDAL),
    "diric": "its derivative at the multiples of 2 pi wants a series; numpy.sinc has the rule",
    **dict.fromkeys(
        ("nctdtr", "nctdtridf", "nctdtrinc", "nctdtrit", "ncfdtr", "ncfdtri", "ncfdtridfd"),
        _NONCENTRAL,
    ),
    **dict.fromkeys(("ncfdtridfn", "ncfdtrinc", "chndtridf"), _NONCENTRAL),
    **dict.fromkeys(
        ("bdtr", "bdtrc", "bdtri", "bdtrik", "bdtrin", "nbdtrik", "nbdtrin", "smirnov", "smirnovi"),
        _COUNTS,
    ),
    **dict.fromkeys(
        ("btdtr", "btdtri", "sph_harm", "clpmn", "lpmn", "lpn"),
        "newer versions of SciPy do not have it",
    ),
    "elliprj": "its derivative by the fourth argument is not in SciPy",
    "zetac": "the derivative of Riemann's zeta function is not in SciPy",
    **{
        name: _SPHEROIDAL
        for name in special.__all__
        if name.startswith(("pro_", "obl_", "mathieu_"))
    },
    **dict.fromkeys(("geterr", "seterr", "errstate"), "it sets how SciPy reports errors"),
    **dict.fromkeys(("SpecialFunctionWarning", "SpecialFunctionError"), "it is a class of errors"),
}
