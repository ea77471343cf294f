#!/usr/bin/env python3
"""Checks every ```yaml block of a Markdown document with the program.

    check_yaml.py DOCUMENT          with `holdfast` on PATH

- A block of sections of holdfast.yaml is a file on its own. If the page has written a holdfast.yaml before (a block that
  begins with "# holdfast.yaml", or `cat > holdfast.yaml` in an example) with other sections, the block is checked as an addition to it.
- A block of step keys is checked as a step that depends on a step named `fetch`.
- A block that begins with the name of another file ("# prometheus.yml") is for another program.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from run_examples import blocks, commands

def top_keys(text):
    return set(re.findall(r"^([\w-]+):", text, re.MULTILINE))


def file_name(text):
    named = re.match(r"# ([\w.-]+\.\w+)\n", text)
    return named[1] if named else "holdfast.yaml"


def written_by(start, lines):
    """The holdfast.yaml that the examples of a block write, or None."""
    for command in commands(start, lines):
        if written := re.fullmatch(r"cat > holdfast\.yaml <<'(\w+)'\n(.*\n)\1", command.text, re.DOTALL):
            return written[2]
    return None


def as_step(text):
    indented = "".join(f"        {line}\n" for line in text.splitlines())
    return "workflows:\n  page:\n    steps:\n      fetch: { task: fetch }\n      shown:\n        task: shown\n" \
           "        depends_on: fetch\n" + indented


def as_file(text, page_file):
    keys = top_keys(text)
    if not keys <= sections():
        return as_step(text)
    return text if keys & top_keys(page_file) else page_file + text


def sections():
    """The sections of holdfast.yaml, as the program lists them in its message about an unknown one."""
    return set(re.search(r"allowed: (.*)", complaint_about("no-section: 1\n"))[1].split(", "))


def complaint_about(text):
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "holdfast.yaml").write_text(text)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        checked = subprocess.run(["holdfast", "config", "check"], cwd=scratch, env=environment, capture_output=True,
                                 text=True)
    return checked.stderr if checked.returncode else ""


def main():
    document = Path(sys.argv[1])
    page_file, checked, wrong = "", 0, 0
    for start, language, lines in blocks(document.read_text()):
        text = "\n".join(lines) + "\n"
        if language == "console":
            page_file = written_by(start, lines) or page_file
        if language != "yaml" or file_name(text) != "holdfast.yaml":
            continue
        checked += 1
        if complaint := complaint_about(as_file(text, page_file)):
            wrong += 1
            print(f"{document}:{start}: the program refuses this block:\n{complaint}", end="")
        if text.startswith("# holdfast.yaml\n"):
            page_file = text
    print(f"{checked} blocks of YAML, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
