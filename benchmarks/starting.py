"""Importing and the first gradient, in fresh processes that take turns with autograd's."""

import os
import resource
import subprocess
import sys

from benchmarks.cases import Measured, Ratios, measured_cases, ratios_of
from benchmarks.titles import titled

IMPORTS = {
    "ours": "import numpy as np\nfrom chainrules_tape import grad\n",
    "autograd": "import autograd.numpy as np\nfrom autograd import grad\n",
}
GRADIENTS = {
    "sum of sines": "grad(lambda x: np.sum(np.sin(x) * x))(np.arange(3.0))",
    "logistic regression": """
rows, labels = np.ones((5, 3)), np.ones(5)
def loss(w):
    return np.mean(np.logaddexp(0.0, -labels * (rows @ w))) + 0.1 * np.sum(w**2)
grad(loss)(np.zeros(3))
""",
    "linear system": "grad(lambda x: np.sum(np.linalg.solve(np.eye(3) + x, x)))(np.arange(3.0))",
}
ROUNDS = 6


def processor_seconds(program: str) -> float:
    """The processor time of a fresh interpreter that runs a program, its start and end included."""
    settings = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, **settings})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least_seconds(programs: dict[str, str]) -> dict[str, float]:
    """The least processor time of each program; they take turns, so that all meet the same load."""
    for program in programs.values():
        processor_seconds(program)  # compiles the modules, and reads them from the disk
    rounds = [
        {name: processor_seconds(program) for name, program in programs.items()}
        for _ in range(ROUNDS)
    ]
    return {name: min(each[name] for each in rounds) for name in programs}


def figures_of(name: str) -> Ratios:
    """The figures of a program: ours in units of autograd's, and above NumPy's import alone."""
    programs = {engine: imports + GRADIENTS[name] for engine, imports in IMPORTS.items()}
    seconds = least_seconds({**programs, "numpy": "import numpy"})
    ours = seconds["ours"]
    return {"autograd": ours / seconds["autograd"], "above": 1e3 * (ours - seconds["numpy"])}


class FirstGradient:
    """Import and first gradient in one process: ours, autograd's, and NumPy's import alone."""

    params = tuple(GRADIENTS)
    param_names = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(figures_of, GRADIENTS)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, program: str) -> None:
        self.figures = ratios_of(measured, program)

    @titled("import and first gradient / autograd", "ratio")
    def track_ratio(self, measured: Measured, program: str) -> float:
        return self.figures["autograd"]

    @titled("import, first gradient above NumPy", "milliseconds")
    def track_above_numpy(self, measured: Measured, program: str) -> float:
        return self.figures["above"]
