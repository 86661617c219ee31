"""Samples of `einsum`."""

from typing import Any

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for

Shape = tuple[int, ...]
CALLS: list[tuple[str, tuple[Shape, ...]]] = [
    *(("ij,jk->ik", ((2, 3), (3, 2))), ("ij,jk", ((2, 3), (3, 2)))),
    *(("ba", ((2, 3),)), ("i,j->ji", ((2,), (3,)))),
    *(("ii->i", ((3, 3),)), ("ii", ((3, 3),)), ("iij->j", ((2, 2, 3),))),
    *(("iji->ij", ((2, 3, 2),)), ("ii,i->", ((2, 2), (2,))), ("iii->i", ((2, 2, 2),))),
    *(("ijij->j", ((2, 3, 2, 3),)), ("iij->j", ((0, 0, 2),))),
    *(("ij->", ((2, 3),)), ("ij->j", ((2, 3),)), ("i,ij->", ((2,), (2, 3))), (",->", ((), ()))),
    ("...ij,jk->...ik", ((2, 2, 3), (3, 2))),
    *(("i...,i", ((3, 2), (3,))), ("...,...", ((2, 3), (3,)))),
    *(("ij,ij->j", ((1, 3), (2, 3))), ("ij,ij->ij", ((2, 3), (2, 1))), ("ij,i->i", ((2, 3), (1,)))),
    ("ij,jk,kl->il", ((2, 3), (3, 2), (2, 2))),
    *((" i j , j -> i ", ((2, 3), (3,))), ("ij,jk->ik", ((2, 0), (0, 3)))),
]


@samples_for(np.einsum, dtypes=DOUBLE)
def einsum_samples(draw: Draw) -> Samples:
    """Every kind of subscripts, in both call forms, along several paths."""
    for subscripts, shapes in CALLS:
        yield Sample(
            subscripts, *(draw.any(*shape) for shape in shapes), name=subscripts.replace(" ", "_")
        )
    for optimize in (True, "greedy", ["einsum_path", (0, 1), (0, 1)]):
        operands: Any = (draw.any(2, 3), draw.any(3, 2), draw.any(2))
        yield Sample("ij,jk,k->i", *operands, options={"optimize": optimize})
    x = draw.any(3)
    yield Sample("i,i", x, x, name="same-operand")
    yield Sample("i,->i", x, 2.5, name="number")
    yield Sample(draw.any(2, 3), [0, Ellipsis], draw.any(2), [0], [Ellipsis], name="lists-ellipsis")
    yield Sample(draw.any(2, 3), [26, 1], name="lists-two-alphabets")
