"""The yearly flow of the Nile at Aswan, 1871 to 1970: a level that wanders, seen through noise.

A Kalman filter computes how likely the flows are, given how noisy a year is and how far the level moves from one year to the
next. The gradient by these two says what they are most likely to be. The gradient by the flows themselves gives the level of
each year, and the Hessian by the flows its uncertainty: what textbooks call a smoother, and write a second algorithm for. The
data and the model are those of Durbin and Koopman, "Time Series Analysis by State Space Methods" (2012), chapter 2.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize

from chainrules_tape import grad, hessian, jvp, value_and_grad

FLOWS = np.fromstring(
    """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140 1100 1210 1150 1250 1260
    1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831 726 456 824 702 1120 1100 832 764 821
    768 845 864 862 698 845 744 796 1040 759 781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801
    1040 860 874 848 890 744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740""",
    sep=" ",
)
YEARS = np.arange(1871, 1971)


def surprise(variances: Any, flows: Any) -> Any:
    """Minus the logarithm of the likelihood of all flows after the first one, year by year (Kalman 1960)."""
    noise, walk = variances
    level, spread, total = flows[0], noise, 0.0
    for flow in flows[1:]:
        spread = spread + walk  # a year passes
        expected = spread + noise
        total = total + 0.5 * np.log(2 * np.pi * expected) + 0.5 * (flow - level) ** 2 / expected
        gain = spread / expected
        level, spread = level + gain * (flow - level), spread * (1 - gain)
    return total


def loss(logs: Any) -> Any:
    """The surprise by the logarithms of the variances, which may be any numbers."""
    return surprise(np.exp(logs), FLOWS)


def fit() -> Any:
    """The most likely variances, found by a quasi-Newton method."""
    return np.exp(optimize.minimize(value_and_grad(loss), np.log([1e4, 1e4]), jac=True, method="BFGS").x)


def smooth(variances: Any) -> tuple[Any, Any]:
    """The level of each year and its standard deviation, given all flows, by two derivatives of the surprise."""
    noise = variances[0]
    level = FLOWS - noise * grad(surprise, argnums=1)(variances, FLOWS)
    copies = np.tile(FLOWS[:, None], FLOWS.size)  # one for each year, all at once through the filter
    slopes = grad(lambda flows: np.sum(surprise(variances, flows)))
    curvature = jvp(slopes, (copies,), (np.eye(FLOWS.size),))[1]
    variance = noise - noise**2 * np.diag(curvature)
    return level, np.sqrt(variance)


def draw(level: Any, spread: Any, path: str) -> None:
    """Draw the flows, and the level with its uncertainty."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, panel = plt.subplots()
    panel.plot(YEARS, FLOWS, "o", ms=3.5, color="#8f8f8f", label="flow of the year")
    panel.plot(YEARS, level, color="C0", label="level, ±2σ")
    panel.fill_between(YEARS, level - 2 * spread, level + 2 * spread, color="C0", alpha=0.3, lw=0)
    panel.axvline(1899, color="C1", ls=":", label="building of the dam begins")
    panel.set(xlabel="year", ylabel="flow (10⁸ m³ a year)")
    panel.legend(loc="upper right")
    figure.savefig(path)


def main(picture: str | None = None) -> dict[str, Any]:
    """Fit the variances and smooth the level; return both, with the standard deviations of the logarithms of the variances."""
    variances = fit()
    curvature = hessian(loss)(np.log(variances))
    level, spread = smooth(variances)
    if picture:
        draw(level, spread, picture)
    deviations = np.sqrt(np.diag(np.linalg.inv(curvature)))
    return {"variances": variances, "deviations": deviations, "level": level, "spread": spread}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="the file for the picture")
    result = main(**vars(parser.parse_args()))
    for name, value, factor in zip(("noise", "walk"), result["variances"], np.exp(result["deviations"]), strict=True):
        print(f"variance of the {name}: {value:.1f}, known to a factor of {factor:.2f}")
