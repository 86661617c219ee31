"""`chainrules show` prints a call as its derivative sees it."""

import sys

from chainrules_tape import show


def test_the_text_is_that_of_the_library(run, model):
    done = run("show", f"{model}:loss", "float64[3]", "float64[2,3]")
    module = sys.modules["a_model"]
    from chainrules_command.arguments import values_of

    assert done.out == f"{show(module.loss, *values_of(['float64[3]', 'float64[2,3]']))}\n"
    assert done.status == 0


def test_json_is_the_program(run, model):
    found = run("show", f"{model}:loss", "[1.0, 2.0]", "2.0", "--json").data
    assert [operation["source"] for operation in found["operations"]] == [
        "np.sin(x)",
        "w * v1",
        "np.sum(v2)",
    ]
    assert found["inputs"][0] == {"name": "x", "dtype": "float64", "shape": [2]}
    assert found["results"] == ["v3"]
