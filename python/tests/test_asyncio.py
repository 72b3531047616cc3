"""`await event`."""

from __future__ import annotations

import asyncio

import pytest
from conftest import BACKEND, LONG, Gate

import gevt


def test_await_suspends_the_task_only(stream: gevt.Stream, gate: Gate) -> None:
    async def main() -> list[str]:
        order: list[str] = []
        event = gevt.Event()
        event.record(stream)

        async def waiter() -> None:
            await event
            order.append("complete")

        task = asyncio.create_task(waiter())
        await asyncio.sleep(0)
        order.append("other task")
        gate.open()
        await asyncio.wait_for(task, LONG)
        await event
        return order

    assert asyncio.run(main()) == ["other task", "complete"]


@pytest.mark.skipif(gevt.device_count("host") < 2, reason="there is one device here")
def test_tasks_that_take_turns_keep_their_devices() -> None:
    async def records(device: int) -> list[int]:
        devices = []
        with gevt.Context("host", device):
            for _ in range(4):
                await asyncio.sleep(0)
                with gevt.Event() as event, gevt.Event() as other, gevt.Stream() as stream:
                    event.record()
                    other.record(stream)
                    devices += [event.info.device, other.info.device]
        return devices

    async def main() -> list[list[int]]:
        return await asyncio.gather(*(records(device) for device in (1, 0, 1)))

    assert asyncio.run(main()) == [[device] * 8 for device in (1, 0, 1)]
    with gevt.Event() as event:
        event.record()
        assert event.info.backend == BACKEND


def test_timeout_and_cancellation(stream: gevt.Stream, gate: Gate) -> None:
    async def main() -> None:
        event = gevt.Event()
        event.record(stream)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(event, 0.001)
        gate.open()
        await asyncio.wait_for(event, LONG)

    asyncio.run(main())


def test_many_events_of_one_loop(stream: gevt.Stream, gate: Gate) -> None:
    async def main() -> None:
        events = [gevt.Event(timing=False) for _ in range(100)]
        for event in events:
            event.record(stream)
        waits = [asyncio.ensure_future(_wait(event)) for event in events]
        await asyncio.sleep(0)
        gate.open()
        await asyncio.wait_for(asyncio.gather(*waits), LONG)

    async def _wait(event: gevt.Event) -> None:
        await event

    asyncio.run(main())


def test_a_loop_that_is_closed_before_the_event_completes(stream: gevt.Stream, gate: Gate) -> None:
    async def main() -> None:
        event = gevt.Event()
        event.record(stream)
        task = asyncio.ensure_future(asyncio.wait_for(event, LONG))
        await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(main())
    gate.open()
    stream.sync(LONG)


def test_errors_are_raised() -> None:
    async def main() -> None:
        event = gevt.Event()
        event.close()
        with pytest.raises(gevt.Error):
            await event

    asyncio.run(main())
