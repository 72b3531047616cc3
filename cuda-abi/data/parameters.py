#!/usr/bin/env python3
# Writes the last columns of driver.tsv and runtime.tsv: the types of the parameters, read from the prototypes in NVIDIA's headers.
#
# usage: cuda-abi/data/parameters.py WHEELS     the folder target/hostcuda/wheels that `ci/hostcuda.sh --headers` makes
#
# Needed only when functions are added. A function without a public prototype gets a dash.

import pathlib
import re
import sys

DATA = pathlib.Path(__file__).parent


def types(parameters):
    """The types of a parameter list, without the names and the default values."""
    found = []
    for parameter in parameters.split(","):
        parameter = re.sub(r"\b__dv\(.*?\)|=.*", "", parameter).strip()
        if parameter in ("", "void"):
            continue
        array = parameter.endswith("]")
        parameter = re.sub(r"\[.*\]$", "", parameter).strip()
        words = re.match(r"(.*?)(\w+)$", parameter)
        kind = parameter
        if words and words[1].strip() and words[2] not in ("int", "char", "long", "short"):
            kind = words[1]
        kind = re.sub(r"\bstruct |\benum |\b_v\d+\b", "", kind)
        kind = re.sub(r"\s*\*\s*", "*", re.sub(r"\s+", " ", kind).strip())
        found.append(kind + ("*" if array else ""))
    return ", ".join(found) or "void"


def prototypes(header):
    """The text of a header, without comments and with each declaration in one line."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(errors="replace"), flags=re.S)
    return re.sub(r"\s+", " ", text)


def driver(include):
    """The parameters of the driver's functions, by name, first version and whether the stream is the thread's own."""
    known = {}
    for header in include.glob("cuda*Typedefs.h"):
        pattern = r"typedef CUresult \(CUDAAPI \*PFN_(\w+?)_v(\d+)(_ptsz|_ptds)?\)\(([^;]*)\);"
        for name, version, mark, parameters in re.findall(pattern, prototypes(header)):
            known[name, version, "-" if not mark else "own"] = types(parameters)
    for name, parameters in re.findall(r"CUresult CUDAAPI (\w+)\(([^;]*)\);", prototypes(include / "cuda.h")):
        known.setdefault((name, None, "-"), types(parameters))
    return known


def runtime(include):
    """The parameters of the runtime's functions, by symbol."""
    known = {}
    headers = [include / "cuda_runtime_api.h", *include.glob("cuda_*_interop.h"), include / "cuda_profiler_api.h"]
    for text in map(prototypes, filter(pathlib.Path.exists, headers)):
        declared = {}
        for name, parameters in re.findall(r"CUDARTAPI (\w+)\(((?:[^()]|\(\w*\))*)\)", text):
            declared.setdefault(name, []).append(types(parameters))
        # The header's plain name may stand for a later form; the symbol of that name is then declared further down.
        for name, form in re.findall(r"# ?define (cuda\w+) (?:__CUDART_API_PTS[ZD]\()?(cuda\w+_v\d)\b", text):
            if name in declared:
                declared.setdefault(form, declared[name][:1])
                declared[name] = declared[name][1:] or declared[name]
        known.update({name: forms[0] for name, forms in declared.items()})
    return known


def rewrite(name, columns, row_of):
    lines = []
    for line in (DATA / name).read_text().splitlines():
        lines.append(line if line.startswith("#") else "\t".join(row_of(line.split("\t")[:columns])))
    (DATA / name).write_text("\n".join(lines) + "\n")


def main():
    wheels = pathlib.Path(sys.argv[1])
    newest = wheels / "nvidia-cuda-runtime/nvidia/cu13/include"
    calls = driver(newest)

    def driver_row(row):
        symbol, name, version, own = row
        kind = "-" if own == "-" else "own"
        return [*row, calls.get((name, version, kind), calls.get((name, version, "-"), calls.get((symbol.split("_pts")[0], None, "-"), "-")))]

    by_release = {"12": runtime(wheels / "nvidia-cuda-runtime-cu12/nvidia/cuda_runtime/include"), "13": runtime(newest)}

    def runtime_row(row):
        symbol, releases = row
        base = re.sub(r"_pts[zd]$|_ptds$", "", symbol)
        found = [by_release[release].get(symbol, by_release[release].get(base, "-")) for release in releases.split(",")]
        return [*row, found[0] if len(set(found)) == 1 else " | ".join(found)]

    rewrite("driver.tsv", 4, driver_row)
    rewrite("runtime.tsv", 2, runtime_row)


main()
