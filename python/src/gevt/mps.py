"""Events in the shape of torch.mps.Event, on the default stream of gevt's current context."""

from ._gevt import MpsEvent as Event

__all__ = ["Event"]
