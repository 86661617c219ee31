"""A module that is not imported with its package, and may be imported in a scope."""

import math

import numpy as np


def grown(x):
    return float(np.asarray([x, math.exp(x)]).sum())
