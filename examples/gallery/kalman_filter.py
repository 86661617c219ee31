"""The yearly flow of the Nile at Aswan, 1871 to 1970: a level that wanders, seen through noise.

A Kalman filter computes how likely the flows are, given how noisy a year is and how far the level
moves from one year to the next. The gradient by these two says what they are most likely to be. The
gradient by the flows themselves gives the level of each year, and the Hessian by the flows its
uncertainty: what textbooks call a smoother, and write a second algorithm for. The data and the
model are those of Durbin and Koopman, "Time Series Analysis by State Space Methods" (2012), chapter
2.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

from chainrules_tape import grad, hessian, jvp, value_and_grad

FLOWS = np.fromstring(
    """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958
    1140 1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020
    1050 969 831 726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796
    1040 759 781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848
    890 744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740""",
    sep=" ",
)
YEARS = np.arange(1871, 1971)


def surprise(variances, flows):
    """Minus the logarithm of the likelihood of all flows after the first one, year by year (Kalman
    1960).
    """
    noise, walk = variances
    level, spread, total = flows[0], noise, 0.0
    for flow in flows[1:]:
        spread = spread + walk  # a year passes
        expected = spread + noise
        total = total + 0.5 * np.log(2 * np.pi * expected) + 0.5 * (flow - level) ** 2 / expected
        gain = spread / expected
        level, spread = level + gain * (flow - level), spread * (1 - gain)
    return total


def loss(logs):
    """The surprise by the logarithms of the variances, which may be any numbers."""
    return surprise(np.exp(logs), FLOWS)


def smooth(variances):
    """The level of each year and its standard deviation, given all flows, by two derivatives of the
    surprise.
    """
    noise = variances[0]
    # one for each year, all at once through the filter
    copies = np.tile(FLOWS[:, None], FLOWS.size)
    slopes = grad(lambda flows: np.sum(surprise(variances, flows)))
    slope, curvature = jvp(slopes, (copies,), (np.eye(FLOWS.size),))
    return FLOWS - noise * slope[:, 0], np.sqrt(noise - noise**2 * np.diag(curvature))


def draw(level, spread, path):
    """Draw the flows, and the level with its uncertainty."""
    figure, panel = plt.subplots(layout="constrained")
    panel.plot(YEARS, FLOWS, "o", ms=3.5, color="gray", label="flow of the year")
    panel.plot(YEARS, level, color="C0", label="level, ±2σ")
    panel.fill_between(YEARS, level - 2 * spread, level + 2 * spread, color="C0", alpha=0.3, lw=0)
    panel.axvline(1899, color="C1", ls=":", label="building of the dam begins")
    panel.set(xlabel="year", ylabel="flow (10⁸ m³ a year)")
    panel.legend(loc="upper right")
    figure.savefig(path)


def main(picture=None):
    """Fit the variances and smooth the level; return both, with the standard deviations of the
    logarithms of the variances.
    """
    logs = optimize.minimize(value_and_grad(loss), np.log([1e4, 1e4]), jac=True, method="BFGS").x
    deviations = np.sqrt(np.diag(np.linalg.inv(hessian(loss)(logs))))
    level, spread = smooth(np.exp(logs))
    if picture:
        draw(level, spread, picture)
    return {"variances": np.exp(logs), "deviations": deviations, "level": level, "spread": spread}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for name, value, factor in zip(
        ("noise", "walk"), result["variances"], np.exp(result["deviations"]), strict=True
    ):
        print(f"variance of the {name}: {value:.1f}, known to a factor of {factor:.2f}")
