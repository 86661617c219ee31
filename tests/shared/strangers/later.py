"""A module that is not imported with its package, and may be imported in a scope."""

import math
import sys

import numpy as np


def grown(x):
    return float(np.asarray([x, math.exp(x)]).sum())


def name_of_caller():
    return sys._getframe(1).f_code.co_name
