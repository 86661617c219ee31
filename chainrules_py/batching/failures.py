"""Exceptions in lanes: a call on many examples raises only what it raises for each of them.

A program that catches an exception goes on in another way, and does so for all examples at once. So
a call that has raised in lanes is made again, lane by lane. What all lanes raise alike is raised;
where only some do, or others raise something else, it is a `BatchingError`.
"""

from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.lanes import Lanes, laned_values, one_lane
from chainrules_py.batching.loop import call_of_one, stacked_results
from chainrules_py.errors import BatchingError, said_by

WITHOUT_RAISING = (
    "use numpy.where so that no example raises, or call the function in a loop over the examples"
)


def one_after_the_other(
    where: str,
    run: Function,
    lanes: Lanes,
    args: Args,
    options: Options,
) -> Any:
    """The result of a call that has raised in lanes, computed lane by lane.

    Raises what all lanes raise, or a `BatchingError` where they differ.
    """
    call, each, given = call_of_one(run, lanes, args, options)
    count = next(laned_values(each, given)).shape[0]
    found = [outcome_of_one_lane(call, one_lane(each, given, number)) for number in range(count)]
    raise_failures(where, found)
    return stacked_results(where, found)


def outcome_of_one_lane(function: Function, *args) -> Any:
    """The result of a call, or a `Raised` with its exception."""
    try:
        return function(*args)
    except BatchingError:  # lanes further out differ
        raise
    except Exception as error:  # whatever a program may catch
        return Raised(error)


class Raised:
    """An exception in the place of a lane's result."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        # without the number itself, which the module `math` says since Python 3.14
        self.said = type(error), said_by(error).partition(", got ")[0]


def raise_failures(where: str, found: list[Any]) -> None:
    """Raise what all lanes have raised; a `BatchingError` where only some have, or have others."""
    failed = [number for number, result in enumerate(found) if type(result) is Raised]
    if not failed:
        return
    first = found[failed[0]]
    others = {found[number].said for number in failed} - {first.said}
    if not others and len(failed) == len(found):
        raise first.error

    kind, message = first.said
    got = f"{kind.__name__} ({message}) in lane {failed[0]} of {len(found)}"
    if len(failed) < len(found):
        fine = next(number for number, result in enumerate(found) if type(result) is not Raised)
        got = f"{got}, and none in lane {fine}"
    else:
        kind, message = others.pop()
        got = f"{got}, and {kind.__name__} ({message}) in another"
    raise BatchingError(where, got, WITHOUT_RAISING) from first.error


def note_handled(error: BaseException | None) -> None:
    """Note that an error has been caught by who computes what it stopped in another way.

    A program that catches one is stopped at its end all the same.
    """
    if isinstance(error, BatchingError):
        error.is_handled = True
