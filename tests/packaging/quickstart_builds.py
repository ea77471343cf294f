#!/usr/bin/env python3
"""quickstart_builds.py SOURCE BUILD: whatever `cmake --install` takes from BUILD is made by the targets that ./quickstart
builds, or by CMake itself, so that the install that the documents show works after ./quickstart."""
import re
import sys
from pathlib import Path


def words(text):
    """Paths of a build statement: blanks and colons in them are written "$ " and "$:"."""
    return [re.sub(r"\$([ :$])", r"\1", word) for word in re.findall(r"(?:\$.|[^ $|])+", text)]


def edges_of(build):
    """(outputs, inputs) of each build statement."""
    text = (build / "build.ninja").read_text().replace("$\n", "")
    for line in re.findall(r"^build (.*)$", text, re.MULTILINE):
        outputs, _, inputs = re.match(r"((?:\$.|[^:$])*)(:)(.*)", line).groups()
        yield words(outputs), words(inputs)[1:]


def made_by(targets, edges):
    edge_of = {output: edge for edge in edges for output in edge[0]}
    made, waiting = set(), list(targets)
    while waiting:
        edge = edge_of.get(waiting.pop())
        if edge and not made.issuperset(edge[0]):
            made.update(edge[0])
            waiting.extend(edge[1])
    return made


def installed_from(build):
    found = set()
    for script in build.rglob("cmake_install.cmake"):
        found.update(re.findall(rf'"{re.escape(str(build))}/([^"$]*)"', script.read_text()))
    return {path for path in found if not path.endswith("cmake_install.cmake")}


def main():
    source, build = Path(sys.argv[1]), Path(sys.argv[2])
    targets = re.search(r"^cmake --build --preset release --target (.*)$", (source / "quickstart").read_text(), re.M)[1].split()
    edges = list(edges_of(build))
    relative = lambda paths: {path.removeprefix(f"{build}/").removeprefix("${cmake_ninja_workdir}") for path in paths}
    made_at_all = relative(output for outputs, _ in edges for output in outputs)
    missing = (installed_from(build) & made_at_all) - relative(made_by(targets, edges))
    for path in sorted(missing):
        print(f"installed, but not built by ./quickstart: {path}")
    print(f"{len(installed_from(build))} paths are installed from the build")
    sys.exit(1 if missing or len(installed_from(build)) < 5 else 0)


if __name__ == "__main__":
    main()
