"""`python -m benchmarks.ratios [PROGRAM...]`: our time for a value and a gradient in units of some
peers', as JSON.

It imports nothing of ours but what has been public from the first commits on, so that it measures
the code of any of them.
"""

import json
import sys
from collections.abc import Iterator, Sequence

from benchmarks.comparison import candidates, require_agreement
from benchmarks.engines import OURS
from benchmarks.measure import paired_ratio, take_turns
from benchmarks.programs import PROGRAMS

CHOSEN = (
    *("chain, size 1", "chain, size 100", "perceptron, batch 32, widths 64"),
    *("Gaussian mixture", "bundle adjustment", "LSTM, 1024 characters"),
)
PEERS = ("by hand", "autograd", "torch")
BETWEEN = " / "  # a program and a peer


def ratios(chosen: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Each program and peer, and our time in units of the peer's."""
    for name in chosen:
        runs = {
            engine: run
            for engine, run in candidates(PROGRAMS[name])[0].items()
            if engine in (OURS, *PEERS)
        }
        require_agreement(PROGRAMS[name], runs)
        samples = take_turns(runs, budget=4.0, warm=True)
        for peer in PEERS:
            if peer in runs:
                yield f"{name}{BETWEEN}{peer}", round(paired_ratio(samples[OURS], samples[peer]), 3)


if __name__ == "__main__":
    json.dump(dict(ratios(sys.argv[1:] or CHOSEN)), sys.stdout)
