"""The programs of docs/MIGRATING.md, as they are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gevt
import gevt.core

PAGE = Path(__file__).parents[2] / "docs" / "MIGRATING.md"


@pytest.mark.parametrize("name", ["native", "core"])
def test_a_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    block = PAGE.read_text().split(f"<!-- python/tests/test_migrating.py: {name} -->\n```python\n")[1].split("```")[0]
    ran: list[int] = []
    names: dict[str, Any] = {"gevt": gevt, "run": lambda: ran.append(1)}
    names |= {"Device": gevt.core.Device, "EventOptions": gevt.core.EventOptions}
    exec(block, names)
    assert ran == [1] and float(capsys.readouterr().out) >= 0
