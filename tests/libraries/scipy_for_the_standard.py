"""SciPy's functions that ask their arguments for the namespace, in a scope: ``python`` runs it, with
SCIPY_ARRAY_API=1 or without, and it prints the names of those whose derivatives are wrong.
"""

import numpy as np
import scipy.cluster.vq as vq
import scipy.differentiate as differentiate
import scipy.integrate as integrate
import scipy.ndimage as ndimage
import scipy.optimize.elementwise as elementwise
import scipy.signal as signal
import scipy.special as special
import scipy.stats as stats

from chainrules_tape import grad, seen_through
from slopes import quotients

X = np.array([0.3, 0.9, 2.0, 1.1, 0.7])
Y = np.array([0.5, 1.0, 2.5, 0.2, 0.9])
CALLS = {
    "zscore": lambda x: stats.zscore(x)[0],
    "skew": stats.skew,
    "kurtosis": stats.kurtosis,
    "gmean": stats.gmean,
    "hmean": stats.hmean,
    "variation": stats.variation,
    "sem": stats.sem,
    "ttest_1samp": lambda x: stats.ttest_1samp(x, 0.5).pvalue,
    "ttest_ind": lambda x: stats.ttest_ind(x, Y).pvalue,
    "pearsonr": lambda x: stats.pearsonr(x, Y).pvalue,
    "normaltest": lambda x: stats.normaltest(np.concatenate([x, x**2])).pvalue,
    "jarque_bera": lambda x: stats.jarque_bera(x).pvalue,
    "entropy": stats.entropy,
    "logsumexp": special.logsumexp,
    "softmax": lambda x: special.softmax(x)[0],
    "gammaln": lambda x: special.gammaln(x)[0],
    "xlogy": lambda x: special.xlogy(x, Y)[0],
    "betainc": lambda x: special.betainc(x, 2.0, 0.4)[0],
    "simpson": integrate.simpson,
    "detrend": lambda x: signal.detrend(x)[0],
    "gaussian_filter": lambda x: ndimage.gaussian_filter(x, 1.0)[1],
    "whiten": lambda x: vq.whiten(x[:, None])[0, 0],
    "derivative": lambda x: differentiate.derivative(lambda t: t**3, x).df[0],
    "find_root": lambda x: elementwise.find_root(
        lambda t, c: t**2 - c, (0 * x, x + 4), args=(x,)
    ).x[0],
}


def is_right(f):
    wanted = quotients(lambda x: float(f(x)), X)
    with seen_through(__name__, "scipy"):
        return np.allclose(grad(f)(X), wanted, rtol=1e-5, atol=1e-7)


if __name__ == "__main__":
    print([name for name, f in CALLS.items() if not is_right(f)], len(CALLS))
