"""Write measured.json: how autograd, JAX and PyTorch take each primal, for the coverage page.

``PYTHONPATH=tests/shared python tests/engines/measure_engines.py`` runs the primals that
are not in it yet, as after a new rule; all of them in the engines that are named after it.
"""

import json
import os
import signal
import sys
import warnings
from pathlib import Path

import numpy as np

from stand_ins.engine_runs import ENGINES, NONE, outcome, primals

FIGURES = Path(__file__).with_name("measured.json")
SECONDS = 200  # for one primal: a callback that calls JAX may wait forever


def give_up(*_: object) -> None:
    raise TimeoutError


def measured(name: str, known: dict[str, str]) -> dict[str, str]:
    """The way and the order of each primal in an engine, where they are not known."""
    engine, found = ENGINES[name](), {}
    engine.called(np.sin)  # which imports the engine
    for primal_name, primal in primals().items():
        if primal_name in known:
            found[primal_name] = known[primal_name]
            continue
        signal.alarm(SECONDS)
        try:
            found[primal_name] = outcome(engine, primal)
        except TimeoutError:
            found[primal_name] = NONE
        finally:
            signal.alarm(0)
    return found


def main(names: list[str]) -> None:
    """Measure engines and keep the figures."""
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what is compiled here runs once
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    signal.signal(signal.SIGALRM, give_up)
    warnings.simplefilter("ignore")
    for name in names or ENGINES:
        figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
        figures[name] = measured(name, {} if names else figures.get(name, {}))
        FIGURES.write_text(
            json.dumps({key: figures[key] for key in ENGINES if key in figures}, indent=1) + "\n"
        )
        print(
            name,
            {
                modes: list(figures[name].values()).count(modes)
                for modes in set(figures[name].values())
            },
        )


if __name__ == "__main__":
    main(sys.argv[1:])
