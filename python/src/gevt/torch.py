"""Events in the shape of torch.Event."""

from ._gevt import TorchEvent as Event

__all__ = ["Event"]
