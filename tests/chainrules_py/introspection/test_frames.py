"""Frames say who calls, from which line of which module."""

import sys

from chainrules_py.introspection import (
    caller_location,
    first_variable,
    frame_above,
    frame_outside,
    frames_inside,
    frames_outward,
    location_of,
    module_name,
    package_name,
    place_in_code,
    variables_of_frame,
)


def called(*args):
    return frame_above(1)


def in_module(name, function):
    """The function as one of another module, which calls what it is given."""
    variables = {"__name__": name, "function": function}
    exec("def call(*args):\n    return function(*args)\n", variables)
    return variables["call"]


def test_the_caller():
    frame = called()
    assert frame is sys._getframe(0)
    assert next(frames_outward(frame)) is frame
    assert list(frames_outward(frame))[1] is frame.f_back
    assert module_name(frame) == __name__
    assert package_name(frame) == __name__.partition(".")[0]


def test_code_that_somebody_compiled_has_no_module():
    frame = eval("function()", {"function": called, "__name__": None})
    assert module_name(frame) == package_name(frame) == ""


def test_the_innermost_frame_outside_of_packages():
    def ask():
        return frame_outside({"tests", "inside"}), list(frames_inside({"tests", "inside"}))

    outside, inside = in_module("outside", in_module("inside.part", in_module("inside", ask)))()
    names = [module_name(frame) for frame in inside]
    if package_name(sys._getframe()) == "tests":
        assert module_name(outside) == "outside"
        assert names == [__name__, "inside", "inside.part"]
    else:
        assert module_name(outside) == __name__
        assert names == []


def test_locations():
    line = frame_above(0).f_lineno
    assert location_of(called()) == f"{__file__}:{line + 1}"
    assert caller_location(0) == f"{__file__}:{line + 2}"


def test_a_place_is_the_same_whenever_a_line_runs():
    places = [place_in_code(called()) for _ in range(2)]
    assert places[0] == places[1]
    assert place_in_code(called()) != places[0]


def test_variables_by_name():
    def function(x, y):
        z = x + y
        return variables_of_frame(frame_above(0)), first_variable(frame_above(0)), z

    variables, first, z = function(1, 2)
    assert variables["y"] == 2
    assert (first, z) == (1, 3)
    assert (lambda: first_variable(frame_above(0)))() is None
