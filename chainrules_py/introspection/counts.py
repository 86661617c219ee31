"""Where a code counts: ``x.n += 1``, ``x.n = x.n + 1``, ``n -= 2`` of a global or an outer variable."""

import dis
from collections.abc import Sequence

_STORES = {"LOAD_ATTR": "STORE_ATTR", "LOAD_GLOBAL": "STORE_GLOBAL", "LOAD_DEREF": "STORE_DEREF"}
_SUMS = frozenset({"+", "+=", "-", "-="})
_NAMES = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL")

Instructions = Sequence[dis.Instruction | None]


def counts_in(instructions: Instructions) -> set[int]:
    """The offsets of the instructions by which a code loads and stores what it only counts.

    The sum goes back to where its first operand came from and nowhere else, and the second one is
    a whole number that stands in the code.

    >>> def called(x):
    ...     x.count += 1
    >>> [code.argval for code in dis.get_instructions(called) if code.offset in counts_in(
    ...     list(dis.get_instructions(called)))]
    ['count', 'count']
    """
    found: set[int] = set()
    for k in range(1, len(instructions) - 1):
        load, number, sums, *rest = instructions[k - 1 : k + 4]
        if load is None or number is None or sums is None or load.opname not in _STORES:
            continue
        is_whole = type(number.argval) is int and number.opname.startswith("LOAD_")
        if not is_whole or sums.argrepr not in _SUMS:
            continue
        before = instructions[k - 2] if k > 1 else None
        store = _store(load, before, [one for one in rest if one is not None])
        if store is not None:
            found |= {load.offset, store.offset}
    return found


def _store(
    load: dis.Instruction, before: dis.Instruction | None, rest: list[dis.Instruction]
) -> dis.Instruction | None:
    """The instruction that puts a sum back to where its first operand was loaded from."""
    if load.opname == "LOAD_ATTR":
        if before is None or len(rest) < 2:
            return None
        first, *rest = rest
        is_same = before.opname.startswith(_NAMES) and (first.opname, first.argval) == (
            before.opname,
            before.argval,
        )
        if not is_same and (before.opname, first.opname) != ("COPY", "SWAP"):
            return None
    is_back = bool(rest) and (rest[0].opname, rest[0].argval) == (_STORES[load.opname], load.argval)
    return rest[0] if is_back else None
