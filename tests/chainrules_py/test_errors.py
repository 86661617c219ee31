"""Every error carries data, reads as one sentence, pickles, and is what its callers would catch."""

import pickle

import pytest

from chainrules_py import errors

CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.ChainRulesError)
]
BUILTIN = {
    errors.NoRuleError: LookupError,
    errors.AmbiguousRuleError: LookupError,
    errors.RegistrationError: TypeError,
    errors.PackError: ModuleNotFoundError,
    errors.ExpressionError: TypeError,
    errors.OptionError: TypeError,
    errors.BatchingError: ValueError,
    errors.SeedError: TypeError,
    errors.TangentTypeError: TypeError,
    errors.NotImplementedTangentError: NotImplementedError,
    errors.NotDifferentiableError: ValueError,
    errors.ProjectionError: ValueError,
    errors.ClosureError: ValueError,
    errors.RuleContractError: Exception,
    errors.OverwrittenError: errors.RuleContractError,
    errors.ChainRulesError: Exception,
}


def test_the_table_is_complete():
    assert set(CLASSES) == set(BUILTIN)


@pytest.mark.parametrize("cls", CLASSES)
def test_an_error_is_its_sentence_and_its_data(cls):
    error = cls("rrule(f)", "got 1", "write 2", argument="x", value=1)
    assert str(error) == "rrule(f): got 1; write 2"
    assert (error.where, error.got, error.instead, error.argument, error.value) == (
        "rrule(f)",
        "got 1",
        "write 2",
        "x",
        1,
    )
    assert isinstance(error, BUILTIN[cls])
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.argument) == (cls, str(error), "x")
    with pytest.raises(AttributeError, match="argument"):
        error.no_such_data


class RefusesAll:
    """An object that can be neither pickled nor written."""

    def __reduce__(self):
        raise RuntimeError("not me")

    def __repr__(self):
        raise RuntimeError("nor so")


@pytest.mark.parametrize("cls", CLASSES)
def test_what_cannot_be_pickled_is_represented(cls):
    function = lambda x: x  # noqa: E731
    error = cls(
        "rrule(f)",
        "got 1",
        "write 2",
        primal=function,
        rule=[function, 1],
        value=RefusesAll(),
        argument=2,
    )
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.argument) == (cls, str(error), 2)
    assert repr(again.primal) == repr(function)
    assert repr(again.rule) == repr([function, 1])
    assert repr(again.value) == "<a RefusesAll>"
    assert repr(pickle.loads(pickle.dumps(again)).primal) == repr(function)
    assert error.primal is function
