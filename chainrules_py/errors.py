"""Errors read *where: what was got; what to write instead*, and carry their data.

The attributes are the interface: programs and tests match those, people read the sentence. Each
error also derives from the builtin that a caller would expect to catch (`LookupError` for a missing
rule, `TypeError` for a wrong kind, ...).
"""

import pickle
from typing import Any


class Unpicklable:
    """Stands for data of an error that could not be pickled, with its `repr`.

    An error that was raised in a process pool has those in the place of functions, rules and traced
    values.
    """

    def __init__(self, representation: str) -> None:
        self.representation = representation

    def __repr__(self) -> str:
        return self.representation


def picklable(value) -> Any:
    """A value that can be pickled as it is, and an `Unpicklable` for any other."""
    try:
        pickle.dumps(value)
    # whatever its class makes of it: an error must not be lost for what it carries
    except Exception:
        return Unpicklable(_representation(value))
    return value


def _representation(value) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<a {type(value).__qualname__}>"


def said_by(error: BaseException) -> str:
    """What an exception says; nothing where its own method fails to."""
    try:
        return str(error)
    except Exception:
        return ""


class ChainRulesError(Exception):
    """Base of all errors raised here: ``where: got; instead``.

    >>> error = ChainRulesError("rrule(numpy.sin)", "got None", "pass ZERO", argument="y")
    >>> str(error), error.argument
    ('rrule(numpy.sin): got None; pass ZERO', 'y')
    """

    where: str
    got: str
    instead: str

    def __init__(self, where: str, got: str, instead: str, **data: Any) -> None:
        super().__init__(f"{where}: {got}; {instead}")
        self.where, self.got, self.instead = where, got, instead
        self.__dict__.update(data)

    def __getattr__(self, name: str) -> Any:
        # Only reached for absent names; tells type checkers that errors carry data, and people
        # which.
        raise AttributeError(f"{type(self).__name__} carries {sorted(self.__dict__)}, not {name!r}")

    def __reduce__(self) -> Any:
        # Exceptions pickle by their positional arguments, which are the three sentences here, not
        # the message.
        data = {name: picklable(value) for name, value in self.__dict__.items()}
        return (type(self), (self.where, self.got, self.instead), data)


class NoRuleError(ChainRulesError, LookupError):
    """No rule for a primal and these argument types: `mode`, `primal`, `types`, `nearest`."""


class AmbiguousRuleError(ChainRulesError, LookupError):
    """Several rules match and none is the most specific: `mode`, `primal`, `types`, `candidates`."""


class RegistrationError(ChainRulesError, TypeError):
    """A rule that cannot be registered as written: `primal`, `rule`."""


class PackError(ChainRulesError, ModuleNotFoundError):
    """A pack, samples or a library that are wanted and not there: `module`, and whose (`home`)."""


class ExpressionError(RegistrationError):
    """A scalar expression does not parse: `primal`, `expression`, `name`, `column`."""


class OptionError(ChainRulesError, TypeError):
    """An option is not taken, or would not be differentiated: `primal`, `option`, `value`."""


class SeedError(ChainRulesError, TypeError):
    """A cotangent or tangent from the caller that cannot be one: `rule`, `value`, `expected`."""


class RuleContractError(ChainRulesError):
    """A rule broke a promise: `rule`, `location`, `argument`, `value`, `expected`."""


class OverwrittenError(RuleContractError):
    """A value of a rule was written to before its pullback ran: `argument`, where it is."""


class TangentTypeError(ChainRulesError, TypeError):
    """An operation that tangents do not have: `operation`, `operands`."""


class NotImplementedTangentError(ChainRulesError, NotImplementedError):
    """A derivative that exists, but that nobody wrote, was used: `reason`, `location`."""


class NotDifferentiableError(ChainRulesError, ValueError):
    """The function has no derivative at this point or with these options: `primal`, `argument`."""


class ProjectionError(ChainRulesError, ValueError):
    """A cotangent that cannot be brought to its primal's tangent space: `space`, `value`."""


class BatchingError(ChainRulesError, ValueError):
    """A call on many examples whose arguments do not fit, or which depends on one example alone.

    `is_handled` says that what it stopped has been computed in another way.
    """

    is_handled = False


class ClosureError(ChainRulesError, ValueError):
    """A function given to a rule reads a traced value that is no argument: `primal`, `value`."""


class RuleRedefinitionWarning(UserWarning):
    """A rule replaced another one with the same signature in the same table."""


class HiddenRuleWarning(UserWarning):
    """A rule was registered for calls that an older one, for narrower classes, goes on to answer."""


class OutdatedRuleWarning(UserWarning):
    """A rule was used although the rule of the other mode has been replaced since."""
