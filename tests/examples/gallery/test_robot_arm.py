"""The hand arrives, and no limb touches the pillar."""

import numpy as np
import pytest

pytest.importorskip("scipy.optimize")


def places_by_complex_numbers(angles, limbs):
    turned = np.cumsum(limbs * np.exp(1j * np.cumsum(angles, axis=1)), axis=1)
    return np.stack([turned.real, turned.imag], axis=-1)


def test_the_hand_arrives(program, result):
    assert np.array_equal(result["angles"][0], program.FIRST)
    np.testing.assert_allclose(
        places_by_complex_numbers(result["angles"], program.LIMBS)[-1, -1], program.GOAL, atol=2e-3
    )


def test_no_limb_touches_the_pillar_even_between_the_moments(program, result):
    moments = np.linspace(0, program.MOMENTS - 1, 10 * program.MOMENTS)
    angles = np.stack(
        [np.interp(moments, np.arange(program.MOMENTS), joint) for joint in result["angles"].T],
        axis=1,
    )
    places = np.pad(places_by_complex_numbers(angles, program.LIMBS), ((0, 0), (1, 0), (0, 0)))
    begin, limb = places[:, :-1], np.diff(places, axis=1)
    # the nearest point
    part = np.clip(
        np.sum((program.PILLAR - begin) * limb, axis=-1) / np.sum(limb**2, axis=-1), 0, 1
    )
    nearest = np.min(np.linalg.norm(begin + part[..., None] * limb - program.PILLAR, axis=-1))
    assert nearest > program.RADIUS > result["before"]
