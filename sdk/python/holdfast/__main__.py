"""python3 -m holdfast shop.tasks:app: runs the tasks of an App for a worker."""

import importlib
import os
import sys

from .app import App
from .runner import serve


def main() -> int:
    usage = "usage: python3 -m holdfast MODULE:APP, as the command of `holdfast worker --runner`"
    if len(sys.argv) != 2 or ":" not in sys.argv[1]:
        print(usage, file=sys.stderr)
        return 2
    if "HOLDFAST_RUNNER_FD" not in os.environ:
        print(f"HOLDFAST_RUNNER_FD is not set: only a worker can start this program; {usage}", file=sys.stderr)
        return 2
    module_name, _, app_name = sys.argv[1].partition(":")
    sys.path.insert(0, os.getcwd())
    app = getattr(importlib.import_module(module_name), app_name, None)
    if not isinstance(app, App):
        print(f"{sys.argv[1]} is not a holdfast.App", file=sys.stderr)
        return 2
    serve(app)
    return 0


if __name__ == "__main__":
    sys.exit(main())
