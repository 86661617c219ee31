"""Every public name of SciPy's modules has a rule or a reason why it has none; what peers differentiate has a rule."""

import importlib
import pkgutil

import pytest

from chainrules_py import default_rules

pytest.importorskip("scipy")
rulesets = importlib.import_module("chainrules_py.rulesets.scipy")
MODULES = [found.name for found in pkgutil.iter_modules(rulesets.__path__) if found.ispkg]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_accounted_for(name):
    module = importlib.import_module(f"scipy.{name}")
    listed = importlib.import_module(f"chainrules_py.rulesets.scipy.{name}.without_rules").NO_RULE_YET
    public = {name: getattr(module, name) for name in module.__all__ if callable(getattr(module, name))}
    reasons = {public[name] for name in listed if name in public}
    assert [name for name, found in public.items() if found not in default_rules and found not in reasons] == []
    assert [name for name in listed if name in public and public[name] in default_rules] == []


@pytest.mark.parametrize("name", MODULES)
def test_what_peers_differentiate_has_a_derivative(name):
    module = importlib.import_module(f"scipy.{name}")
    targets = [name for name in PEERS[name].split() if hasattr(module, name)]
    assert [name for name in targets if not has_derivative(getattr(module, name))] == []


def has_derivative(function):
    return any(rule.mode == "reverse" for rule in default_rules.rules(function))


# What HIPS autograd or JAX differentiate.
PEERS = {
    "fft": "dct dctn idct idctn",
    "integrate": "trapezoid",
    "interpolate": "",
    "ndimage": "map_coordinates",
    "signal": "convolve convolve2d correlate correlate2d csd detrend fftconvolve istft stft welch",
    "special": """
        beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcinv erfcx erfinv exp1 expi expit expn
        factorial fresnel gamma gammainc gammaincc gammaln gammasgn hyp1f1 hyp2f1 i0 i0e i1 i1e iv ive j0 j1 jn kl_div
        log_ndtr log_softmax loggamma logit logsumexp multigammaln ndtr ndtri owens_t poch polygamma psi rel_entr
        rgamma sici softmax spence sph_harm_y wofz xlog1py xlogy y0 y1 yn zeta
    """,
}
