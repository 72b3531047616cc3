"""Everything that a program sees has a docstring and a type."""

from __future__ import annotations

import inspect

import pytest

import gevt
import gevt.core
import gevt.cuda
import gevt.mps
import gevt.torch

CLASSES = [gevt.Context, gevt.Event, gevt.Stream, gevt.timer, gevt.torch.Event, gevt.cuda.Event, gevt.mps.Event, gevt.core.Event]


@pytest.mark.parametrize("module", [gevt, *CLASSES], ids=repr)
def test_it_is_documented(module: object) -> None:
    public = [name for name in vars(module) if not name.startswith("_")]
    public = [name for name in getattr(module, "__all__", public) if not inspect.isdatadescriptor(vars(module)[name])]
    assert inspect.getdoc(module) and all(inspect.getdoc(getattr(module, name)) for name in public), public


def test_signatures_are_for_people() -> None:
    assert "native: int | None = None" in (gevt.Event.record.__doc__ or "")
    assert "datetime.timedelta" in (gevt.Event.sync.__doc__ or "")
