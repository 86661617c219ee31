"""The time of one operation in parts, on the chain of size 1: NumPy, rules, recording, sweep.

Four runs are measured in turn, each with one part more than the one before: the hand-written
gradient; the rules' own functions, called one after the other by a loop that knows which; the
tape's forward pass; the whole gradient.
"""

from typing import Any

import numpy as np

from benchmarks.engines import BY_HAND, ENGINES, OURS
from benchmarks.measure import take_turns
from benchmarks.programs.chain import FACTOR, LENGTH, chain, objective
from benchmarks.titles import titled
from chainrules_py import default_rules
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.tape import Tape

Layers = dict[str, float]
NAMES = ("NumPy, by hand", "the rules", "recording", "sweep and call", "all")


class Chain:
    """The chain on one number, taken apart."""

    def __init__(self) -> None:
        self.x = np.full(1, 0.5)
        self.engine = engine_of(default_rules)
        self.sin: Any = self.engine.plan("reverse", np.sin, (np.ndarray,), (True,)).stage
        self.multiply: Any = self.engine.plan(
            "reverse", np.multiply, (np.ndarray, float), (True, False)
        ).stage

    def staged(self) -> list[Any]:
        """The forward halves of the rules, and what they keep."""
        sin, multiply, x, kept = self.sin, self.multiply, self.x, []
        for _ in range(LENGTH):
            x, pull, residuals = sin(x)
            kept.append((pull, residuals))
            x, pull, residuals = multiply(x, FACTOR)
            kept.append((pull, residuals))
        return kept

    def rules(self) -> Any:
        """The forward and the reverse halves of the rules."""
        kept, x_bar = self.staged(), np.ones_like(self.x)
        while kept:
            pull, residuals = kept.pop()
            x_bar = pull(residuals, x_bar)[0]
        return x_bar

    def recorded(self) -> None:
        """The forward pass on a tape."""
        tape = Tape(self.engine)
        objective(np, (tape.input(self.x),), ())
        tape.close()


def microseconds_by_layer(budget: float = 3.0) -> Layers:
    """The microseconds that each part adds per operation, and those of all parts together."""
    parts, program = Chain(), chain(1)
    runs = {
        "by hand": ENGINES[BY_HAND].gradient(program),
        "staged": parts.staged,
        "rules": parts.rules,
        "recorded": parts.recorded,
        "whole": ENGINES[OURS].gradient(program),
    }
    samples = take_turns(runs, budget)
    # Differences of small numbers: the least disturbed sample of each, not the median.
    cost = {name: 1e6 * min(times) / (2 * LENGTH) for name, times in samples.items()}
    recording = cost["recorded"] - cost["staged"]
    rules = cost["rules"] - cost["by hand"]
    rest = cost["whole"] - cost["rules"] - recording
    return dict(zip(NAMES, (cost["by hand"], rules, recording, rest, cost["whole"]), strict=True))


class PerOperation:
    """One figure per layer."""

    params = NAMES
    param_names = ("layer",)

    def setup_cache(self) -> Layers:
        return microseconds_by_layer()

    @titled("time per operation by layer", "microseconds")
    def track_layer(self, layers: Layers, layer: str) -> float:
        return layers[layer]
