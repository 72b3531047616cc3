#!/usr/bin/env python3
# Runs the tests once for each mutant that they reach, until one fails. Prints the survivors, and fails where fewer are caught than LEAST says.
# Those that survivors.tsv tells to change nothing do not count.
#
# usage: tests/mutants/run.py FOLDER BUILD HOSTCUDA TEST...     ci/mutants.sh calls it
#   FOLDER     has mutants.tsv and libgevt.so with all the mutants; results.tsv and the files of mutants reached are written there
#   BUILD      the C tests
#   HOSTCUDA   gevt-hostcuda
#   TEST       the Rust tests' programs
#
# A first run without a mutant notes which mutants each test reaches, and its time. A test that fails then, or takes longer than SLOW, is left
# out. A failure counts if it comes twice. A hang is a failure.
import collections, concurrent.futures, glob, json, os, re, shutil, signal, subprocess, sys, threading, time

LEAST = 90
SLOW = 20
KINDS = ("core", "host", "cuda", "vulkan")
JOBS = int(os.environ.get("GEVT_JOBS", os.cpu_count()))
folder, build, hostcuda, *rust = sys.argv[1:]
library = os.path.join(folder, "libgevt.so")
drivers = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")[:1]
if drivers:
    # Two devices.
    drivers.append(shutil.copy(drivers[0], os.path.join(folder, "second_icd.json")))


class Test:
    def __init__(self, kind, name, command, directory):
        self.kind, self.name, self.command, self.directory = kind, name, command, directory
        self.reached, self.time = b"", 0.0

    # Returns None, or how it failed.
    def run(self, limit, **variables):
        environment = dict(os.environ, GEVT_TEST_LIBRARY=library, GEVT_TEST_ROUNDS="1", GEVT_TEST_CASES="100", **variables)
        process = subprocess.Popen(self.command, cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = process.wait(limit)
            return None if code == 0 else f"exit {code}"
        except subprocess.TimeoutExpired:
            return "hangs"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def tests():
    for program in rust:
        name = re.sub("-[0-9a-f]+$", "", os.path.basename(program))
        yield Test(0 if name == "gevt_core" else 1, name, [program], ".")
    listed = json.loads(subprocess.check_output(["ctest", "--test-dir", build, "--show-only=json-v1"]))["tests"]
    for test in listed:
        name, has = test["name"], {each["name"]: each["value"] for each in test["properties"]}
        # A case alone that its program runs with all others tells nothing more; nor does the static library.
        if not re.match(r"c\..*\.(host|cuda|vulkan)$|c\.loading|vulkan\.", name) or \
                re.match(r"c\.(static|(exit|fork|dlopen|ipc_gone)\.[a-z_]+\.)", name):
            continue
        kind, under = 1, []
        if name.endswith(".cuda"):
            kind, under = 2, [hostcuda]
        elif name.startswith("vulkan.") or name.endswith(".vulkan"):
            if not drivers:
                continue
            kind, under = 3, ["env", "VK_DRIVER_FILES=" + ":".join(drivers)]
        devices = [] if any(word.startswith("GEVT_HOST_DEVICES=") for word in has.get("ENVIRONMENT", [])) or kind == 1 else ["GEVT_HOST_DEVICES=2"]
        yield Test(kind, name, under + ["env", *devices, *has.get("ENVIRONMENT", []), *test["command"]], has["WORKING_DIRECTORY"])


def sound(test, count):
    file = os.path.join(folder, "reached", test.name)
    with open(file, "wb") as out:
        out.write(bytes(count + 1))
    for _ in range(2):
        start = time.monotonic()
        failed = test.run(60, GEVT_MUTANTS_REACHED=file)
        test.time = time.monotonic() - start
        if not failed:
            break
        print(f"without a mutant: {test.name}, {failed}", flush=True)
    test.reached = open(file, "rb").read()
    if failed or test.time > SLOW:
        print(f"left out: {test.name}, {failed or f'{test.time:.0f} s'}", flush=True)
    return not failed and test.time <= SLOW


# Returns the test that has failed, or None, and how.
def caught(mutant, tests):
    reaching = [test for test in tests if test.reached[mutant]]
    for test in reaching:
        limit = 20 + 10 * test.time
        failed = test.run(limit, GEVT_MUTANT=str(mutant))
        if failed and (failed == "hangs" or test.run(limit, GEVT_MUTANT=str(mutant))):
            return test, failed
    return None, f"survived {len(reaching)} tests" if reaching else "not reached"


# The file, the fault and the line of each mutant that changes nothing.
def equivalents():
    rows = [line.split("\t") for line in open(os.path.join(os.path.dirname(__file__), "survivors.tsv"))]
    return {tuple(row[1:4]) for row in rows if row[0] == "equivalent"}


def main():
    mutants = {int(line.split("\t")[0]): line.rstrip("\n").split("\t") for line in open(os.path.join(folder, "mutants.tsv"))}
    os.makedirs(os.path.join(folder, "reached"), exist_ok=True)
    workers = concurrent.futures.ThreadPoolExecutor(JOBS)
    everything = list(tests())
    kept = [test for test, good in zip(everything, workers.map(lambda test: sound(test, max(mutants)), everything)) if good]
    kept.sort(key=lambda test: (test.kind, test.time))
    print(f"{len(kept)} tests, {sum(test.time for test in kept):.0f} s", flush=True)
    known, found, lock = equivalents(), collections.Counter(), threading.Lock()
    chosen = [int(number) for number in os.environ.get("GEVT_TEST_MUTANTS", "").split()] or list(mutants)
    with open(os.path.join(folder, "results.tsv"), "w") as results:
        def one(mutant):
            test, how = caught(mutant, kept)
            _, file, line, fault, text = mutants[mutant]
            outcome = KINDS[test.kind] if test else "equivalent" if (file, fault, text) in known else "survived"
            with lock:
                found[outcome] += 1
                print(*mutants[mutant], test.name if test else outcome, how, sep="\t", file=results, flush=True)
                if outcome == "survived":
                    print(f"{mutant}: {file}:{line}: {fault}, {how}: {text}", flush=True)
        list(workers.map(one, chosen))
    print(", ".join(f"{kind}: {count}" for kind, count in found.items()))
    counted = len(chosen) - found["equivalent"]
    score = 100 * (counted - found["survived"]) / counted
    print(f"{counted} mutants, {found['survived']} survived: {score:.1f} % caught")
    return score < LEAST


sys.exit(main())
