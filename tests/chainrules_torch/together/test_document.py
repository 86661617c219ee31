"""The program in docs/design/engines_torch.md runs, where PyTorch and the tape are installed."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
pytest.importorskip("optree", reason="optree is not installed (extra: tape)")

DOCUMENT = Path(__file__).parents[3] / "docs" / "design" / "engines_torch.md"


def test_its_programs_run(capsys):
    programs = re.findall(
        r"^```text\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    exec(compile("\n".join(programs), str(DOCUMENT), "exec"), {"__name__": "document"})
    assert len(programs) == 3
    assert "one call for the batch" in capsys.readouterr().out
