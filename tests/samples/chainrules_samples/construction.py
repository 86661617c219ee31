"""Samples of making arrays."""

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, Tag, samples_for


@samples_for(np.copy, dtypes=DOUBLE)
def copy_samples(draw: Draw) -> Samples:
    """Arrays and numbers."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3), options={"order": "F"})
    yield Sample(2.5)


@samples_for(np.astype, dtypes=DOUBLE)
def astype_samples(draw: Draw) -> Samples:
    """To wider, to complex, to integers, which have no tangents."""
    yield Sample(draw.any(2, 3), np.dtype("complex128"), name="complex")
    yield Sample(draw.any(2, 3), draw.dtype, options={"copy": False})
    if not draw.is_complex:
        yield Sample(draw.any(2, 3), np.dtype("int64"), name="integers", tags=[Tag.KINK])


@samples_for(
    np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.array, dtypes=DOUBLE
)
def conversion_samples(draw: Draw, primal) -> Samples:
    """Arrays and numbers, in another dtype."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any())
    yield Sample(2.5)
    yield Sample(draw.any(2), options={"dtype": np.dtype("complex128")})
    if primal is np.asanyarray:
        yield Sample(draw.any(2, 3), options={"order": "F", "copy": True})
    if primal in (np.asarray, np.array):
        yield Sample(
            draw.any(2, 3),
            options={"order": "F", "copy": True if primal is np.asarray else None},
        )
        yield Sample([draw.any(2), [1.5, draw.any()]], name="nested")
        yield Sample([draw.any(2), draw.any(2)], options={"copy": None}, name="nested-copy=None")
        yield Sample(
            (1.5, 2.5),
            options={"dtype": np.dtype("complex128")},
            name="numbers",
        )


@samples_for(np.array, dtypes=DOUBLE)
def array_samples(draw: Draw) -> Samples:
    """With more axes."""
    yield Sample(draw.any(2), options={"ndmin": 2})
    yield Sample(draw.any(2), options={"subok": True})
    yield Sample([1.5, draw.any()], options={"ndmin": 2}, name="nested-ndmin")


@samples_for(np.full, dtypes=DOUBLE)
def full_samples(draw: Draw) -> Samples:
    """A number and a row, everywhere."""
    yield Sample((2, 3), draw.any(3), name="row")
    yield Sample(2, 2.5, name="number")
    yield Sample(
        (2,),
        draw.any(),
        options={"dtype": np.dtype("complex128"), "order": "F"},
    )
    yield Sample((0,), draw.any())


@samples_for(np.full_like, dtypes=DOUBLE)
def full_like_samples(draw: Draw) -> Samples:
    """A number and a row, everywhere; in another shape and dtype."""
    yield Sample(draw.any(2, 3), draw.real(3))
    yield Sample(draw.any(2), 2.5)
    for given in ({"shape": (3, 2)}, {"order": "F"}, {"dtype": np.dtype("complex128")}):
        yield Sample(draw.any(2), draw.real(), options=given)
