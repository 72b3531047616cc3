"""PyTorch: an event that two processes share. The child waits for what the parent records, and records itself."""

import torch
import torch.multiprocessing as processes

ROUNDS = 20


def child(handle, back, x, y):
    ours = torch.cuda.Event.from_ipc_handle(torch.device("cuda:0"), handle)
    answer = torch.cuda.Event(enable_timing=False, interprocess=True)
    answer.record()
    back.send(answer.ipc_handle())
    good = 0
    for round in range(1, ROUNDS + 1):
        assert back.recv() == round
        # Once our stream has waited, it sees the work that the parent's stream did before its record.
        torch.cuda.current_stream().wait_event(ours)
        y.copy_(x)
        ours.synchronize()
        good += ours.query() and int(x[0].item()) == round
        answer.record()
        back.send(round)
    back.send(good)
    back.recv()


def main():
    context = processes.get_context("spawn")
    here, there = context.Pipe()
    x = torch.zeros(1 << 20, device="cuda")
    y = torch.zeros(1 << 20, device="cuda")
    event = torch.cuda.Event(enable_timing=False, interprocess=True)
    event.record()
    process = context.Process(target=child, args=(event.ipc_handle(), there, x, y))
    process.start()
    answer = torch.cuda.Event.from_ipc_handle(torch.device("cuda:0"), here.recv())
    good = 0
    for round in range(1, ROUNDS + 1):
        for _ in range(50):
            x.add_(1)
        x.fill_(round)
        event.record()
        here.send(round)
        assert here.recv() == round
        answer.synchronize()
        good += answer.query() and int(y.min().item()) == round
    print("parent", good)
    print("child", here.recv())
    here.send("done")
    process.join(60)
    print("exit", process.exitcode)


if __name__ == "__main__":
    main()
