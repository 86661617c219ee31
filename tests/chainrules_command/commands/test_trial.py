"""`chainrules try` says of a call whether it is differentiated as it stands, and what is in the
way.
"""


def test_an_iteration_that_compares(run, tmp_path):
    path = tmp_path / "a_bisection.py"
    path.write_text(
        "def root(a):\n    low, high = 0.0, 2.0\n    while high - low > 1e-12:\n        middle ="
        " (low + high) / 2\n        low, high = (middle, high) if middle * middle < a else (low,"
        " middle)\n    return low + 0 * a\n"
    )
    done = run("try", f"{path}:root", "2.0", "--json")
    assert done.status == 1
    assert "ever closer to a tie" in done.data["error"]


def test_obstacles_are_listed(run, tmp_path):
    path = tmp_path / "an_obstacle.py"
    path.write_text(
        "import numpy as np\n\ndef f(x):\n    y = np.zeros(2, int)\n    y[0] = x\n    return"
        " y.sum()\n"
    )
    (obstacle,) = run("try", f"{path}:f", "2.0", "--json").data["obstacles"]
    assert (obstacle["file"], obstacle["line"]) == (str(path), 5)


def test_no_line_of_the_command_is_blamed(run):
    done = run("try", "numpy.ma.sum", "float64[3]")
    assert done.status == 1
    assert "backends/chainrules_command" not in done.out
    assert ":0:" not in done.out


def test_derivatives_by_hand(run, tmp_path):
    path = tmp_path / "a_model.py"
    path.write_text(
        "import numpy as np\n\ndef loss(x):\n    return np.sum(x**3)\n\ndef slope(x):\n    return 3 *"
        " x**2\n\ndef curvature(x):\n    return np.diag(3 * x)\n"
    )
    right = run("try", f"{path}:loss", "[2.0, 3.0]", "--jac", "slope", "--json")
    assert (right.status, right.data["right"]) == (0, True)
    wrong = run("try", f"{path}:loss", "[2.0, 3.0]", "--jac", "slope", "--hess", "curvature")
    assert wrong.status == 1
    assert "jac: right" in wrong.out
    assert "hess: 2 of 4 entries are wrong" in wrong.out
    assert run("try", "numpy.sum", "[2.0]", "--jac", "numpy:ones_like").status == 0
    assert run("try", "numpy.hypot", "1.0", "2.0", "--jac", "numpy.sin").status == 2


def test_points_in_containers(run, tmp_path):
    path = tmp_path / "a_fit.py"
    path.write_text(
        "import math\n\ndef loss(p, q):\n    return p['w'][0] * math.exp(p['rate']) * q[0]['n'] * q[1]\n"
    )
    given = "{'rate': 0.5, 'w': [2.0, 3.0]}", "[{'n': 2}, 1.5]"
    assert run("try", f"{path}:loss", *given).status == 0
    refused = run("try", f"{path}:loss", given[0], "[{'n': 2j}, 1.5]")
    assert refused.status == 2
    assert "2j" in refused.err
