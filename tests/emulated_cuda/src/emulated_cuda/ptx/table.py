"""Which function translates which opcode. Each file of instructions adds its own."""

from collections.abc import Callable

from emulated_cuda.ptx.frame import Frame
from emulated_cuda.ptx.syntax import Instruction

Translation = Callable[[Instruction, Frame], str]
TRANSLATIONS: dict[str, Translation] = {}


def translates(*opcodes: str) -> Callable[[Translation], Translation]:
    """Register a translation to C statements under these opcodes."""

    def register(translation: Translation) -> Translation:
        TRANSLATIONS.update(dict.fromkeys(opcodes, translation))
        return translation

    return register
