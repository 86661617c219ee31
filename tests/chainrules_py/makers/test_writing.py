"""Functions that makers write have readable names, and tracebacks show their lines."""

import keyword
import traceback

import pytest

from chainrules_py.makers.writing import Source, names_read, words_of_body


def test_a_traceback_shows_the_line():
    source = Source()
    with source.block("def fails(x):"):
        source.write("return x / 0  # on purpose")
    fails = source.compile("fails", "<a rule>")
    with pytest.raises(ZeroDivisionError) as caught:
        fails(1)
    text = "".join(traceback.format_exception(caught.value))
    assert '"<a rule>", line 2, in fails' in text
    assert "on purpose" in text


def test_a_text_is_compiled_once_and_each_function_has_its_own_names_and_place():
    def written(origin, factor):
        source = Source()
        with source.block("def scaled(xs):"):
            source.write("return [inverse(factor * x) for x in xs]", factor=factor)
        source.scope["inverse"] = lambda x: 1 / x
        return source.compile("scaled", origin)

    doubled, tripled = written("<doubled>", 2), written("<tripled>", 3)
    assert (doubled([1.0]), tripled([1.0])) == ([1 / 2], [1 / 3])
    assert doubled.__code__.co_code == tripled.__code__.co_code
    for function, origin in ((doubled, "<doubled>"), (tripled, "<tripled>")):
        with pytest.raises(ZeroDivisionError) as caught:
            function([0])
        shown = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert set(shown[1:-1]) == {origin}
        assert shown[1:-1]


@pytest.mark.parametrize(
    "body",
    [
        ["y = sin(x)", "return y * x.size"],
        [
            "a_bar = out_bar * (cos(a)-1e3*b2.T)",
            "if a_bar.dtype is not a_dtype: a_bar = fit(a_bar)",
        ],
        ["bars = fused((out_bar, x1), ((x1_shape, x1_dtype),))", "return (bars[0], NO_TANGENT,)"],
    ],
)
def test_names_in_lines_are_those_that_python_finds_and_some_that_are_defined(body):
    read = set(names_read(body))
    defined = {line.split(" = ")[0] for line in body if " = " in line and line.index(" = ") < 6}
    others = words_of_body(body) - read - defined - set(keyword.kwlist)
    assert read <= words_of_body(body)
    assert not others
