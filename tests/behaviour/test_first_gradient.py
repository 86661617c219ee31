"""What a program pays before its first gradient, with packs imported, rules made and plans written, and before its second."""

import subprocess
import sys

GRADIENTS = """
import sys
import numpy as np
from chainrules_tape import grad

calls = 0

def count(frame, event, arg):
    global calls
    calls += event == "call"

def counted(function):
    global calls
    calls = 0
    sys.setprofile(count)
    grad(function)(np.ones(3))
    sys.setprofile(None)
    return calls

print(counted(lambda x: np.sum(np.sin(x) * x)), counted(lambda x: np.sum(np.sin(x) * x)))
"""


def test_the_first_two_gradients_in_a_fresh_process_make_few_python_calls():
    """The second is of another function, with the same operations: a pack that the first loads has them looked up again."""
    done = subprocess.run([sys.executable, "-c", GRADIENTS], capture_output=True, text=True, check=True)
    first, second = map(int, done.stdout.split())
    assert first < 25_000
    assert second < 200
