"""Devices as PyTorch writes them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

from . import _gevt

_HOST, _CUDA = 1, 2


@dataclass(frozen=True)
class Device:
    """Stands in for torch.device in a process without PyTorch."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


def device(type: str, index: int) -> Any:
    """Returns a torch.device where PyTorch is imported, else a Device. An index below 0 is none."""
    torch = sys.modules.get("torch")
    make = getattr(torch, "device", Device)
    return make(type) if index < 0 else make(type, index)


def parse(device: Any) -> tuple[int, int]:
    """Returns the number of the backend and the index of a device: 1, "cuda:1", "cpu", torch.device("cuda", 1).

    Without a GPU cuda is the host, too, so that a program for GPUs runs there; and with GEVT_BACKEND=host.
    """
    if isinstance(device, bool):
        raise TypeError("a device is not a bool")
    if isinstance(device, int):
        kind, index = "cuda", device
    elif isinstance(device, str):
        kind, _, number = device.partition(":")
        if number and not number.isdecimal():
            raise RuntimeError(f"Invalid device string: '{device}'")
        index = int(number or 0)
    else:
        kind, index = device.type, device.index or 0
    if kind == "cuda":
        is_host = os.environ.get("GEVT_BACKEND") == "host" or _gevt.device_count("cuda") == 0
        return (_HOST if is_host else _CUDA), index
    if kind == "cpu":
        return _HOST, index
    raise RuntimeError(f"Invalid device string: '{device}': gevt has events of cuda and of cpu")


def rebuild(cls: Any, device: Any, handle: bytes) -> Any:
    """Opens an event that another process pickled."""
    return cls.from_ipc_handle(device, handle)
