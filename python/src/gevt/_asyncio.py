"""`await event`."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TYPE_CHECKING

from ._errors import Error

if TYPE_CHECKING:
    from ._gevt import Event


def _finish(future: asyncio.Future[None], error: Error | None) -> None:
    # It may have been cancelled meanwhile.
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


def wait(event: Event) -> Generator[object, None, None]:
    """Suspends the task until the event is complete; other tasks of the loop run meanwhile."""
    if event.query():
        return
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def completed(error: Error | None) -> None:
        try:
            loop.call_soon_threadsafe(_finish, future, error)
        except RuntimeError:
            pass  # The loop was closed, and nobody waits any more.

    event.on_complete(completed)
    yield from future
