"""Programs that make texts of numbers: some read them, and others show them."""

import io
import logging
import math
import struct
import warnings

import numpy as np

READ = {
    "back": lambda x: float("%.12g" % math.sin(x)) + x,
    "back, by format": lambda x: float("{:.12g}".format(math.sin(x))) + x,
    "back, joined": lambda x: float("".join(["", "%.12g" % x])) + x,
    "back, added": lambda x: float("0" + "%.12g" % x) + x,
    "back, as an integer": lambda x: int(f"{x:.0f}") + x,
    "its beginning": lambda x: 2 * x if str(math.sin(x)).startswith("0.") else x,
    "its length, of a number of NumPy's": lambda x: len(str(np.sin(x))) * x,
    "its parts": lambda x: float(repr(x).split(".")[0] == "0") * x,
    "compared": lambda x: x if f"{x:.1f}" == "0.5" else 2 * x,
    "as a key": lambda x: {f"{x:.1f}": x}[f"{x:.1f}"],
    "of an array": lambda x: float(np.array2string(np.array([math.sin(x)])).strip("[]")),
    "as bytes": lambda x: len(format(x, ".3f").encode()) * x,
    "packed": lambda x: struct.unpack("d", struct.pack("d", math.sin(x)))[0] + x,
    "digits cleaned": lambda x: int(x * 1e6) / 1e6 + x * x,
}


def printed(x):
    print(f"{x:.3f}", "%g" % x, str(x), end="; ", file=io.StringIO())
    return x * x


def logged(x):
    logging.getLogger("texts").warning("x is %.3f, " + f"{x}", x)
    return x * x


def warned(x):
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        warnings.warn(f"at {x:.2f}", stacklevel=1)
    return x * x


def caught(x):
    try:
        raise ValueError(f"{x:.3f} is refused")
    except ValueError as error:
        return x * x + len(error.args)


def of_plain_numbers(x):
    k, text = 3, f"{0.5:.2f}"
    return x * x * float(text) * len("%d of %s" % (k, text)) * (7 % k) * (x % 2.0)


def counted(x):
    lines = [f"step {k}: {x * k:.3f}" for k in range(3)] + [str(math.sin(x)), f"{x:8.2e}"]
    return len(f"{x:.3f}") * x * x if sum(map(len, lines)) + len(lines[1]) > 60 else x


SHOWN = [printed, logged, warned, caught, of_plain_numbers, counted]
