"""The error for a statement that the translator does not know."""


class UnknownPTX(Exception):
    """A statement that nobody translated: to skip it would give wrong numbers."""

    def __init__(self, where: str, statement: str, reason: str = "has no translation"):
        self.where, self.statement, self.reason = where, statement, reason
        super().__init__(
            f"{where}: `{statement}` {reason}; add it to the file of emulated_cuda/ptx that it"
            " belongs to"
        )
