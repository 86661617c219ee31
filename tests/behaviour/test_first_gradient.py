"""What a program pays before its first gradient: packs imported, rules made, plans written."""

import subprocess
import sys

FIRST_GRADIENT = """
import sys
import numpy as np
from chainrules_tape import grad

calls = 0

def count(frame, event, arg):
    global calls
    calls += event == "call"

sys.setprofile(count)
grad(lambda x: np.sum(np.sin(x) * x))(np.ones(3))
sys.setprofile(None)
print(calls)
"""


def test_the_first_gradient_in_a_fresh_process_makes_fewer_than_30_000_python_calls():
    done = subprocess.run([sys.executable, "-c", FIRST_GRADIENT], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 30_000
