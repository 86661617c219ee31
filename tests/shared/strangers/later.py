"""A module that nobody imports with the package."""

import math

import numpy as np


def grown(x):
    return float(np.asarray([x, math.exp(x)]).sum())
