"""Samples have unique names, known dtypes and reproducible numbers, and generators of them add up."""

import numpy as np
import pytest

from chainrules_py import OptionError
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


def test_an_option_of_the_primal_goes_in_options():
    with pytest.raises(OptionError) as caught:
        Sample(1.0, width=3)
    assert (caught.value.option, caught.value.value) == ("width", 3)
    assert "options={'width': 3}" in caught.value.instead


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


def test_one_dtype_is_a_list_of_one():
    with pytest.raises(UnsuitableCallError) as caught:
        samples_for(hypotenuse, dtypes="float64")
    assert "['float64']" in caught.value.instead


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
class TestDraw:
    def draw(self, dtype):
        return Draw(np.random.default_rng(0), np.dtype(dtype))

    def test_dtypes(self, dtype):
        draw = self.draw(dtype)
        for drawn in (
            draw.any(3),
            draw.positive(3),
            draw.between(-1, 1, 3),
            draw.distinct(3),
            draw.hermitian(3, 3),
        ):
            assert drawn.dtype == dtype
        assert draw.real(3).dtype == np.zeros((), dtype).real.dtype

    def test_away_from_zero(self, dtype):
        assert np.abs(self.draw(dtype).any(1000)).min() > 0.24

    def test_distinct_numbers_are_apart(self, dtype):
        numbers = np.sort(self.draw(dtype).distinct(20).real)
        assert np.diff(numbers).min() > 0.1

    def test_matrices(self, dtype):
        draw = self.draw(dtype)
        assert np.linalg.cond(draw.well_conditioned(4, 4)) < 20
        hermitian = draw.hermitian(2, 3, 3)
        assert np.array_equal(hermitian, np.conj(hermitian.swapaxes(-1, -2)))
        assert np.linalg.eigvalsh(draw.positive_definite(3, 3)).min() > 0.9

    def test_no_shape_is_zero_d(self, dtype):
        assert self.draw(dtype).any().shape == ()
