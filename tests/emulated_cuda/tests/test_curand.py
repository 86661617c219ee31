"""The emulated cuRAND: moments of each distribution, and that a seed gives one sequence."""

import numpy as np
import pytest

from emulated_cuda.c_calls import call, number
from emulated_cuda.libraries.curand import rand

COUNT = 40_000
LARGEST = {"Generate": 2**32 - 1, "GenerateLongLong": 2**64 - 1}


def generator(seed=3):
    handle = number(0, np.uintp)
    call(rand, "curandCreateGenerator", handle, 100)
    call(rand, "curandSetPseudoRandomGeneratorSeed", int(handle[0]), seed)
    return int(handle[0])


def made(name, dtype, *parameters, seed=3):
    target = np.zeros(COUNT, dtype)
    call(rand, f"curand{name}", generator(seed), target, COUNT, *parameters)
    return target


@pytest.mark.parametrize(
    ("name", "dtype", "parameters", "mean", "variance"),
    [
        ("GenerateUniform", "f", (), 1 / 2, 1 / 12),
        ("GenerateUniformDouble", "d", (), 1 / 2, 1 / 12),
        ("GenerateNormal", "f", (1.0, 2.0), 1, 4),
        ("GenerateNormalDouble", "d", (1.0, 2.0), 1, 4),
        ("GenerateLogNormal", "f", (0.0, 0.5), np.exp(1 / 8), (np.exp(1 / 4) - 1) * np.exp(1 / 4)),
        (
            "GenerateLogNormalDouble",
            "d",
            (0.0, 0.5),
            np.exp(1 / 8),
            (np.exp(1 / 4) - 1) * np.exp(1 / 4),
        ),
        ("GeneratePoisson", "u4", (3.0,), 3, 3),
    ],
)
def test_moments(name, dtype, parameters, mean, variance):
    numbers = made(name, dtype, *parameters).astype(float)
    spread = 5 * np.sqrt(variance / COUNT)
    assert abs(numbers.mean() - mean) < spread
    assert abs(numbers.var() / variance - 1) < 0.1


@pytest.mark.parametrize("name", LARGEST)
def test_bits(name):
    numbers = made(name, "u4" if name == "Generate" else "u8") / LARGEST[name]
    assert abs(numbers.mean() - 1 / 2) < 0.01
    assert numbers.max() > 0.999


def test_uniform_numbers_are_positive():
    numbers = made("GenerateUniform", "f")
    assert 0 < numbers.min()
    assert numbers.max() <= 1


def test_a_seed_gives_one_sequence():
    first, again, other = (made("GenerateUniformDouble", "d", seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
