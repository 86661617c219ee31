"""The lines of the README that take its program into other engines are run as they stand."""

import re
from pathlib import Path

import numpy as np
import pytest

from chainrules_tape import grad

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = re.search(r"```py\n(.*?)```", README, re.DOTALL)[1].splitlines()
SEEN = np.array([4.0, 3.0])


@pytest.fixture(scope="module")
def program():
    """The names that the first block of the README defines."""
    found: dict = {}
    exec(re.search(r"```python\n(.*?)```", README, re.DOTALL)[1], found)
    return found | {"throw": found["throws"][0]}


def line_of(word):
    """The line of the README in which a word stands, without its comment."""
    return next(line for line in LINES if word in line).partition("#")[0].strip()


def test_jax(program):
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import to_jax

    found = eval(line_of("to_jax"), program | {"jax": jax, "to_jax": to_jax})
    np.testing.assert_allclose(found, grad(program["miss"])(program["throw"]), rtol=1e-3)


def test_torch(program):
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    from chainrules_torch import to_torch

    made, plain = [], torch.tensor

    def tensor(*args, **options):
        made.append(plain(*args, **options))
        return made[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch, "tensor", tensor)
        eval(line_of("to_torch"), program | {"torch": torch, "to_torch": to_torch})
    np.testing.assert_allclose(made[0].grad, grad(program["miss"])(program["throw"]))


def test_autograd(program):
    autograd = pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
    from chainrules_autograd import to_autograd

    found = eval(
        line_of("to_autograd"), program | {"autograd": autograd, "to_autograd": to_autograd}
    )
    np.testing.assert_allclose(found, grad(program["miss"])(program["throw"]))


@pytest.mark.slow
def test_pymc(program):
    pymc = pytest.importorskip("pymc", reason="pymc is not installed")
    from chainrules_pytensor import to_pytensor

    with pymc.Model() as model:
        throw = pymc.Normal("throw", 0.0, 5.0, shape=2)
        names = {"pymc": pymc, "to_pytensor": to_pytensor, "throw": throw, "seen": SEEN}
        eval(line_of("to_pytensor"), program | names)
    at = {"throw": program["throw"]}

    def logp(x):
        miss = (program["flight"](x)[-1] - SEEN) / 0.1
        return -0.5 * np.sum(miss**2) - 0.5 * np.sum((x / 5.0) ** 2)

    np.testing.assert_allclose(model.compile_dlogp()(at), grad(logp)(at["throw"]), rtol=1e-6)
