"""`with gevt.timer(stream) as t:`."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ._gevt import Event, elapsed_ns


class timer:
    """Times the work that is submitted to a stream in a with-block.

    ``stream`` is anything that Event.record() takes. The block does not wait for the work; ``ms`` and ``ns`` do.
    """

    def __init__(self, stream: Any = None, *, name: str | None = None) -> None:
        self._stream = stream
        self.start = Event(name=name and f"{name} start")
        self.end = Event(name=name and f"{name} end")

    def __enter__(self) -> timer:
        self.start.record(self._stream)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /) -> None:
        self.end.record(self._stream)

    @property
    def ns(self) -> int:
        """The nanoseconds between the two ends of the block on the stream. Blocks until the work is complete."""
        self.end.sync()
        return elapsed_ns(self.start, self.end)

    @property
    def ms(self) -> float:
        """The milliseconds between the two ends of the block on the stream. Blocks until the work is complete."""
        return self.ns / 1e6
