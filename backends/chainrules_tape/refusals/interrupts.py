"""Exceptions of signal handlers that reach a program under another name.

A handler may raise at the beginning of every function of Python: KeyboardInterrupt, or a timeout.
NumPy asks the operands of a call of what class they say they are (`handles.apparent_class`), takes
an exception for a yes, and goes on. Python notices later that there is one, and raises a
SystemError from it. This is undone where a derivative ends.
"""

from functools import partial

# a call, after which Python looks whether there is an exception
notice: partial[bool] = partial(bool)


def raise_interrupt(error: BaseException) -> None:
    """Raise the exception that came while NumPy asked for a class; leave any other alone."""
    found = error
    while (
        type(found) is SystemError and found.__cause__ is not None and "exception set" in str(found)
    ):
        found = found.__cause__
    if found is not error:
        raise found from None
