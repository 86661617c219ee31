"""`chainrules show` prints a call as its derivative sees it."""

import sys

import pytest

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


def test_containers(run, model):
    assert "p['w']" in run("show", f"{model}:norm", "{'w': [1.0, 2.0]}").out


def test_missing_arguments_are_named(run, model):
    done = run("show", f"{model}:loss", "1.0")
    assert done.status == 2
    assert "loss(x, w)" in done.err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("losss", "did you mean a_model:loss?"),
        ("nope", "it has a_model:"),
        ("constant", "it is a float"),
    ],
)
def test_what_is_no_function(run, model, name, said):
    done = run("show", f"{model}:{name}")
    assert done.status == 2
    assert said in done.err


def test_limit(run, model):
    assert "left out" in run("show", f"{model}:loss", "1.0", "2.0", "--limit", "1").out
    assert "left out" not in run("show", f"{model}:loss", "1.0", "2.0", "--limit", "0").out
