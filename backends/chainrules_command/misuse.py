"""The error for a command that was written wrongly, and the names that may have been meant."""

from collections.abc import Iterable


class MisuseError(Exception):
    """A command line that cannot be carried out: *where: what was got; what to write instead*.

    The exit status is 2.
    """

    def __init__(self, where: str, got: str, instead: str) -> None:
        super().__init__(f"{where}: {got}; {instead}")


def did_you_mean(name: str, known: Iterable[str], otherwise: str, *, prefix: str = "") -> str:
    """The known names that are closest to a misspelt one, as a question; a general advice where
    none is close.

    >>> did_you_mean("matmull", ["matmul", "sin"], "look at dir(numpy)", prefix="numpy.")
    'did you mean numpy.matmul?'
    """
    # imported here: it takes longer than all else that `chainrules --help` imports
    from difflib import get_close_matches

    close = get_close_matches(name, known, cutoff=0.7)
    return f"did you mean {' or '.join(prefix + other for other in close)}?" if close else otherwise
