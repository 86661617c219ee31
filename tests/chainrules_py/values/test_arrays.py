"""Libraries: which class belongs to which, and what joins later."""

from dataclasses import dataclass

import numpy as np
import pytest

from chainrules_py import (
    Array,
    ArrayLibrary,
    ComplexScalar,
    Integer,
    ProjectTo,
    RealScalar,
    RegistrationError,
    Scalar,
    register_library,
)
from chainrules_py.values.arrays import libraries, library_of, library_of_types, numpy_library
from chainrules_py.values.structure import is_container

numpy_library()  # joins when the first array arrives; here nothing else may have brought one

SCALARS = [
    (1.0, RealScalar), (np.float32(1), RealScalar), (np.longdouble(1), RealScalar), (1j, ComplexScalar),
    (np.complex64(1), ComplexScalar), (1, Integer), (True, Integer), (np.int8(1), Integer), (np.bool_(True), Integer),
]  # fmt: skip


@pytest.mark.parametrize(("value", "cls"), SCALARS, ids=lambda v: type(v).__name__)
def test_numbers_are_of_exactly_one_kind(value, cls):
    kinds = [RealScalar, ComplexScalar, Integer]
    assert [isinstance(value, kind) for kind in kinds] == [kind is cls for kind in kinds]
    assert isinstance(value, Scalar)
    assert not isinstance(value, Array)


@pytest.mark.parametrize("value", [np.ones(2), np.array(1.0), np.ma.ones(2)])
def test_arrays(value):
    assert isinstance(value, Array)
    assert not isinstance(value, Scalar)


def test_the_library_of_a_class():
    assert (
        library_of(np.ndarray) is library_of(np.float64) is library_of(np.matrix) is numpy_library()
    )
    assert library_of(float) is None
    assert library_of(str) is None
    assert numpy_library() in libraries()


def test_the_highest_priority_computes_a_mixed_call():
    class Device:
        pass

    device = ArrayLibrary("device", np, (Device,), priority=7, mutable=False)
    assert library_of(Device) is None
    register_library(device)
    assert library_of(Device) is device
    assert library_of_types((np.ndarray, float, Device)) is device
    assert library_of_types((float, int)) is numpy_library()


def test_a_type_that_joins_later_is_seen_by_rules_that_were_resolved_before(rules):
    class Late(np.lib.mixins.NDArrayOperatorsMixin):
        pass

    @rules.rrule.register(np.sin)
    def sin_rrule(x: Array):
        return "array", lambda y_bar: (x,)

    assert rules.rrule.find(np.sin, Late) is None
    register_library(ArrayLibrary("late", np, (Late,)))
    assert rules.rrule.find(np.sin, Late)(None)[0] == "array"


def test_implementations_by_name_and_by_table():
    library = numpy_library()
    assert library.implementation(np.linalg.inv) is np.linalg.inv
    assert library.implementation(len) is len

    class Namespace:
        sin = staticmethod(lambda x: "sin")

    other = ArrayLibrary("other", Namespace, (), implementations={np.cos: len}.get)
    assert other.implementation(np.sin)(0) == "sin"
    assert other.implementation(np.cos) is len
    assert other.implementation(np.linalg.inv) is np.linalg.inv


def test_an_implementation_is_looked_up_once_and_unhashable_primals_every_time():
    asked = []
    library = ArrayLibrary(
        "asked", namespace=np, array_types=(), implementations=lambda primal: asked.append(primal)
    )
    assert library.implementation(np.sin) is library.implementation(np.sin) is np.sin
    assert asked == [np.sin]

    class Unhashable:
        __hash__ = None

    primal = Unhashable()
    assert library.implementation(primal) is library.implementation(primal) is primal
    assert asked == [np.sin, primal, primal]


def test_two_libraries_do_not_share_a_name():
    """The second would have taken the name of the first, and its arrays would have been nobody's,
    silently.
    """

    class Mine:
        shape, dtype = (), np.dtype(float)

    class Yours:
        shape, dtype = (), np.dtype(float)

    mine = register_library(ArrayLibrary(name="tests.named", namespace=np, array_types=(Mine,)))
    with pytest.raises(RegistrationError):
        register_library(ArrayLibrary(name="tests.named", namespace=np, array_types=(Yours,)))
    assert library_of(Mine) is mine
    assert library_of(Yours) is None
    again = register_library(ArrayLibrary(name="tests.named", namespace=np, array_types=(Mine,)))
    assert library_of(Mine) is again


def test_what_joined_a_library_is_an_array_and_no_container():
    """Whatever fields its objects have: a traced value that keeps what it holds in attributes, say,
    or a dataclass.
    """

    @dataclass
    class Traced:
        value: np.ndarray

        @property
        def shape(self):
            return self.value.shape

        def __getattr__(self, name):
            return getattr(self.value, name)

    assert is_container(Traced(np.ones(2)))
    register_library(ArrayLibrary(name="tests.traced", namespace=np, array_types=(Traced,)))
    assert not is_container(Traced(np.ones(2)))
    assert ProjectTo(Traced(np.ones(2))).shape == (2,)
