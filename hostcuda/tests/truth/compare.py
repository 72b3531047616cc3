#!/usr/bin/env python3
# Compares what a CUDA library answers with what a driver answered.
#
# usage: compare.py [--crashes NAME,...|all] [--differences FILE] ANSWERS COMMAND...
#
# COMMAND list names the cases; lines with spaces are printed. COMMAND CASE runs one. The exit code 77 skips it, with the reason.
#
# Each step has to give the driver's code, with these rules:
# - Where the driver crashed, each remaining step gives 400 (and leaves 400 as the last error), and there is one at least. A destroyed stream
#   gives 400 or 709.
#   Of the cases that --crashes names, a crash is as good. With --differences each remaining step gives 400.
# - --differences names a file. Each line has a case, its exact answers, and the reason. The answers have to differ from those of the driver.
#   "-" stands for the answers of a case that the command does not have.
# - The resolution is a number of nanoseconds above 0 and up to 1,000,000.
# - sticky_error needs a kernel, and is left out where the program has none.
import concurrent.futures, os, re, subprocess, sys, tempfile

CRASH = "CRASH_OR_HANG=139"
arguments, crashes = sys.argv[1:], []
if arguments[0] == "--crashes":
    crashes, arguments = arguments[1].split(","), arguments[2:]
differences = {}
if arguments[0] == "--differences":
    with open(arguments[1]) as file:
        differences = {case: (got, reason) for case, got, reason in (line.rstrip("\n").split("\t") for line in file)}
    arguments = arguments[2:]
missing = tuple(case.rstrip("*") for case, (got, _) in differences.items() if got == "-")
with open(arguments[0]) as file:
    answers = dict(line.rstrip("\n").split("\t") for line in file)
command = arguments[1:]
# As the driver had them.
os.environ["GEVT_HOST_DEVICES"] = "2"
listed = subprocess.run(command + ["list"], stdout=subprocess.PIPE, text=True)
cases = [line for line in listed.stdout.splitlines() if " " not in line]
sys.stdout.writelines(line + "\n" for line in listed.stdout.splitlines() if " " in line)
if listed.returncode != 0:
    sys.exit(listed.returncode)


def run(case):
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            code = subprocess.call(command + [case], stdout=output, stderr=errors, timeout=120)
            code = code if code >= 0 else 128 - code
        except subprocess.TimeoutExpired:
            code = 124
        output.seek(0), errors.seek(0)
        return code, output.read().decode(errors="replace").rstrip().partition("\t")[2], errors.read().decode(errors="replace")


def is_same(case, expected, got):
    refusal = "(400(/last=400)?|709)" if "destroyed_stream" in case else "400(/last=400)?"
    refusal = "400" if differences else refusal
    want, have = expected.split(), got.split()
    for at, (step, answer) in enumerate(zip(want, have)):
        if step == CRASH:
            return have[at:] == [CRASH] or all(re.fullmatch("[^=]+=" + refusal, each) for each in have[at:])
        if step.startswith("min_positive="):
            time = re.fullmatch(r"min_positive=(\d+)ns", answer)
            if not time or not 1 <= int(time[1]) <= 1_000_000:
                return False
        elif step != answer:
            return False
    return len(want) == len(have)


same = count = skipped = 0
# They wait more than they compute.
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    results = dict(zip(cases, pool.map(run, cases)))
for case, expected in answers.items():
    if case not in results and case == "sticky_error":
        continue
    if case.startswith(missing) and case not in results:
        continue
    code, got, errors = results.get(case, ("none", "the program does not have it", ""))
    if code == 77:
        skipped += 1
        print(f"SKIPPED: {case}: {got.partition('SKIPPED: ')[2]}")
        continue
    count += 1
    if code in (139, 124) and (crashes == ["all"] or case in crashes):
        code, got = 0, f"{got} {CRASH}"
    on_purpose = differences.get(case, (None,))[0]
    if on_purpose:
        is_good = got == on_purpose and not is_same(case, expected, on_purpose)
        expected += f"\n  on purpose: {on_purpose}"
    else:
        is_good = is_same(case, expected, got) and not case.startswith(missing)
    if code == 0 and is_good:
        same += 1
    else:
        print(f"{case} (exit {code})\n  driver: {expected}\n  here:   {got}\n{errors}", file=sys.stderr)
for case in results.keys() - answers.keys():
    count += 1
    print(f"{case}: no answer recorded", file=sys.stderr)
print(f"truth: {same} of {count} as the driver, {skipped} skipped")
sys.exit(77 if skipped and count == 0 else same != count or count == 0)
