"""Tasks for Holdfast in Python, and a client for its server. See docs/getting-started-python.md."""

from .app import App, Context, Stopped, Task, TaskError
from .client import Client, Ended, HoldfastError, TaskFailed

__all__ = ["App", "Client", "Context", "Ended", "HoldfastError", "Stopped", "Task", "TaskError", "TaskFailed"]
__version__ = "0.1.0"
