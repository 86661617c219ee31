"""Suites whose benchmarks read off one measurement per case, made in asv's `setup_cache`: so that a
case is set up and checked once, however many figures it has.
"""

import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchmarks.measure import Run, paired_ratio, take_turns

Ratios = dict[str, float]
Measured = dict[Any, Ratios | str]


def measured_cases(measure: Callable[[Any], Ratios], cases: Iterable[Any]) -> Measured:
    """The figures of each case; the traceback in their place where that fails, so that one case does
    not take the others with it.
    """
    found: Measured = {}
    for case in cases:
        try:
            found[case] = measure(case)
        except Exception:
            found[case] = traceback.format_exc()
    return found


def ratios_of(measured: Measured, case: Any) -> Ratios:
    """The figures of a case; raises the error that prevented them."""
    found = measured[case]
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


def in_units_of(base: str, candidates: Mapping[str, Run]) -> Ratios:
    """How long each candidate takes, in units of one of them; all take turns."""
    samples = take_turns(candidates)
    return {name: paired_ratio(own, samples[base]) for name, own in samples.items()}


def in_units_of_each(ours: str, candidates: Mapping[str, Run]) -> Ratios:
    """How long one candidate takes, in units of each; all take turns."""
    samples = take_turns(candidates)
    return {name: paired_ratio(samples[ours], own) for name, own in samples.items()}
