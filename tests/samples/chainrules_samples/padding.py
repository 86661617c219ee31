"""Samples of `pad`: every mode."""

from typing import Any

import numpy as np

from chainrules_py.errors import OptionError
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, Tag, samples_for

LINEAR: list[dict[str, Any]] = [
    {},
    {"mode": "constant", "constant_values": ((1.0, 2.0), (3.0, 4.0))},
    {"mode": "wrap"},
    {"mode": "reflect", "reflect_type": "odd"},
    {"mode": "symmetric", "reflect_type": "odd"},
    {"mode": "linear_ramp", "end_values": 3.0},
    {"mode": "mean"},
    {"mode": "mean", "stat_length": ((1, 2), (2, 3))},
]


def pads_by_axis() -> bool:
    """Whether the installed version of NumPy takes a width for each of some axes."""
    try:
        np.pad(np.ones(1), {0: (0, 1)})
    except TypeError:
        return False
    return True


@samples_for(np.pad, dtypes=DOUBLE)
def linear_pad_samples(draw: Draw) -> Samples:
    """Modes that complex numbers have, too; more padding than there are entries."""
    for options in LINEAR:
        yield Sample(draw.any(3, 4), options={"pad_width": ((2, 1), (0, 3)), **options})
    for mode in ("edge", "wrap", "reflect", "symmetric"):
        yield Sample(draw.any(2), options={"pad_width": 5, "mode": mode})
        yield Sample(draw.any(1), options={"pad_width": 2, "mode": mode})
    if pads_by_axis():
        yield Sample(
            draw.any(2, 2), options={"pad_width": {1: (1, 2)}, "mode": "edge"}, name="2x2-by-axis"
        )
    yield Sample(draw.any(0, 2), options={"pad_width": 1})


@samples_for(np.pad)
def statistic_pad_samples(draw: Draw) -> Samples:
    """Modes that need an order; ties; modes that are refused."""
    for mode in ("maximum", "minimum", "median"):
        yield Sample(draw.distinct(3, 4), options={"pad_width": ((2, 1), (0, 3)), "mode": mode})
        yield Sample(
            draw.distinct(3, 4),
            options={"pad_width": 1, "mode": mode, "stat_length": 2},
        )
        yield Sample(np.ones(3, draw.dtype), options={"pad_width": 1, "mode": mode}, tags=[Tag.TIE])
    yield Sample(
        draw.any(3),
        options={"pad_width": 1, "mode": np.copyto},
        error=OptionError,
        error_data={"option": "mode"},
    )
