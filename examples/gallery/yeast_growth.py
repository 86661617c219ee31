"""How fast yeast grows: a differential equation in a Bayesian model, sampled by PyMC.

T. Carlson measured the mass of yeast in a culture every hour (Biochemische Zeitschrift 57, 1913).
It grows by a rate as long as there is food, and ends at what the culture can feed. SciPy solves
that equation for each draw; NUTS needs the slopes of the likelihood, which PyTensor gets from the
program as it is written. This equation has a closed form, too. So a second model, in PyTensor's own
operations, says what the first one should find.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytensor.tensor as pt

from chainrules_pytensor import to_pytensor
from chainrules_tape.scipy.integrate import solve_ivp

HOURS = np.arange(19.0)
MASS = np.array(
    [
        *(9.6, 18.3, 29.0, 47.2, 71.1, 119.1, 174.6, 257.3, 350.7, 441.0),
        *(513.3, 559.7, 594.8, 629.4, 640.8, 651.1, 655.9, 659.6, 661.8),
    ]
)
NAMES = ("rate", "capacity", "start", "noise")


def growth(t, mass, rate, capacity):
    """How fast the mass grows: any other law of growth may stand here."""
    return rate * mass * (1 - mass / capacity)


def solved(rate, capacity, start, rtol=1e-5, atol=1e-2):
    """The mass at each hour, by SciPy's solver."""
    found = solve_ivp(
        growth,
        (HOURS[0], HOURS[-1]),
        np.stack([start]),
        t_eval=HOURS,
        args=(rate, capacity),
        rtol=rtol,
        atol=atol,
    )
    return found.y[0]


def closed(rate, capacity, start):
    """The mass at each hour, in PyTensor's own operations."""
    return capacity / (1 + (capacity / start - 1) * pt.exp(-rate * HOURS))


def model(curve):
    """The model of the measurements: priors, the curve and the noise around it."""
    with pm.Model() as found:
        rate = pm.LogNormal("rate", np.log(0.5), 0.5)
        capacity = pm.LogNormal("capacity", np.log(600.0), 0.5)
        start = pm.LogNormal("start", np.log(10.0), 0.5)
        noise = pm.LogNormal("noise", np.log(5.0), 0.5)
        pm.Normal("mass", curve(rate, capacity, start), noise, observed=MASS)
    return found


def sampled(curve, draws, tune):
    """Draws from the posterior, by NUTS: an array for each parameter.

    NUTS moves in units of the posterior's own width: with the covariance at the most likely point,
    from the Hessian there, it takes six gradients for each draw, and without it thirty.
    """
    with model(curve):
        best = pm.find_MAP(progressbar=False)
        covariance = np.linalg.inv(pm.find_hessian(best))
        trace = pm.sample(
            draws,
            tune=tune,
            step=pm.NUTS(scaling=covariance, is_cov=True),
            initvals={name: best[name] for name in NAMES},
            chains=2,
            cores=1,
            random_seed=1,
            progressbar=False,
            compute_convergence_checks=False,
        )
    return {name: trace.posterior[name].to_numpy() for name in NAMES}


def draw(ours, own, path):
    """Draw the curves of some draws, and both posteriors of the rate and the capacity."""
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1.5, 1], layout="constrained")
    for k in range(40):
        curve = solved(*(ours[name].ravel()[7 * k] for name in NAMES[:3]))
        left.plot(HOURS, curve, color="C0", alpha=0.15, lw=1)
    left.plot(HOURS, MASS, "o", ms=4, color="C1", label="measured")
    left.plot([], [], color="C0", label="draws")
    left.set(xlabel="hours", ylabel="mass of yeast", ylim=(0, None))
    left.legend(loc="lower right")
    points = {"SciPy's solver": (ours, "C0"), "closed form": (own, "C2")}
    for k, (name, (draws, color)) in enumerate(points.items()):
        x, y = draws["rate"].ravel(), draws["capacity"].ravel()
        right.plot(x, y, ".", ms=2, alpha=0.3, color=color)
        right.plot(x.mean(), y.mean(), "ox"[k], ms=7, mfc="none", color=color, label=name)
    right.set(xlabel="rate (1/h)", ylabel="capacity")
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    figure.savefig(path)


def main(picture=None, draws=400, tune=100):
    """Sample both models; return the draws of each."""
    ours, own = (sampled(curve, draws, tune) for curve in (to_pytensor(solved), closed))
    if picture:
        draw(ours, own, picture)
    return {"ours": ours, "own": own}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for name in NAMES:
        found = (f"{x[name].mean():9.4f} ± {x[name].std():.4f}" for x in result.values())
        print(f"{name:<10}{'   closed form'.join(found)}")
