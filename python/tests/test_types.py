"""The stub of the extension names what the extension has, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import gevt
from gevt import _gevt


def names_of(body: list[ast.stmt]) -> set[str]:
    named = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in body if isinstance(node, named)}


def test_the_stub_names_what_is_there() -> None:
    stub = ast.parse((Path(gevt.__file__).parent / "_gevt.pyi").read_text())
    assert names_of(stub.body) == {name for name in vars(_gevt) if not name.startswith("__")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            ignored = {"__module__", "__name__", "__qualname__", "__doc__", "__new__", "__weakref__", "__weaklistoffset__"}
            ignored |= {"__dict__", "__slotnames__"}  # of one that takes attributes, and of a pickled one
            there = {
                name
                for name, value in vars(getattr(_gevt, node.name)).items()
                if name not in ignored | {"__init__", "__repr__", "__rsub__", "__reduce__"} and value is not None
            }
            assert names_of(node.body) - {"__init__", "__new__", "__repr__"} == there, node.name
