"""What an event is and how it stands."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["unrecorded", "pending", "complete", "captured", "failed"]

_STATES: tuple[State, ...] = ("unrecorded", "pending", "complete", "captured", "failed")
_BACKENDS = ("", "host", "cuda", "vulkan")


class EventInfo(NamedTuple):
    """The state of an event at one moment.

    ``backend`` is "host", "cuda", "vulkan" or "" and ``device`` -1 until the first record binds the event to a context.
    """

    state: State
    backend: str
    device: int
    flags: int
    imported: bool
    record_count: int
    name: str


class HostTime(NamedTuple):
    """When an event completed: nanoseconds of time.monotonic_ns(), and how far they may be wrong, up or down."""

    ns: int
    error_ns: int


def make(state: int, backend: int, device: int, flags: int, imported: bool, record_count: int, name: str) -> EventInfo:
    """Makes it of the numbers of gevt.h."""
    return EventInfo(_STATES[state], _BACKENDS[backend], device, flags, imported, record_count, name)


def describe(info: EventInfo) -> str:
    """Returns what repr() shows of an event."""
    place = f" on {info.backend}:{info.device}" if info.backend else ""
    return f"<gevt.Event {info.name!r} {info.state}{place}>" if info.name else f"<gevt.Event {info.state}{place}>"
