"""Events in the shape of torch.cuda.Event."""

from ._gevt import CudaEvent as Event

__all__ = ["Event"]

# The extension has one name for each class; programs import it from here.
Event.__module__, Event.__name__, Event.__qualname__ = __name__, "Event", "Event"
