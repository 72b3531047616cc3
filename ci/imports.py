#!/usr/bin/env python3
# Fails if source files or folders import each other in a cycle. A name that a file re-exports counts as the file that has it. usage: ci/imports.py
import pathlib, re, sys


def paths(use):
    """The paths of a use declaration, each with the name that it brings."""
    while tree := re.search(r"([\w:]*)\{([^{}]*)\}", use):
        names = ", ".join(tree[1] + name.strip() for name in tree[2].split(",") if name.strip())
        use = use[: tree.start()] + names + use[tree.end() :]
    for path in use.split(","):
        path, _, name = path.strip().removesuffix("::self").partition(" as ")
        yield path.split("::"), name or path.split("::")[-1]


def imports(source):
    """What each file imports: files are tuples of the modules on the way to them."""
    code, exports = {}, {}
    for file in source.rglob("*.rs"):
        own = tuple(part for part in file.relative_to(source).with_suffix("").parts if part not in ("mod", "lib"))
        text = re.sub(r"//.*", "", file.read_text()).split("#[cfg(test)]\nmod tests {")[0]
        if not file.stem.endswith("tests"):
            code[own] = re.sub(r"#\[cfg\(loom\)\]\s*(pub(\(\w+\))? )?use [^;]*;", "", text)

    def absolute(path, own):
        own = () if path[0] == "crate" else own
        while path and path[0] in ("crate", "self", "super"):
            own, path = own[:-1] if path[0] == "super" else own, path[1:]
        return own + tuple(path)

    def owner(path, tries=9):
        file = max((path[:end] for end in range(len(path) + 1) if path[:end] in code), key=len)
        name, rest = path[len(file) : len(file) + 1], path[len(file) + 1 :]
        return owner(exports[file][name[0]] + rest, tries - 1) if tries and name and name[0] in exports[file] else file

    for own, text in code.items():
        uses = re.findall(r"pub(?:\([a-z]+\))? use ([^;]+);", text)
        exports[own] = {name: absolute(path, own) for use in uses for path, name in paths(use)}
    found = {own: set() for own in code}
    for own, text in code.items():
        text = re.sub(r"pub(?:\([a-z]+\))? use [^;]+;", "", text)
        named = [path for use in re.findall(r"\buse ([^;]+);", text) for path, _ in paths(use)]
        named += [path.split("::") for path in re.findall(r"\b(?:crate|super)(?:::\w+)+", text)]
        ours = [path for path in named if path[0] in ("crate", "self", "super") or own + (path[0],) in code]
        found[own] |= {owner(absolute(path, own)) for path in ours} - {own}
    return found


def reached(edges, start):
    seen, due = set(), [start]
    while due:
        due += [file for file in edges[due.pop()] if file not in seen and not seen.add(file)]
    return seen


found = []
for folder in ["core/src", "src", "trace/src", "shim/src", "hostcuda/src"]:
    files = imports(pathlib.Path(folder))
    folders = {file[:1]: set() for file in files}
    for file in files:
        folders[file[:1]] |= {other[:1] for other in files[file]} - {file[:1], ()}
    for edges in files, folders:
        reach = {file: reached(edges, file) for file in edges}
        cycles = {frozenset(other for other in reach[file] if file in reach[other]) for file in edges} - {frozenset()}
        found += [" ".join(sorted("::".join(file) or "lib" for file in cycle)) for cycle in cycles]
print(*(f"these import each other: {cycle}\n" for cycle in found), sep="", end="")
sys.exit(len(found) > 0)
