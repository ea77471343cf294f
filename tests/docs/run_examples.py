#!/usr/bin/env python3
"""Runs the examples of a Markdown document, in order, in one empty directory, and compares what they print.

    run_examples.py DOCUMENT        with `holdfast` on PATH and, for C++ examples, the library in PKG_CONFIG_PATH

- ```console: a line "$ COMMAND" is run by one bash for the whole document (variables and cd last); a line "> MORE"
  continues it. The lines after it are what it prints, stdout and stderr together. "..." stands for any text in a line and,
  alone, for any lines; ids, their 8-digit prefixes and times match any other of their kind. No lines: any output is
  accepted. What a task waits for, which --wait says after a second, is not compared. A command exits with 0, or as a
  comment at its end says: "$ holdfast tasks show nonsense  # exits 2". No two lines of one output begin with the same id.
- A block of any language whose first line is a comment with nothing but a file name ("// greet.cc",
  "# holdfast.yaml") is written to that file.
- All other blocks are only shown.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SHAPES = [
    re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    re.compile(r"\b[0-9a-f]{8}\b"),
    re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:\d\d)?"),
]
ANY_TEXT = "..."
REASON = "holdfast: the task "
END = "--- end of example, status"


@dataclass
class Command:
    line: int
    text: str
    status: int = 0
    expected: list = field(default_factory=list)


def blocks(text):
    """Yields (line number of the first content line, language, lines) of each fenced block."""
    start, language, content = 0, None, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```") and language is None:
            start, language, content = number + 1, line[3:].strip(), []
        elif line.startswith("```"):
            yield start, language, content
            language = None
        elif language is not None:
            content.append(line)


def commands(start, lines):
    found = []
    for number, line in enumerate(lines, start):
        if line.startswith("$ "):
            found.append(Command(number, line[2:]))
        elif line.startswith("> ") and found and not found[-1].expected:
            found[-1].text += "\n" + line[2:]
        elif found:
            found[-1].expected.append(line)
    for command in found:
        if declared := re.search(r"\s+# exits (\d+)$", command.text):
            command.status = int(declared[1])
        while command.expected and not command.expected[-1]:
            command.expected.pop()
    return found


def pattern_of(line):
    pattern, rest = "", line
    while rest:
        hits = [hit for hit in (shape.search(rest) for shape in SHAPES) if hit]
        dots = rest.find(ANY_TEXT)
        first = min(hits, key=lambda hit: (hit.start(), -hit.end()), default=None)
        if dots >= 0 and (first is None or dots < first.start()):
            pattern, rest = pattern + re.escape(rest[:dots]) + ".*", rest[dots + len(ANY_TEXT):]
        elif first:
            pattern, rest = pattern + re.escape(rest[: first.start()]) + first.re.pattern, rest[first.end():]
        else:
            pattern, rest = pattern + re.escape(rest), ""
    # Columns grow and shrink with what they hold.
    return re.sub(r"(?:\\ ){2,}", r"\\s+", pattern) + r"\s*"


def repeated_id(lines):
    """An id that begins two lines of one output. The rows of a list must have different ids."""
    found = [row[0] for row in map(SHAPES[0].match, lines) if row]
    return next((one for one in found if found.count(one) > 1), None)


def matches(expected, printed):
    if not expected:
        return True
    pattern = "".join(r"(?:.*\n)*" if line == ANY_TEXT else pattern_of(line) + r"\n" for line in expected)
    return re.fullmatch(pattern, printed) is not None


class Shell:
    def __init__(self, directory):
        self.bash = subprocess.Popen(["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     stderr=subprocess.STDOUT, cwd=directory, start_new_session=True)

    def run(self, command):
        self.bash.stdin.write(f"{{ {command.text}\n}} </dev/null; status=$?; echo; echo '{END}' $status\n")
        self.bash.stdin.flush()
        printed = ""
        for line in self.bash.stdout:
            if line.startswith(END):
                # The echo before the mark ended an unfinished last line, or added an empty one.
                printed = printed[:-1] if printed.endswith("\n\n") or printed == "\n" else printed
                return printed, int(line[len(END):])
            printed += "" if line.startswith(REASON) else line
        raise SystemExit(f"the shell ended during: {command.text}")

    def close(self):
        os.killpg(self.bash.pid, signal.SIGKILL)
        self.bash.wait()


def write_file(lines, directory):
    named = re.fullmatch(r"(?://|#) ([\w.-]+\.\w+)", lines[0]) if lines else None
    if named:
        (directory / named[1]).write_text("\n".join(lines) + "\n")


def complaint(document, command, printed, status):
    said = "".join(f"    {line}\n" for line in printed.splitlines())
    expected = "".join(f"    {line}\n" for line in command.expected)
    return (f"{document}:{command.line}: $ {command.text}\n  printed (status {status}):\n{said}"
            f"  but the document says (status {command.status}):\n{expected}")


def run_document(document):
    failures, ran = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        shell = Shell(scratch)
        try:
            for start, language, lines in blocks(document.read_text()):
                write_file(lines, Path(scratch))
                for command in commands(start, lines) if language == "console" else []:
                    printed, status = shell.run(command)
                    ran += 1
                    if status != command.status or not matches(command.expected, printed):
                        failures.append(complaint(document, command, printed, status))
                    if twice := repeated_id(command.expected):
                        failures.append(f"{document}:{command.line}: two rows have the id {twice}\n")
        finally:
            shell.close()
    return failures, ran


def main():
    failures, ran = run_document(Path(sys.argv[1]))
    print("\n".join(failures), end="")
    print(f"{ran} examples, {len(failures)} wrong")
    sys.exit(1 if failures or not ran else 0)


if __name__ == "__main__":
    main()
