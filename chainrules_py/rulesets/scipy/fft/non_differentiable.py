"""Functions of `scipy.fft` that have no derivative: lengths and settings."""

from scipy import fft

from chainrules_py.makers import non_differentiable
from chainrules_py.values.identity import existing

non_differentiable(*existing(fft, "next_fast_len", "prev_fast_len", "get_workers"))
