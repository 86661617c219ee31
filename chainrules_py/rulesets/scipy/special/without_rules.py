"""The names of `scipy.special` that have no rule, each with the reason."""

from scipy import special

from chainrules_py.rulesets.scipy.reasons import reason_of_each

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
_SPHEROIDAL = (
    "SciPy's values and the derivatives beside them do not agree everywhere, in single precision"
    " above all"
)
_WHOLE = "its arguments are whole numbers, and it has no derivative"
NO_RULE_YET: dict[str, str] = {
    **{name: _WHOLE for name in special.__all__ if name.endswith("_zeros")},
    **{f"roots_{family}": _WHOLE for family in (*_FAMILIES, "sh_chebyt", "sh_chebyu")},
    **reason_of_each(
        {
            "its arguments are whole numbers, and it has no derivative": (
                "bernoulli euler stirling2 factorial2 factorialk"
            ),
            "it makes an orthopoly1d; evaluate the polynomial by the function eval_..., which"
            " has the rule": """
                legendre chebyt chebyu chebyc chebys laguerre hermite hermitenorm sh_legendre jacobi
                genlaguerre gegenbauer sh_chebyt sh_chebyu sh_jacobi
            """,
            "it is eval_genlaguerre, which has the rule, with the arguments in another order": (
                "assoc_laguerre"
            ),
            "it gives values of all orders up to one; ask for those of one order, which have "
            "the rule": """
                lmbda lqmn lqn pbdn_seq pbdv_seq pbvv_seq riccati_jn riccati_yn obl_cv_seq
                pro_cv_seq mathieu_even_coef mathieu_odd_coef legendre_p legendre_p_all
                assoc_legendre_p assoc_legendre_p_all sph_legendre_p sph_legendre_p_all
                sph_harm_y_all
            """,
            "its nodes and weights move with a parameter, by which nobody wrote the derivative": (
                "roots_jacobi roots_genlaguerre roots_gegenbauer roots_sh_jacobi"
            ),
            "the derivatives of ellipsoidal harmonics are not in SciPy": (
                "ellip_harm ellip_harm_2 ellip_normal"
            ),
            "its derivative at the multiples of 2 pi wants a series; numpy.sinc has the rule": (
                "diric"
            ),
            "the density of this distribution is not in SciPy": """
                nctdtr nctdtridf nctdtrinc nctdtrit ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc
                chndtridf
            """,
            "it counts in whole numbers; betainc and gammainc have rules": (
                "bdtr bdtrc bdtri bdtrik bdtrin nbdtrik nbdtrin smirnov smirnovi"
            ),
            "newer versions of SciPy do not have it": "btdtr btdtri sph_harm clpmn lpmn lpn",
            "its derivative by the fourth argument is not in SciPy": "elliprj",
            "the derivative of Riemann's zeta function is not in SciPy": "zetac",
            "it sets how SciPy reports errors": "geterr seterr errstate",
            "it is a class of errors": "SpecialFunctionWarning SpecialFunctionError",
        }
    ),
    **{
        name: _SPHEROIDAL
        for name in special.__all__
        if name.startswith(("pro_", "obl_", "mathieu_"))
    },
}
