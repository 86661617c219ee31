"""Errors that are raised in another process arrive as they are: a process pool pickles them."""

import importlib
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from chainrules_py import ChainRulesError, rrule
from chainrules_py.testing import check_rule
from chainrules_tape import grad, jvp, vjp
from source_trees import ROOT, SOURCES

X = np.array([0.3, 0.7])


def own(x: Any) -> Any:
    """A function without a rule."""
    return x


CALLS = {
    "a lost gradient": lambda: grad(lambda x: np.sum(np.array(x)))(X),
    "a number of many": lambda: grad(lambda x: float(x))(X),
    "an output": lambda: grad(lambda x: x)(X),
    "an input": lambda: grad(lambda x: x)("text"),
    "no rule": lambda: rrule(own, 1.0),
    "an option": lambda: rrule(np.sum, X, nonsense=1),
    "a seed": lambda: rrule(np.sin, X)[1]("text"),
    "a wrong pullback": lambda: vjp(np.sin, X)[1](np.ones(3)),
    "a wrong tangent": lambda: jvp(np.sin, (X,), (np.ones(3),)),
    "no derivative": lambda: rrule(np.linalg.svd, np.eye(2), full_matrices=True)[1](None),
    "the kit": lambda: check_rule(own, X),
}


def raised(name: str) -> Exception | None:
    """What a call raises."""
    try:
        CALLS[name]()
    except ChainRulesError as error:
        return error
    return None


@pytest.mark.parametrize("name", CALLS)
def test_an_error_pickles(name: str) -> None:
    error = raised(name)
    assert error is not None
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    assert vars(again).keys() == vars(error).keys()


def test_an_error_comes_out_of_a_process_pool() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(ChainRulesError, match=r"numpy\.array"):
            pool.submit(lose_a_gradient).result()
        assert pool.submit(abs, -1).result() == 1  # the pool is not broken


def lose_a_gradient() -> Any:
    """Raise, in another process."""
    return grad(lambda x: np.sum(np.array(x)))(X)


def all_errors() -> list[type[Any]]:
    """The classes of errors of all packages whose libraries are here."""
    absent = set()
    for path in SOURCES:
        if path.stem in ("errors", "failures"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts).removeprefix("backends.")
            try:
                importlib.import_module(name)
            except ImportError:  # its classes may have been made before
                absent.add(name.partition(".")[0])
    found, waiting = [], [ChainRulesError]
    while waiting:
        cls = waiting.pop()
        found.append(cls)
        waiting += cls.__subclasses__()
    packages = {cls: cls.__module__.partition(".")[0] for cls in found}
    return [
        cls
        for cls in found
        if packages[cls].startswith("chainrules_") and packages[cls] not in absent
    ]


def test_every_class_pickles():
    for cls in all_errors():
        error = cls("here", "got this", "write that", function=lambda x: x, value=3)
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.value) == (cls, str(error), 3)
