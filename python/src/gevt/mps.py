"""Events in the shape of torch.mps.Event, on the default stream of gevt's current context."""

from ._gevt import MpsEvent as Event

__all__ = ["Event"]

# The extension has one name for each class; programs import it from here.
Event.__module__, Event.__name__, Event.__qualname__ = __name__, "Event", "Event"
