"""Samples of `scipy.special`, on each side of where a formula changes.

Positions that are not arrays are constants: orders, and parameters by which there is no derivative.
"""

from typing import Any

import numpy as np
from scipy import special

from chainrules_py.rulesets.scipy.special.bessel_orders import BY_REAL_ORDER, SLOPES
from chainrules_py.rulesets.scipy.special.complex_polygamma import complex_polygamma
from chainrules_py.rulesets.scipy.special.parameter_derivatives import (
    betainc_by_a,
    betainc_by_aa,
    betainc_by_ab,
    betainc_by_b,
    betainc_by_bb,
    gammainc_by_a,
    gammainc_by_aa,
)
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference, zeta_difference
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for

Points = tuple[Any, ...]
MIDDLE = [0.3, 0.7, 1.9]
INSIDE = [0.2, 0.55, 0.9]
SIDES = [-1.7, 0.4, 2.2]

ARGUMENTS: dict[str, Points] = {
    **dict.fromkeys(
        ("erf", "erfc", "erfi", "ndtr", "dawsn", "expm1", "exp2", "exp10", "cosm1", "i0", "i1"),
        (SIDES,),
    ),
    **dict.fromkeys(
        (
            "softplus",
            "expit",
            "log_expit",
            "sindg",
            "cosdg",
            "j0",
            "j1",
            "ber",
            "bei",
            "berp",
            "beip",
            "kelvin",
            "ker",
            "kei",
            "kerp",
            "keip",
            "y0",
            "y1",
            "k0",
            "k1",
            "gammaln",
            "loggamma",
            "exp1",
            "expi",
            "sici",
            "itstruve0",
            "it2struve0",
            "itmodstruve0",
            "itj0y0",
            "iti0k0",
            "it2j0y0",
            "it2i0k0",
            "cbrt",
            "fresnel",
            "modfresnelp",
            "modfresnelm",
            "wrightomega",
            "tandg",
            "cotdg",
            "entr",
            "gammasgn",
            "round",
            "airye",
            "factorial",
        ),
        (MIDDLE,),
    ),
    **dict.fromkeys(
        ("ellipk", "ellipe", "ellipkm1", "erfinv", "erfcinv", "ndtri", "logit", "kolmogi"),
        (INSIDE,),
    ),
    "itairy": ([0.3, 0.7],),
    **dict.fromkeys(("erfcx", "log_ndtr"), ([-1.5, 0.5, 9.5, 11.0, 40.0],)),
    **dict.fromkeys(("i0e", "i1e", "k0e", "k1e"), ([0.4, 2.5, 29.0, 45.0],)),
    **dict.fromkeys(("gamma", "rgamma", "psi"), ([-1.25, 0.4, 3.7],)),
    "log1p": ([-0.4, 0.3, 2.0],),
    "airy": ([-2.5, 0.0, 1.5],),
    "shichi": ([-0.5, 0.4, 2.5],),
    "spence": ([0.2, 0.97, 1.0, 1.03, 2.5],),
    "exprel": ([-0.4, 0.0, 2.0],),
    "ndtri_exp": ([-40.0, -2.0, -0.1],),
    "kolmogorov": ([0.3, 0.75, 0.85, 1.6],),
    "voigt_profile": ([-1.2, 0.4, 2.0], [0.5, 1.5, 0.8], [0.3, 0.7, 1.1]),
    "owens_t": ([-1.2, 0.4, 1.5], [0.3, -0.7, 2.0]),
    "agm": ([0.6, 1.3, 2.0], [1.1, 0.4, 2.0]),
    **dict.fromkeys(
        ("beta", "betaln", "poch", "xlogy", "kl_div", "rel_entr"), (MIDDLE, [1.4, 0.6, 2.5])
    ),
    **dict.fromkeys(("binom", "comb", "perm"), ([4.3, 2.6], [1.4, 0.3])),
    "xlog1py": (SIDES, [0.4, -0.6, 2.5]),
    "huber": ([1.0, 1.0, 1.5], [0.4, -2.0, 3.0]),
    "pseudo_huber": ([1.0, 0.5, 1.5], [0.4, -2.0, 3.0]),
    **dict.fromkeys(("boxcox", "boxcox1p"), ([0.4, 1.3, 2.5], [0.0, -0.6, 2.0])),
    **dict.fromkeys(("inv_boxcox", "inv_boxcox1p"), ([0.4, 0.3, 0.5], [0.0, -0.6, 2.0])),
    "powm1": ([0.4, 1.3, 2.5], [0.5, -0.6, 2.0]),
    "radian": (SIDES, SIDES, SIDES),
    **dict.fromkeys(("gammainc", "gammaincc"), ([0.4, 2.5, 14.0, 3.0], [0.3, 4.5, 12.0, 0.5])),
    **dict.fromkeys(("gammaincinv", "gammainccinv"), ([0.8, 2.5], INSIDE[:2])),
    **dict.fromkeys(("chdtr", "chdtrc"), ([0.8, 5.0], [0.6, 9.0])),
    "chdtri": ([2.5, 5.0], [0.4, 0.7]),
    "chdtriv": ([0.4, 0.7], [2.0, 5.0]),
    **dict.fromkeys(("gdtr", "gdtrc"), ([1.2, 0.7], [2.3, 1.5], [1.4, 3.0])),
    "gdtria": ([0.4, 0.7], [2.3, 1.5], [1.4, 3.0]),
    "gdtrib": ([1.2, 0.7], [0.4, 0.7], [1.4, 3.0]),
    "gdtrix": ([1.2, 0.7], [2.3, 1.5], [0.4, 0.7]),
    **dict.fromkeys(("pdtr", "pdtrc"), (2.0, [1.4, 3.0])),
    "pdtri": (2, [0.4, 0.7]),
    "pdtrik": ([0.4, 0.3], [3.5, 6.0]),
    **dict.fromkeys(("betainc", "betaincc"), ([0.8, 2.5, 4.0], [1.5, 2.0, 0.7], [0.3, 0.8, 0.6])),
    **dict.fromkeys(("betaincinv", "betainccinv"), ([0.8, 2.5], [1.5, 2.0], [0.3, 0.7])),
    "btdtria": ([0.3, 0.7], [1.5, 2.0], [0.4, 0.6]),
    "btdtrib": ([0.8, 2.5], [0.3, 0.7], [0.4, 0.6]),
    **dict.fromkeys(("nbdtr", "nbdtrc", "nbdtri"), (2, 5, [0.3, 0.6])),
    "stdtr": ([2.5, 4.0, 7.0], [-1.2, 0.4, 2.0]),
    "stdtrit": ([2.5, 4.0], [0.2, 0.7]),
    "stdtridf": ([0.8, 0.9], [1.1, 1.5]),
    **dict.fromkeys(("fdtr", "fdtrc"), ([2.5, 4.0], [3.0, 5.5], [0.7, 1.6])),
    "fdtridfd": ([2.5, 4.0], [0.3, 0.7], [0.7, 2.0]),
    "fdtri": ([2.5, 4.0], [3.0, 5.5], [0.3, 0.7]),
    "nrdtrimn": ([0.3, 0.8], [1.2, 0.7], [2.0, -1.0]),
    "nrdtrisd": ([0.5, 1.0], [0.7, 0.2], [2.0, -1.0]),
    "chndtr": ([2.0, 4.0], 3.0, [1.5, 0.7]),
    "chndtrinc": ([2.0, 4.0], 3.0, [0.3, 0.4]),
    "chndtrix": ([0.4, 0.7], 3.0, [1.5, 0.7]),
    "tklmbda": ([0.3, -0.6], 0.4),
    **dict.fromkeys(
        (
            *("jv", "yv", "iv", "kv", "struve", "modstruve"),
            *("jve", "yve", "jvp", "yvp", "ivp", "kvp"),
        ),
        (1.3, [0.6, 2.2]),
    ),
    **dict.fromkeys(("ive", "kve"), (1.3, [0.6, 2.2, 45.0])),
    **dict.fromkeys(
        ("yn", "kn", "expn", "spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"),
        (2, [0.6, 2.2]),
    ),
    "besselpoly": ([0.6, 1.4], 1.0, 2.0),
    **dict.fromkeys(("ellipkinc", "ellipeinc"), ([0.4, 2.5, -4.0], [0.3, 0.7, 1e-9])),
    **dict.fromkeys(("ellipj", "elliprc"), ([0.4, 1.7], [0.3, 0.7])),
    **dict.fromkeys(("elliprf", "elliprg"), ([0.4, 1.7], [0.3, 0.7], [1.1, 2.0])),
    "elliprd": ([0.4, 1.7, 1e-3], [0.3, 0.7, 1.0], [1.1, 2.0, 1.0]),
    "hyp0f1": (1.3, SIDES),
    "hyp1f1": (0.7, 1.6, SIDES),
    "hyp2f1": (0.7, 1.6, 2.3, [-0.8, 0.5]),
    "hyperu": (0.7, 1.6, MIDDLE),
    **dict.fromkeys(("wright_bessel", "log_wright_bessel"), (0.4, 0.6, MIDDLE)),
    **dict.fromkeys(("pbdv", "pbvv", "pbwa"), (1.3, MIDDLE)),
    **{
        f"eval_{name}": (3, [-0.4, 0.6])
        for name in (
            "legendre",
            "chebyt",
            "chebyu",
            "chebyc",
            "chebys",
            "hermite",
            "hermitenorm",
            "laguerre",
        )
    },
    **{f"eval_sh_{name}": (3, INSIDE) for name in ("legendre", "chebyt", "chebyu")},
    **dict.fromkeys(("eval_genlaguerre", "eval_gegenbauer"), (3, 0.5, INSIDE)),
    "eval_jacobi": (3, 0.5, 1.2, INSIDE),
    "eval_sh_jacobi": (3, 2.5, 1.2, INSIDE),
    "lpmv": (1, 2, INSIDE),
    "zeta": (2.5, MIDDLE),
    "polygamma": (1, MIDDLE),
    "multigammaln": ([3.4, 5.0], 3),
    "lambertw": ([0.4, 2.0],),
    "sph_harm_y": (3, 1, [0.4, 1.2], [0.3, 2.0]),
}
COMPLEX: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        (
            "erf",
            "erfc",
            "erfi",
            "dawsn",
            "ndtr",
            "erfcx",
            "log_ndtr",
            "wofz",
            "expm1",
            "airy",
            "wrightomega",
            "gamma",
            "loggamma",
            "rgamma",
            "exp1",
            "fresnel",
            "shichi",
            "sici",
            "spence",
            "log1p",
            "lambertw",
        ),
        (),
    ),
    **dict.fromkeys(
        (
            "jv",
            "yv",
            "iv",
            "kv",
            "kve",
            "hankel1",
            "hankel2",
            "hankel1e",
            "hankel2e",
            "h1vp",
            "h2vp",
        ),
        (1.3,),
    ),
    "hyp0f1": (1.3,),
    "hyp1f1": (0.7, 1.6),
    "hyp2f1": (0.7, 1.6, 2.3),
}
# Parts of derivatives, below and above a mean, by small steps and large ones
BY_ORDER = [BY_REAL_ORDER[name] for name in SLOPES]
PARTS: dict[Any, Points] = {
    **dict.fromkeys(BY_ORDER, (1.3, [0.6, 2.2])),
    gammainc_by_a: ([1.5, 2.3], [0.6, 4.2]),
    gammainc_by_aa: (1.5, [0.6, 4.2]),
    **dict.fromkeys((betainc_by_a, betainc_by_b), ([1.5, 0.8], [2.5, 3.1], [0.2, 0.8])),
    **dict.fromkeys((betainc_by_aa, betainc_by_ab, betainc_by_bb), (1.5, 2.5, [0.2, 0.8])),
    psi_difference: ([0.7, 4.2, 30.0], [0.02, 0.1, 1.3]),
    zeta_difference: (2.0, [0.7, 4.2, 30.0], [0.02, 0.1, 1.3]),
}
# A second derivative reads one that is not implemented.
NO_SECOND = {
    *(special.chndtrix, special.chndtrinc, gammainc_by_a, betainc_by_a, betainc_by_b),
    *BY_ORDER,
}

REAL = {
    **{getattr(special, name): args for name, args in ARGUMENTS.items() if hasattr(special, name)},
    **PARTS,
}
HOLOMORPHIC = {getattr(special, name): orders for name, orders in COMPLEX.items()}


@samples_for(*REAL, dtypes=["float64"])
def special_samples(draw: Draw, primal) -> Samples:
    """The points of a function."""
    points = REAL[primal]
    args = tuple(np.array(arg, draw.dtype) if isinstance(arg, list) else arg for arg in points)
    fixed = [position for position, arg in enumerate(points) if isinstance(arg, float)]
    yield Sample(*args, fixed=fixed, second_order=primal not in NO_SECOND)


@samples_for(*HOLOMORPHIC, dtypes=["complex128"])
def complex_samples(draw: Draw, primal) -> Samples:
    """Points off the real line."""
    orders = HOLOMORPHIC[primal]
    yield Sample(*orders, np.array([0.4 + 0.3j, 0.7 - 0.4j]), fixed=range(len(orders)))


ORDERS = [getattr(special, name) for name in SLOPES]


@samples_for(*ORDERS, dtypes=["float64"])
def order_samples(draw: Draw) -> Samples:
    """Orders of either sign, below and beyond the argument."""
    yield Sample(
        np.array([0.4, 3.7, -1.6]), np.array([0.6, 2.2, 5.0]), second_order=False, name="orders"
    )


@samples_for(complex_polygamma, dtypes=["complex128"])
def complex_polygamma_samples(draw: Draw) -> Samples:
    """On both sides of the imaginary axis."""
    yield Sample(1, np.array([0.4 + 0.3j, -1.7 - 0.4j]))


@samples_for(
    *(getattr(special, name) for name in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp")),
    dtypes=["float64"],
)
def higher_derivative_samples(draw: Draw) -> Samples:
    """The second derivative of a Bessel function."""
    yield Sample(1.3, np.array([0.6, 2.2]), 2, fixed=[0])


@samples_for(
    special.spherical_jn,
    special.spherical_yn,
    special.spherical_in,
    special.spherical_kn,
    dtypes=["float64"],
)
def spherical_samples(draw: Draw) -> Samples:
    """The derivative."""
    yield Sample(2, np.array([0.6, 2.2]), True)


@samples_for(special.zeta, dtypes=["float64"])
def riemann_samples(draw: Draw) -> Samples:
    """One argument, by which there is no derivative."""
    yield Sample(np.array([2.5, 3.7]), fixed=[0])


@samples_for(special.lambertw, dtypes=["float64"])
def lambertw_samples(draw: Draw) -> Samples:
    """On another branch, and with a tolerance."""
    yield Sample(np.array([0.4, 2.0]), 1)
    yield Sample(np.array([0.4, 2.0]), 0, 1e-8, fixed=[2])


@samples_for(special.logsumexp, special.softmax, special.log_softmax, dtypes=["float64"])
def softmax_samples(draw: Draw, primal) -> Samples:
    """Over all entries and along two axes; far from 1, where exponentials overflow."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3, 2), options={"axis": (0, 2)})
    yield Sample(1000 + draw.any(3), name="large")


@samples_for(special.softmax, special.log_softmax, dtypes=["complex128"])
def complex_softmax_samples(draw: Draw, primal) -> Samples:
    """Complex entries."""
    yield Sample(draw.any(2, 3), options={"axis": 1})


@samples_for(special.logsumexp, dtypes=["complex128"])
def complex_logsumexp_samples(draw: Draw) -> Samples:
    """Complex entries, with factors, and with a sign that moves with them."""
    for options in ({"axis": 0}, {"axis": 1, "keepdims": True}):
        yield Sample(draw.any(2, 3), options={**options, "return_sign": True})
    yield Sample(draw.any(3), None, draw.any(3), options={"return_sign": True})


@samples_for(special.logsumexp, dtypes=["float64"])
def logsumexp_samples(draw: Draw) -> Samples:
    """With factors, broadcast; with kept axes; with the sign of a negative sum."""
    yield Sample(draw.any(2, 3), 1, draw.positive(3))
    yield Sample(draw.any(2, 3), 0, draw.positive(2, 1), options={"keepdims": True})
    yield Sample(draw.any(3), None, -draw.positive(3), options={"return_sign": True})
