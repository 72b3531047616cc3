"""Events in the shape of torch.cuda.Event."""

from ._gevt import CudaEvent as Event

__all__ = ["Event"]
