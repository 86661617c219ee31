"""What is no cotangent of a value is refused, with the value and its space; and what has no tangents
takes nothing.
"""

from collections import OrderedDict

import numpy as np
import pytest

from chainrules_py import SeedError
from chainrules_py.errors import ProjectionError
from chainrules_py.projection import ProjectTo, fit, unbroadcast
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent, not_implemented

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed (extra: scipy)")
R = np.ones(3)
SPARSE = sparse.csr_array(np.eye(3, 4))

# a value, and what is none of its cotangents
REFUSED = [
    *((R, t) for t in (np.ones((2, 3)), np.float64(1.0), 1.0, [1.0, 2.0, 3.0], None, "abc")),
    *((R, t) for t in (np.array([1.0, None, 2.0]), np.array(["a", "b", "c"]))),
    (R, Tangent[tuple](1.0, 2.0, 3.0)),
    *((np.ones((2, 3)), np.ones(shape)) for shape in [(3,), (3, 2)]),
    *((np.ones(()), np.ones(2)), (np.ones(1), np.ones(0)), (np.array([1.0, None]), R)),
    *(
        (x, t)
        for x in (1.0, 1j, np.float32(1.0), np.complex128(1.0))
        for t in (np.ones(2), np.ones(0), [1.0], None, "1.0", np.array(None))
    ),
    *(
        (cls((R, R)), t)
        for cls in (tuple, list)
        for n in (0, 1, 3)
        for t in (Tangent[cls](*[R] * n), cls([R] * n))
    ),
    *((cls(a=R, b=R), Tangent[cls](c=R)) for cls in (dict, OrderedDict)),
    *(({"a": R, "b": R}, t) for t in ({"a": R}, {"a": R, "b": R, "c": R})),
    *((SPARSE, t) for t in (np.ones((4, 3)), sparse.csr_array((4, 3)), np.ones(12), 1.0, None)),
    *((SPARSE, t) for t in ([np.eye(3)], np.full((3, 4), None))),
]


@pytest.mark.parametrize(("x", "t"), REFUSED, ids=repr)
def test_what_is_no_cotangent(x, t):
    space = ProjectTo(x)
    with pytest.raises(ProjectionError) as caught:
        space(t)
    assert caught.value.space == space
    if isinstance(t, np.ndarray) and x is not SPARSE:
        assert caught.value.value is t


SHAPES = [((3,), (2,)), ((3,), (2, 3)), ((1,), (3,)), ((2, 3), (2,)), ((), (1,)), ((0,), (3,))]
STRUCTURES = [
    *((np.ones((2, 2)), "symetric"), (R, "symmetric"), (np.ones((2, 3)), "diagonal")),
    *((1.0, "symmetric"), (SPARSE, "symmetric")),
]


@pytest.mark.parametrize(
    ("project", "value"),
    [
        *((lambda t, to=to: unbroadcast(t, to, np), np.ones(wide)) for wide, to in SHAPES),
        *((lambda t: fit(t, (3,), np.dtype(float)), t) for t in (np.ones(2), None)),
        *((lambda structure, x=x: ProjectTo(x, structure), s) for x, s in STRUCTURES),
    ],
)
def test_what_fits_no_shape_and_no_structure(project, value):
    with pytest.raises(ProjectionError) as caught:
        project(value)
    assert caught.value.value is value


def test_an_error_inside_names_the_inner_space():
    with pytest.raises(ProjectionError) as caught:
        ProjectTo([1.0, np.ones(3)])([1.0, np.ones(2)])
    assert caught.value.space.shape == (3,)


@pytest.mark.parametrize(
    "x",
    [
        *(1, True, "abc", b"abc", None, int, len, np.str_("a"), np.datetime64("2020"), (1, "a")),
        *(np.zeros(3, dtype) for dtype in ("bool", "int8", "U3", "S3", "M8[s]", "V4")),
        *(SPARSE.astype(int), SPARSE != 0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("t", [1.0, R, ZERO, NO_TANGENT], ids=repr)
def test_without_a_tangent_space_nothing_is_projected(x, t):
    assert ProjectTo(x)(t) is NO_TANGENT


@pytest.mark.parametrize(
    "x", [1.0, 1j, np.float32(1.0), R, (1.0, 2), {"a": R}, SPARSE, np.array([None])], ids=repr
)
@pytest.mark.parametrize("t", [ZERO, NO_TANGENT, not_implemented("nobody")], ids=repr)
def test_special_tangents_pass(x, t):
    assert ProjectTo(x)(t) is t


class Opaque:
    def __init__(self):
        self.itself = self


@pytest.mark.parametrize("x", ["text", Opaque(), print], ids=["text", "object", "function"])
def test_what_is_opaque_admits_and_fits_whatever_its_rule_says(x):
    space, seed = admitting_space(x), object()
    assert space.admit(seed, "here") is seed
    assert space.fits(seed)
    for wrong in (None, not_implemented("nobody")):
        with pytest.raises(SeedError):
            space.admit(wrong, "here")
