"""Importing and the first gradient, in fresh processes that take turns with autograd's."""

import os
import resource
import subprocess
import sys

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
ROUNDS = 10


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


class FirstGradient:
    """Import and first gradient in one process: ours, autograd's, and NumPy's import alone."""

    params = tuple(GRADIENTS)
    param_names = ("program",)
    timeout = 300.0

    def setup(self, program: str) -> None:
        self.programs = {
            engine: imports + GRADIENTS[program] for engine, imports in IMPORTS.items()
        }

    @titled("import and first gradient / autograd", "ratio")
    def track_ratio(self, program: str) -> float:
        seconds = least_seconds(self.programs)
        return seconds["ours"] / seconds["autograd"]

    @titled("import, first gradient above NumPy", "milliseconds")
    def track_above_numpy(self, program: str) -> float:
        seconds = least_seconds({"numpy": "import numpy", "ours": self.programs["ours"]})
        return 1e3 * (seconds["ours"] - seconds["numpy"])
