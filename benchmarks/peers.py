"""Ours against each peer, program by program.

`setup_cache` lets all engines take turns on each program, once they agree on its gradient; the
benchmarks below read off it. A program on which an engine fails or disagrees has no figures: each
of its benchmarks fails with that error.
"""

import traceback

from benchmarks.comparison import Comparison, compare
from benchmarks.engines import ELSEWHERE, ENGINES, PEERS
from benchmarks.programs import PROGRAMS
from benchmarks.titles import titled

Compared = dict[str, Comparison | str]


def comparison_or_error(name: str) -> Comparison | str:
    """Compare the engines on a program; where that fails, return the traceback in place of figures.

    So one bad program does not take the others with it.
    """
    try:
        return compare(PROGRAMS[name])
    except Exception:
        return traceback.format_exc()


def measured(compared: Compared, name: str) -> Comparison:
    """Return the comparison of a program, or raise the error that prevented it."""
    found = compared[name]
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


class Base:
    """The comparisons that `Ratios` and `Times` read their figures from."""

    timeout = 60

    def setup_cache(self) -> Compared:
        return {name: comparison_or_error(name) for name in PROGRAMS}

    setup_cache.timeout = 1200  # type: ignore[attr-defined]


class Ratios(Base):
    """The figures that are watched."""

    params = (tuple(PROGRAMS), tuple(peer.name for peer in PEERS))
    param_names = ("program", "peer")

    def setup(self, compared: Compared, program: str, peer: str) -> None:
        self.ratio = measured(compared, program).ratio(peer)

    @titled("value and gradient / peer's", "ratio")
    def track_ratio(self, compared: Compared, program: str, peer: str) -> float:
        return self.ratio


class Elsewhere(Base):
    """Our engine on the arrays of another library, in units of that library's own gradient, or of
    ours on NumPy's arrays.
    """

    params = (tuple(PROGRAMS), tuple(ELSEWHERE))
    param_names = ("program", "library")

    def setup(self, compared: Compared, program: str, library: str) -> None:
        self.ratio = measured(compared, program).ratio_elsewhere(library)

    @titled("ours on its arrays / its own, or NumPy's", "ratio")
    def track_own_ratio(self, compared: Compared, program: str, library: str) -> float:
        return self.ratio


class Times(Base):
    """How long each takes, for orientation: these drift with the machine."""

    params = (tuple(PROGRAMS), tuple(ENGINES))
    param_names = ("program", "engine")

    def setup(self, compared: Compared, program: str, engine: str) -> None:
        self.seconds = measured(compared, program).seconds(engine)

    @titled("value and gradient by engine", "seconds")
    def track_seconds(self, compared: Compared, program: str, engine: str) -> float:
        return self.seconds
