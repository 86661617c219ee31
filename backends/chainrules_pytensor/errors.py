"""The error of functions that cannot be a part of a PyTensor graph, or not in this way."""

from chainrules_py import ChainRulesError


class PytensorError(ChainRulesError, TypeError):
    """A function in a PyTensor graph, `primal`, cannot do what is asked of it."""
