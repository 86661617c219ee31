"""What the threads of a block, or of a warp, do together: each stops there until the others have
come.
"""

from emulated_cuda.ptx.frame import Frame
from emulated_cuda.ptx.syntax import Instruction
from emulated_cuda.ptx.table import translates
from emulated_cuda.ptx.types import TYPES

# a kernel without these runs thread after thread
COLLECTIVE = {"bar", "barrier", "vote", "shfl", "match", "redux"}


@translates("bar", "barrier")
def barrier(instruction: Instruction, frame: Frame) -> str:
    """Of a warp, of all threads of a block, or of all with a count of their predicates."""
    if instruction.has("warp"):
        return f"wait_warp(t, {frame.read(instruction.operands[0], TYPES['u32'])});"
    if instruction.has("red"):
        return reduced(instruction, frame)
    if not instruction.has("sync") or instruction.operands not in (("0",), ()):
        raise frame.refuse(
            instruction, "is a barrier of a part of the block, which has no translation"
        )
    return "wait_block(t);"


def reduced(instruction: Instruction, frame: Frame) -> str:
    """``bar.red.or.pred %p1, 0, %p2`` and its kin."""
    to, number, predicate = instruction.operands
    if number != "0":
        raise frame.refuse(instruction, "is not barrier 0, and has no translation")
    how = next(k for k in ("popc", "and", "or") if instruction.has(k))
    value = {"popc": "count", "and": "!count", "or": "count > 0"}[how]
    kind, given = TYPES["u32" if how == "popc" else "pred"], frame.read(predicate, TYPES["pred"])
    count = f"uint32_t count = count_block(t, {'!' if how == 'and' else ''}{given});"
    return f"{{ {count} {frame.write(to, kind, value)} }}"


@translates("vote")
def vote(instruction: Instruction, frame: Frame) -> str:
    """``vote.sync.ballot.b32 %r1, %p1, %r2``."""
    to, predicate, mask = instruction.operands
    if not instruction.has("sync"):
        raise frame.refuse(instruction)
    value = {
        "all": "ballot == mask",
        "any": "ballot != 0",
        "uni": "ballot == mask || ballot == 0",
        "ballot": "ballot",
    }
    how = next(k for k in value if instruction.has(k))
    kind = TYPES["b32" if how == "ballot" else "pred"]
    members = f"uint32_t mask = {frame.read(mask, TYPES['u32'])} & live_warp(t);"
    ballot = f"uint32_t ballot = vote_warp(t, mask, {frame.read(predicate, TYPES['pred'])});"
    return f"{{ {members} {ballot} {frame.write(to, kind, value[how])} }}"


@translates("shfl")
def shuffle(instruction: Instruction, frame: Frame) -> str:
    """``shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, %r5``: a register of another lane."""
    targets, value, lane, clamp, mask = instruction.operands
    first, _, second = targets.partition("|")
    how = next(k for k in ("up", "down", "bfly", "idx") if instruction.has(k))
    arguments = (frame.read(operand, TYPES["u32"]) for operand in (mask, value, lane, clamp))
    found = f"int found; uint32_t other = shuffle_{how}(t, {', '.join(arguments)}, &found);"
    predicate = frame.write(second.strip(), TYPES["pred"], "found") if second else ""
    return f"{{ {found} {frame.write(first.strip(), TYPES['b32'], 'other')} {predicate} }}"
