"""Shared objects whose every symbol jumps through a table, which Python fills.

CuPy is linked against the libraries of the toolkit by their names (soname), their symbols and the
versions of these. A jump leaves registers and stack as they are, so that one line of assembly
serves every signature.
"""

import re
import subprocess
from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from os import getpid, replace
from pathlib import Path

# those of CuPy that are linked against libraries
MODULES = ("cupy_backends/cuda/libs/*.so", "cupy/cuda/*.so", "cupyx/*.so")
HEAD = """\
static void *table[{count} + 1] __attribute__((used));
void **emulated_table(void) {{ return table; }}
int emulated_end(void) {{ return 0; }}
"""
JUMP = (
    'asm(".text; .globl {symbol}; .type {symbol}, @function; {symbol}: jmp *table+{offset}(%rip)");'
)


def wanted_symbols() -> dict[str, set[str]]:
    """What CuPy, where it is installed, wants of which shared object; without importing it."""
    wanted: dict[str, set[str]] = {}
    for symbol, soname in re.findall(
        r"(\w+)@(lib\w+\.so\.\d+)$", undefined_symbols(), re.MULTILINE
    ):
        wanted.setdefault(soname, set()).add(symbol)
    return wanted


def undefined_symbols() -> str:
    """The names, with versions, that CuPy's modules leave to the linker."""
    found = find_spec("cupy")
    if found is None or found.origin is None:
        return ""
    packages = Path(found.origin).parent.parent
    modules = [path for pattern in MODULES for path in sorted(packages.glob(pattern))]
    command = ["nm", "--dynamic", "--undefined-only", *map(str, modules)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def source_of(symbols: list[str]) -> str:
    """The C source of a shared object with these symbols."""
    jumps = [JUMP.format(symbol=symbol, offset=8 * k) for k, symbol in enumerate(symbols)]
    return HEAD.format(count=len(symbols)) + "\n".join(jumps) + "\n"


def build(soname: str, symbols: Iterable[str], folder: Path) -> Path:
    """The shared object with these symbols in this order; its folder is named after what is in it,
    so that it is built once.
    """
    source = source_of(list(symbols))
    place = folder / sha256(source.encode()).hexdigest()[:16]
    target = place / soname
    if not target.exists():
        place.mkdir(parents=True, exist_ok=True)
        compile_into(target, source)
    return target


def compile_into(target: Path, source: str) -> None:
    """Compile; under a name of this process first, because another one may be at the same work."""
    draft = target.with_name(f"{target.name}.{getpid()}")
    code, versions = draft.with_suffix(".c"), draft.with_suffix(".map")
    code.write_text(source)
    versions.write_text(f"{target.name} {{ global: *; }};\n")
    flags = ["-shared", "-fPIC", f"-Wl,-soname,{target.name}", f"-Wl,--version-script={versions}"]
    subprocess.run(["gcc", *flags, "-o", str(draft), str(code)], check=True)
    replace(draft, target)
