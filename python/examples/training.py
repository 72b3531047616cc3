"""Times the steps of a training loop with events, and draws them.

usage: python training.py [TRACE]

With PyTorch and a GPU: a small model, whose forward pass, backward pass and optimiser step are timed on the GPU without stopping
it. Without: a pipeline of two streams on the host, of which asyncio awaits each batch. TRACE (training.json) is for Perfetto.
"""

from __future__ import annotations

import asyncio
import sys
import time

import gevt
import gevt.cuda

STEPS = 20


def train() -> None:
    """The loop runs ahead of the GPU; times are read when the last step is complete."""
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 1024)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    marks = []
    for _ in range(STEPS):
        events = [gevt.cuda.Event(enable_timing=True) for _ in range(4)]
        for event, name in zip(events, ("start", "forward", "backward", "step")):
            event.name = name
        data = torch.randn(512, 1024, device="cuda")
        events[0].record()
        loss = torch.nn.functional.mse_loss(model(data), data)
        events[1].record()
        loss.backward()
        events[2].record()
        optimizer.step()
        optimizer.zero_grad()
        events[3].record()
        marks.append(events)
    marks[-1][-1].sync(timeout=60)
    for index, name in enumerate(("forward", "backward", "step")):
        times = sorted(events[index].elapsed_time(events[index + 1]) for events in marks)
        print(f"{name:9} {times[len(times) // 2]:.3f} ms")


async def pipeline() -> None:
    """One stream loads batches, another one works on them; the task waits for neither until it needs the result."""
    with gevt.Stream(non_blocking=True) as load, gevt.Stream(non_blocking=True) as work:
        results: list[int] = []
        finished = []
        for step in range(STEPS):
            loaded, done = gevt.Event(name=f"loaded {step}"), gevt.Event(name=f"done {step}")
            load.launch(lambda: time.sleep(0.002))
            loaded.record(load)
            work.wait(loaded)
            work.launch(lambda step=step: results.append(step * step))  # type: ignore[misc]
            done.record(work)
            finished.append((loaded, done))
        for loaded, done in finished:
            await asyncio.wait_for(done, timeout=60)
        print(f"{len(results)} batches, the last one {gevt.elapsed(*finished[-1]):.3f} ms after it was loaded")
        print(f"from the first to the last: {gevt.elapsed(finished[0][0], finished[-1][1]):.1f} ms")


def has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


if __name__ == "__main__":
    with gevt.trace(sys.argv[1] if len(sys.argv) > 1 else "training.json"):
        train() if has_gpu() else asyncio.run(pipeline())
