"""One program, all engines: they agree on the gradient, and then take turns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from benchmarks.engines import ELSEWHERE, ENGINES, OURS, Gradient, as_numpy
from benchmarks.measure import Samples, paired_ratio, take_turns
from benchmarks.programs.program import Program


class DisagreementError(AssertionError):
    """Two engines compute different gradients of one program: nothing is timed."""


@dataclass(frozen=True)
class Comparison:
    """Samples by engine, why some engines have none, and ours on a library's arrays in units of the
    library's own gradient.
    """

    samples: Samples
    left_out: Mapping[str, str]
    in_pairs: Mapping[str, float] = field(default_factory=dict)

    def ratio(self, peer: str, engine: str = OURS) -> float:
        """Our time in units of a peer's; `engine` says on which arrays ours runs."""
        self._require(engine)
        self._require(peer)
        return paired_ratio(self.samples[engine], self.samples[peer])

    def ratio_elsewhere(self, library: str) -> float:
        """Our time on a library's arrays in units of the library's own gradient, or of ours on
        NumPy's where it has none.
        """
        engine = ELSEWHERE[library].name
        self._require(engine)
        return self.in_pairs[library] if library in ENGINES else self.ratio(OURS, engine)

    def seconds(self, engine: str) -> float:
        """The median time of an engine for a value and a gradient."""
        self._require(engine)
        return median(self.samples[engine])

    def _require(self, engine: str) -> None:
        if engine not in self.samples:
            raise NotImplementedError(f"{engine} is left out: {self.left_out[engine]}")


def candidates(program: Program) -> tuple[dict[str, Gradient], dict[str, str]]:
    """The engines that run a program, prepared, and the reasons for those that do not."""
    left_out = {
        name: reason
        for name, engine in ENGINES.items()
        if (reason := engine.reason_to_leave_out(program)) is not None
    }
    return {
        name: engine.gradient(program) for name, engine in ENGINES.items() if name not in left_out
    }, left_out


def require_agreement(program: Program, runs: Mapping[str, Gradient]) -> None:
    """Compute each gradient once (which also compiles what is compiled) and compare with ours."""
    found = {name: run() for name, run in runs.items()}
    value, gradients = found.pop(OURS)
    for name, (their_value, theirs) in found.items():
        pairs = [(value, their_value), *zip(gradients, theirs, strict=True)]
        for ours, peer in ((as_numpy(a), as_numpy(b)) for a, b in pairs):
            if ours.shape != peer.shape or not np.allclose(
                ours, peer, rtol=1e-8, atol=1e-8 * scale_of(peer)
            ):
                raise DisagreementError(
                    f"{program.name}: {name} has {peer.ravel()[:4]}, we have {ours.ravel()[:4]}"
                )


def scale_of(array: Any) -> float:
    """The largest magnitude, for absolute tolerances."""
    return float(np.max(np.abs(array), initial=0.0))


def compare(program: Program, budget: float = 2.5) -> Comparison:
    """Time all engines on a program, in turn, for about `budget` seconds, and each library's two
    again, for half of that.

    Those two are so much alike that rounds of all engines, which are few and long, say nothing
    about their quotient.
    """
    runs, left_out = candidates(program)
    require_agreement(program, runs)
    pairs = {
        name: runs[engine.name]
        for name, engine in ELSEWHERE.items()
        if name in ENGINES and engine.name in runs
    }
    in_pairs = {}
    for name, ours in pairs.items():
        pair = {"ours": ours, "theirs": runs[name]}
        samples = take_turns(pair, budget / 2, seconds=0.1)
        in_pairs[name] = paired_ratio(samples["ours"], samples["theirs"])
    return Comparison(take_turns(runs, budget), left_out, in_pairs)
