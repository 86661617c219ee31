"""Central differences by fixed steps, against which the table's gradients are compared."""

import numpy as np


def central_differences(function, points, step=2e-5):
    """The gradient of a function by differences of fourth order; the step is relative to the numbers."""

    def moved(k, index, step):
        x = np.array(points[k], float)
        x[index] += step
        return function(*points[:k], x if x.ndim else float(x), *points[k + 1 :])

    found = []
    for k, point in enumerate(points):
        slopes = np.zeros(np.shape(point))
        for index in np.ndindex(slopes.shape):
            h = step * float(abs(np.asarray(point)[index]) or 0.05)
            near = moved(k, index, h) - moved(k, index, -h)
            far = moved(k, index, 2 * h) - moved(k, index, -2 * h)
            slopes[index] = (8 * near - far) / (12 * h)
        found.append(slopes)
    return found


def largest_difference(bars, slopes):
    """The largest difference of gradients, relative to the entry and to a part of the largest entry."""
    return max(
        float(np.max(np.abs(bar - slope) / (np.abs(slope) + 1e-3 * np.max(np.abs(slope)) + 1e-9)))
        for bar, slope in zip(bars, slopes, strict=True)
    )
