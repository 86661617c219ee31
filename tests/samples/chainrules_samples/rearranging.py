"""Samples of functions that turn, shift and repeat entries, flat or along axes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.testing.samples import (
    DOUBLE,
    samples_by_shape,
)

COUNTS = np.array([1, 0, 2, 1, 3, 0])
CALLS: dict[Callable[..., Any], Any] = {
    np.flip: [((2, 3), {}), *(((2, 3), {"axis": axis}) for axis in (-1, (0, 1))), ((0,), {})],
    **dict.fromkeys((np.fliplr, np.flipud), (((2, 3, 2), {}),)),
    np.rot90: [*(((2, 3), {"k": k}) for k in (0, 3)), ((2, 3, 2), {"axes": (2, 1)})],
    np.roll: [
        *(((2, 3), {"shift": 2}), ((0,), {"shift": 1})),
        ((2, 3), {"shift": 2, "axis": -1}),
        *(((2, 3), {"shift": s, "axis": a}) for s, a in (((1, -1), (0, 1)), (1, (0, 0)))),
    ],
    np.tile: [
        *(((2, 3), {"reps": reps}) for reps in (2, (2, 1, 2), ())),
        ((), {"reps": 3}),
    ],
    np.repeat: [
        *(((2, 3), {"repeats": 2}), ((2, 3), {"repeats": COUNTS})),
        *(((), {"repeats": 3}), ((0, 2), {"repeats": 3, "axis": 1})),
        *(
            ((2, 3), {"repeats": n, "axis": axis})
            for n, axis in ((np.array([2, 0, 1]), -1), ([2], 1), (0, 0))
        ),
    ],
    np.resize: [
        *(((2, 3), {"new_shape": shape}) for shape in ((3, 5), (2,), 0)),
        ((0,), {"new_shape": (2,)}),
    ],
}
samples_by_shape(CALLS, dtypes=DOUBLE)
