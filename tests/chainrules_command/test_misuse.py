"""What may have been meant by a misspelt name."""

from chainrules_command.misuse import MisuseError, did_you_mean


def test_several_names_that_are_close():
    said = did_you_mean("arcsim", ["arcsin", "arcsinh", "tan"], "nothing", prefix="numpy.")
    assert said == "did you mean numpy.arcsin or numpy.arcsinh?"


def test_a_name_that_is_like_none_gets_the_advice():
    assert did_you_mean("zzz", ["sin"], "look at the list") == "look at the list"


def test_the_message_says_where_what_and_what_instead():
    assert (
        str(MisuseError("numpy.x", "it is not there", "write numpy.y"))
        == "numpy.x: it is not there; write numpy.y"
    )
