"""The exceptions, and the numbers that tell them apart."""

from __future__ import annotations

import builtins
import enum


class Status(enum.IntEnum):
    """The result of a call; gevt.h describes each."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    DEINITIALIZED = 4
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    INVALID_CONTEXT = 201
    MAP_FAILED = 205
    OPERATING_SYSTEM = 304
    INVALID_HANDLE = 400
    ILLEGAL_STATE = 401
    NOT_READY = 600
    CONTEXT_IS_DESTROYED = 709
    LAUNCH_FAILED = 719
    NOT_SUPPORTED = 801
    STREAM_CAPTURE_UNSUPPORTED = 900
    STREAM_CAPTURE_INVALIDATED = 901
    STREAM_CAPTURE_MERGE = 902
    STREAM_CAPTURE_UNMATCHED = 903
    STREAM_CAPTURE_UNJOINED = 904
    STREAM_CAPTURE_ISOLATION = 905
    STREAM_CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    STREAM_CAPTURE_WRONG_THREAD = 908
    TIMEOUT = 909
    UNKNOWN = 999


class Detail(enum.IntEnum):
    """The cause behind a status; gevt.h describes each."""

    NONE = 0
    NULL_HANDLE = 1
    UNKNOWN_HANDLE = 2
    STALE_HANDLE = 3
    WRONG_KIND = 4
    NULL_POINTER = 5
    BAD_FLAGS = 6
    BAD_ARGUMENT = 7
    BAD_DEVICE = 8
    NO_BACKEND = 9
    NOT_RECORDED = 10
    TIMING_DISABLED = 11
    CONTEXT_MISMATCH = 12
    IMPORTED_NO_TIMING = 13
    CAPTURED = 14
    NOT_CAPTURING = 15
    WOULD_DEADLOCK = 16
    NOT_BOUND = 17
    NO_NATIVE = 18
    TIMED_OUT = 19
    OUT_OF_MEMORY = 20
    FORKED = 21
    EXITING = 22
    CONTEXT_LOST = 23
    BACKEND = 24
    INTERNAL = 25
    TRACING = 26
    NOT_TRACING = 27
    FILE = 28
    NOT_EXPORTABLE = 29
    IPC_BAD_HANDLE = 30
    IPC_SAME_PROCESS = 31
    IPC_PEER_GONE = 32
    IPC_FOREIGN_USER = 33
    UNSUPPORTED = 34
    SUBMIT_FAILED = 35
    NO_TIME = 36
    BATCH = 37
    VULKAN = 38
    EVENT_FAILED = 39
    HOST_SIGNALED = 40
    EXECUTOR = 41
    NOT_CALIBRATED = 42


class Error(RuntimeError):
    """A call of gevt failed.

    ``status`` and ``detail`` are numbers of gevt.h, as members of Status and Detail where those have them; ``message`` says
    in words which function failed for which event and why. ``index`` is the position of the event that failed in wait_any().
    """

    status: int
    detail: int
    message: str
    index: int | None = None

    def __init__(self, message: str, status: int = Status.UNKNOWN, detail: int = Detail.NONE) -> None:
        super().__init__(message)
        self.message = message
        self.status = _known(Status, status)
        self.detail = _known(Detail, detail)

    def __reduce__(self) -> tuple[type[Error], tuple[str, int, int], dict[str, int | None]]:
        return type(self), (self.message, self.status, self.detail), {"index": self.index}


class TimeoutError(Error, builtins.TimeoutError):
    """A wait took longer than its timeout."""


def _known(numbers: type[enum.IntEnum], value: int) -> int:
    """The member of a number; a number that a newer driver adds stays as it is."""
    try:
        return numbers(value)
    except ValueError:
        return value


def exception_of(status: int, detail: int, message: str) -> Error:
    """Returns the exception that the extension raises for a failed call."""
    return (TimeoutError if status == Status.TIMEOUT else Error)(message, status, detail)
