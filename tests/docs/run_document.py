"""Runs the Python blocks of a Markdown document in order, in one namespace: ``python
run_document.py README.md``. Modules that are named after it cannot be imported.

A block is a fence marked ``python``, at any indentation. One that starts with a prompt is a
doctest. Each block is compiled at its own line of the document, so that a traceback points there.
"""

import doctest
import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

FENCE = re.compile(
    r"^(?P<indent> *)```python *\n(?P<code>.*?)^(?P=indent)``` *$", re.MULTILINE | re.DOTALL
)


def python_blocks(text: str) -> Iterator[tuple[int, str]]:
    """The number of lines before each block, and its code."""
    for fence in FENCE.finditer(text):
        yield text.count("\n", 0, fence.start("code")), dedent(fence["code"])


def run_examples(code: str, namespace: dict[str, Any], document: str, line: int) -> None:
    """Run a block of prompts and expected output."""
    examples = doctest.DocTestParser().get_doctest(code, namespace, document, document, line)
    runner = doctest.DocTestRunner()
    runner.run(examples, clear_globs=False)
    namespace.update(examples.globs)
    if runner.failures:
        raise SystemExit(f"{document}:{line}: {runner.failures} of {runner.tries} examples failed")


def run_document(path: Path) -> int:
    """Run a document; the number of blocks that ran."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    line_and_code = list(python_blocks(path.read_text(encoding="utf-8")))
    for line, code in line_and_code:
        if code.startswith(">>>"):
            run_examples(code, namespace, str(path), line)
        else:
            exec(compile("\n" * line + code, str(path), "exec"), namespace)
    return len(line_and_code)


if __name__ == "__main__":
    page, *absent = sys.argv[1:]
    sys.modules |= dict.fromkeys(absent)
    if not absent:  # pages show programs without the mark of which the warning speaks
        os.environ["CHAINRULES_ONLY_MARKED"] = "0"
        from chainrules_tape import SeenThroughWarning

        warnings.simplefilter("ignore", SeenThroughWarning)
    print(run_document(Path(page)), "blocks ran")
    assert not any(map(sys.modules.get, absent))
