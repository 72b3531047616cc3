"""PyTorch: a small training run with a prefetching stream. Prints its losses, which have to be the same with the drop-in and
without it.

torch_train.py time STEPS    prints the median milliseconds of a step, and no losses
"""

import os
import sys
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch

torch.manual_seed(7)
torch.use_deterministic_algorithms(True)
torch.backends.cuda.matmul.allow_tf32 = False

BATCH, WIDTH = 256, 512
model = torch.nn.Sequential(
    *(layer for _ in range(6) for layer in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU())), torch.nn.Linear(WIDTH, 10)
).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_of = torch.nn.CrossEntropyLoss()
inputs = torch.randn(8, BATCH, WIDTH).pin_memory()
labels = torch.randint(0, 10, (8, BATCH)).pin_memory()
prefetcher = torch.cuda.Stream()


def fetch(step):
    """A batch that the prefetching stream copies, and the event of its arrival."""
    with torch.cuda.stream(prefetcher):
        batch = [part[step % 8].to("cuda", non_blocking=True) for part in (inputs, labels)]
        arrived = torch.cuda.Event()
        arrived.record()
    return batch, arrived


def run(steps, each):
    following = fetch(0)
    for step in range(steps):
        (data, label), arrived = following
        torch.cuda.current_stream().wait_event(arrived)
        following = fetch(step + 1)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(data), label)
        loss.backward()
        optimizer.step()
        end.record()
        for part in (data, label):
            part.record_stream(torch.cuda.current_stream())
        # As loops do that look whether the step is through while they have other things to do.
        while not end.query():
            pass
        assert start.elapsed_time(end) > 0
        each(step, loss)


if len(sys.argv) == 3 and sys.argv[1] == "time":
    run(50, lambda step, loss: None)
    torch.cuda.synchronize()
    times = [time.perf_counter()]
    run(int(sys.argv[2]), lambda step, loss: times.append(time.perf_counter()))
    steps = sorted(after - before for before, after in zip(times, times[1:]))
    print(f"{steps[len(steps) // 2] * 1e3:.4f}")
else:
    run(40, lambda step, loss: print(step, loss.item().hex()))
    print("weights", sum(parameter.double().abs().sum().item() for parameter in model.parameters()).hex())
