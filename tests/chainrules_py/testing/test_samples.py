"""Samples have unique names, known dtypes and reproducible numbers, and generators of them add up."""

import numpy as np
import pytest

from chainrules_py.testing import (
    Draw,
    Sample,
    Tag,
    UnsuitableCallError,
    samples,
    samples_for,
    samples_of,
)
from chainrules_py.testing.samples import dtypes_of


def hypotenuse(x, y, *, scale=1.0):
    return scale * np.hypot(x, y)


@samples_for(hypotenuse)
def hypotenuse_samples(draw: Draw):
    yield Sample(draw.real(2, 3), draw.real(3), options={"scale": 2.0})
    yield Sample(draw.real(2, 3), draw.real(3), options={"scale": 2.0})
    yield Sample(0.0, 0.0, tags=[Tag.KINK])
    yield Sample(1.0, 2.0, error=ValueError, error_data={"a": 1})


@samples_for(hypotenuse, dtypes=["complex128"])
def more_samples(draw, primal):
    assert primal is hypotenuse
    yield Sample(draw.any(2), name="mine")


def test_names_are_unique_and_say_what_the_sample_is():
    assert [sample.name for sample in samples_of(hypotenuse, "float32")] == [
        "2x3,3-scale=2.0-options",
        "2x3,3-scale=2.0-options-2",
        "float,float-kink",
        "float,float-error",
    ]


def test_generators_add_up_and_choose_their_dtypes():
    assert dtypes_of(hypotenuse) == ("float32", "float64", "complex128")
    assert [sample.name for sample in samples_of(hypotenuse, "complex128")] == ["mine"]


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    first, again, other = (
        next(iter(samples_of(hypotenuse, "float64", seed=seed))).args[0] for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.dtype == np.float64


@pytest.mark.parametrize(
    ("generate", "value"),
    [
        (lambda draw: None, None),
        (lambda draw: [(1.0, 2.0)], (1.0, 2.0)),
        (lambda draw: iter([Sample(1.0, 2.0), 3.0]), 3.0),
    ],
    ids=["nothing", "arguments", "a number"],
)
def test_a_generator_of_something_else(monkeypatch, generate, value):
    monkeypatch.setattr(samples, "_table", {})
    samples_for(hypotenuse)(generate)
    with pytest.raises(UnsuitableCallError) as caught:
        list(samples_of(hypotenuse, "float64"))
    assert (caught.value.primal, caught.value.value) == (hypotenuse, value)


@pytest.mark.parametrize(
    ("args", "tags"),
    [
        ((np.ones((0, 2)), 1.5), {Tag.EMPTY}),
        (([np.ones(2), np.float32(2)],), {Tag.ZERO_D}),
        ((np.array(1.0), np.ones(0)), {Tag.EMPTY, Tag.ZERO_D}),
        ((np.ones(2), 1.5, np.array([], int), "axis"), set()),
    ],
    ids=["empty", "0-d", "both", "neither"],
)
def test_tags_that_the_arguments_show(args, tags):
    assert Sample(*args).tags == tags
    assert Sample(*args, tags=[Tag.TIE]).tags == {*tags, Tag.TIE}
