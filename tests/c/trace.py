#!/usr/bin/env python3
# Runs the scenarios of traces and reads what they wrote: every file is JSON of Chrome's form, and one of them is known in detail.
# usage: trace.py PROGRAM host|cuda FILE
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# The names as they are shown: characters that cannot be part of a line are escaped.
BEGIN, END = r'frame "7"\ begins\n\t\u{1b}', "främe ends"
FIRST, SECOND, BEFORE = r'main "queue"\n', "stream 3", "from before"
# Groups other than processes have numbers that are multiples of this plus the process's number.
PROCESSES = 1 << 22
SLEEP = 20_000  # what a function sleeps, in microseconds

failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


# The file's header: the clock of its times, and that clock's offset to others when the trace began.
def check_around(name, whole):
    now = {"monotonic_ns": time.clock_gettime_ns(time.CLOCK_MONOTONIC),
           "boottime_ns": time.clock_gettime_ns(time.CLOCK_BOOTTIME),
           "realtime_ns": time.clock_gettime_ns(time.CLOCK_REALTIME)}
    other = whole["otherData"]
    for clock, ns in now.items():
        check(ns - 3600 * 10**9 < int(other[clock]) <= ns, f"{name}: {clock} is {other[clock]}, and now it is {ns}")
    check(whole["metadata"]["clock-domain"] == "LINUX_CLOCK_MONOTONIC", f"{name}: {whole['metadata']}")
    check(other["writer"].startswith("gevt ") and int(other["process_id"]) > 0, f"{name}: {other}")
    for element in whole["traceEvents"]:
        check(element["pid"] % PROCESSES == int(other["process_id"]), f"{name}: another process: {element}")
        within = int(other["monotonic_ns"]) <= element.get("ts", 1e18) * 1000 and element.get("ts", 0) * 1000 <= now["monotonic_ns"]
        check(element["ph"] == "M" or within, f"{name}: not on the clock: {element}")


# Slices nest, times do not go back on a track, every track and group that is drawn on has a name.
def check_form(name, elements):
    tracks, groups, last, open_slices, pairs, depth = {}, {}, {}, {}, {}, 0
    for element in elements:
        ph, track = element["ph"], (element["pid"], element.get("tid"))
        if ph == "M":
            names = groups if element["name"] == "process_name" else tracks
            names[track if names is tracks else track[0]] = element["args"]["name"]
            continue
        check(element["ts"] >= 0, f"{name}: a time before the trace: {element}")
        if ph in "BE":
            check(element["ts"] >= last.get(track, 0), f"{name}: back in time: {element}")
            last[track] = element["ts"]
            if ph == "B":
                open_slices.setdefault(track, []).append(element)
                depth = max(depth, len(open_slices[track]))
            elif open_slices.get(track):
                open_slices[track].pop()
            else:
                check(False, f"{name}: the end of nothing: {element}")
        elif ph in "be":
            pairs.setdefault(element["id"], []).append(element)
        else:
            check(ph == "i", f"{name}: an unknown phase: {element}")
        if track[1] and ph != "i":
            check(track in tracks, f"{name}: a track without a name: {element}")
        check(track[0] in groups, f"{name}: a group without a name: {element}")
    for begin, end in pairs.values():
        check((begin["ph"], end["ph"]) == ("b", "e") and begin["name"] == end["name"], f"{name}: no pair: {begin} {end}")
        check(abs((end["ts"] - begin["ts"]) * 1000 - end["args"]["ns"]) < 2, f"{name}: a wrong length: {begin} {end}")
    # Calls are one inside another only in callbacks.
    check(depth <= 2, f"{name}: slices are nested {depth} deep")
    return tracks, groups, open_slices


# The marks of events that are done, by name.
def completions(elements):
    return {element["name"]: element for element in elements if element.get("cat") == "event" and element["ph"] == "i"}


# Whose clock the marks of timed events are on.
CLOCK = "device" if sys.argv[2] == "cuda" else "host"


def check_elapsed(elements, *_):
    done = completions(elements)
    check({"begin", "end"} == set(done), f"elapsed: the completions are {list(done)}")
    check(all(mark["args"]["clock"] == CLOCK for mark in done.values()), f"elapsed: the clocks are {done}")


def check_shared(elements, *_):
    done = completions(elements)
    check({"at once", "behind the peer"} == set(done), f"shared: the completions are {list(done)}")
    behind = done["behind the peer"]
    (wait,) = slices(elements, (behind["pid"], behind["tid"]))
    check(wait[0] == "wait for another process", f"shared: the wait is {wait}")
    check(done["at once"]["ts"] <= wait[1] <= wait[2] <= behind["ts"], f"shared: the wait is {wait}")


def check_signaled(elements, *_):
    done = completions(elements)
    check(len(done) == 2 and "behind it" in done, f"signaled: the completions are {list(done)}")
    behind = done["behind it"]
    (wait,) = slices(elements, (behind["pid"], behind["tid"]))
    check(wait[0] == "wait for a signal" and wait[2] <= behind["ts"], f"signaled: the wait is {wait}")
    told = [element["name"] for element in elements if element["ph"] == "i"]
    check({"signal the signal", "reset the signal"} <= set(told), f"signaled: there is no signal or reset: {told}")


def check_burst(elements, tracks, groups, open_slices):
    check(len(elements) > 30_000, f"burst: only {len(elements)} elements")
    check(any(element["name"].endswith(" entries lost") for element in elements if element["ph"] == "i"), "burst: nothing lost")
    # On a track, the next slice ends one that has lost its end.
    endless = {str(track): begun for track, begun in open_slices.items() if len(begun) > 1}
    check(not endless, f"burst: more than one end is missing: {endless}")


# The slices of a track as (name, begin, end).
def slices(elements, track):
    result, begun = [], []
    for element in elements:
        if (element["pid"], element.get("tid")) == track and element["ph"] in "BE":
            if element["ph"] == "B":
                begun.append(element)
            else:
                begin = begun.pop()
                result.append((begin["name"], begin["ts"], element["ts"]))
    return result


def check_scene(elements, tracks, groups, _, backend, slack):
    instants = [element for element in elements if element["ph"] == "i"]
    (device,) = [group for group, name in groups.items() if name.startswith("streams of")]
    check(groups[device] == f"streams of {'host' if backend == 'host' else 'CUDA'} device 0", f"scene: {groups}")
    (process,) = [group for group, name in groups.items() if name.startswith("threads of")]
    check(groups[process] == "threads of test_scenario", f"scene: {groups}")

    streams = {name: track for track, name in tracks.items() if track[0] == device}
    check({FIRST, SECOND, BEFORE} <= set(streams), f"scene: the streams are {streams}")
    first, second, before = (slices(elements, streams[name]) for name in (FIRST, SECOND, BEFORE))
    check([slice[0] for slice in before] == ["function", "items"][: 2 if backend == "host" else 1], f"scene: of {BEFORE}: {before}")
    named = [element for element in elements if element["ph"] == "B" and element["name"] == "function"]
    by_name = {element["args"]["stream"] for element in named}
    check(by_name == {FIRST, SECOND, BEFORE}, f"scene: functions on {by_name}")
    check(all(element["args"]["thread"] > 0 for element in named), "scene: functions on no thread")
    functions = [[slice for slice in track if slice[0] == "function"] for track in (first, second)]
    check([len(track) for track in functions] == [2, 1], f"scene: functions: {functions}")
    for _, begin, end in functions[0] + functions[1]:
        check(end - begin >= SLEEP, f"scene: a function took {end - begin}")

    done = completions(elements)
    check({BEGIN, END} <= set(done), f"scene: the completions are {list(done)}")
    begins, ends = done[BEGIN], done[END]
    check((begins["pid"], begins["tid"]) == streams[FIRST] == (ends["pid"], ends["tid"]), "scene: on another stream")
    check(begins["args"]["clock"] == CLOCK == ends["args"]["clock"], "scene: on another clock")
    check(begins["args"]["stream"] == FIRST, f"scene: {begins}")
    check(begins["ts"] <= functions[0][0][1] + slack, "scene: the first function began before the first event")
    check(ends["ts"] + slack >= functions[0][1][2], "scene: the second event is done before the second function")
    check(functions[1][0][1] + slack >= ends["ts"], "scene: the second stream did not wait")
    if backend == "host":
        (wait,) = [slice for slice in second if slice[0] == f"wait for {FIRST}"]
        check(wait[1] <= ends["ts"] <= wait[2] <= functions[1][0][1], f"scene: the wait is {wait}")

    pairs = [element for element in elements if element["ph"] == "b"]
    (pair,) = pairs
    check(pair["name"] == f"{BEGIN} to {END}", f"scene: the pair is {pair}")
    check(abs(pair["ts"] - begins["ts"]) <= slack, f"scene: the pair is {pair}")
    check(groups[pair["pid"]] == groups[device].replace("streams", "pairs"), f"scene: the pair is in {groups[pair['pid']]}")
    check(pair["tid"] == streams[FIRST][1], "scene: the pair is on another stream")
    check(pair["args"]["ns"] >= 2 * SLEEP * 1000, "scene: the pair is too short")

    # A driver's threads have the name of the thread that made them, and make no calls.
    threads = {}
    for track, name in tracks.items():
        if track[0] == process and (name not in threads or slices(elements, track)):
            threads[name] = track
    workers = [track for track, name in tracks.items() if track[0] == process and name == "gevt-host"]
    check({"test_scenario", 'helping "hand"'} <= set(threads), f"scene: the threads are {threads}")
    # The event's stream sleeps when this thread waits already.
    (sync,) = slices(elements, threads['helping "hand"'])
    check(sync[0].startswith("sync event 0x") and sync[2] - sync[1] >= SLEEP, f"scene: the sync is {sync}")
    calls = [name for name, _, _ in slices(elements, threads["test_scenario"])]
    wanted = [f"record {BEGIN}", f"launch on {FIRST}", f"launch on {FIRST}", f"record {END}", f"stream waits for {END}",
              f"launch on {SECOND}"]
    check(calls[:6] == wanted, f"scene: the calls are {calls}")
    check({f"sync {SECOND}", "sync context"} <= set(calls), f"scene: the calls are {calls}")
    # On CUDA the thread that finds the event done runs it.
    callers = [track for track, name in tracks.items() if track[0] == process and name in ("gevt-host", "gevt-poll")]
    check(any(name == "callback" for track in callers for name, _, _ in slices(elements, track)), "scene: no callback")
    items = [slice for track in workers for slice in slices(elements, track) if slice[0] == f"items {BEFORE}"]
    if backend == "host":
        check(items and all(before[1][1] <= begin <= end for _, begin, end in items), f"scene: items {items} of {before[1]}")
    told = [mark["name"] for mark in instants]
    for mark in (f"destroy {BEGIN}", f"name {END}", f"name {FIRST}", f"create {SECOND}"):
        check(mark in told, f"scene: there is no {mark}: {told}")


# By how many microseconds the two clocks may differ: a millisecond, and what the comparisons left uncertain.
def slack_of(wholes):
    uncertain = [element["args"]["uncertain_us"] for whole in wholes for element in whole["traceEvents"]
                 if element.get("name") == "clocks compared"]
    check(uncertain and min(uncertain) >= 0, f"the clocks were compared with {uncertain}")
    return 1000 + max(uncertain, default=0)


def main():
    command, backend = sys.argv[1:], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, env={**os.environ, "TEST_FOLDER": folder}, stdout=subprocess.PIPE, text=True, errors="replace")
        if run.returncode != 0:
            print(run.stdout, end="")
            return run.returncode
        files = sorted(pathlib.Path(folder).glob("*.json"))
        wholes = [json.loads(file.read_bytes().decode("utf-8")) for file in files]
        slack = slack_of(wholes) if backend == "cuda" else 0
        known = {"elapsed": check_elapsed, "shared": check_shared, "signaled": check_signaled, "burst": check_burst,
                 "scene": lambda *form: check_scene(*form, backend, slack)}
        for file, whole in zip(files, wholes):
            name, elements = file.stem, whole["traceEvents"]
            check_around(name, whole)
            print(f"{file.name}: {len(elements)} elements")
            form = check_form(name, elements)
            if name in known:
                check(name == "burst" or not any(form[2].values()), f"{name}: a slice without an end")
                known[name](elements, *form)
        check(len(files) >= 10, f"only {len(files)} files")
    return 1 if failures else 0


sys.exit(main())
