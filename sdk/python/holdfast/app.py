"""Functions as tasks."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from .codec import NotReadable, reader, schema

if TYPE_CHECKING:
    from .client import Client

P = ParamSpec("P")
R = TypeVar("R")


class Stopped(Exception):
    """Raised by a task after cancelled(): it has stopped cleanly. After a drain it runs again at once."""


class TaskError(Exception):
    """Fails a task with a code of its own, which `retry_on` can name, and with data."""

    def __init__(self, code: str, message: str = "", data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Context:
    """The run that a task function is part of. Passed as its parameter `context`."""

    def __init__(self, order: dict[str, Any], tell: Callable[[str, dict[str, Any]], None],
                 look: Callable[[], None]) -> None:
        self.run: str = order["run"]
        self.id: str = order["task"]
        self.name: str = order["name"]
        self.attempt: int = order["attempt"]
        self.timeout: float = order["timeout_ms"] / 1000
        self.last_checkpoint: Any = order.get("checkpoint")
        self.traceparent: str | None = order.get("traceparent")
        self.stop_reason: str | None = None
        """Why the run is to stop: cancel, timeout, drain, fence, lease_lost; None: it is not."""
        self._tell, self._look = tell, look
        self._saw_stop = False
        self._insists = False

    def progress(self, fraction: float, text: str = "") -> None:
        """Shows how far the run is, from 0 to 1."""
        if not 0 <= fraction <= 1:
            raise ValueError(f"progress must be a fraction from 0 to 1, not {fraction}")
        self._tell("progress", {"run": self.run, "fraction": fraction, "text": text})

    def checkpoint(self, state: Any) -> None:
        """Keeps a state, which a later run of the task finds in last_checkpoint."""
        self._tell("checkpoint", {"run": self.run, "state": state})

    def log(self, text: str) -> None:
        """Adds a line to the task's log."""
        self._tell("log", {"run": self.run, "text": text})

    def cancelled(self) -> bool:
        """Whether the run is to stop. A run that has seen this is settled by the stop, whatever it returns."""
        if self.stop_reason is None:
            self._look()
        self._saw_stop = self._saw_stop or self.stop_reason is not None
        return self.stop_reason is not None

    def complete_anyway(self, value: R) -> R:
        """For `return context.complete_anyway(value)`: the value counts, although the run has seen its stop."""
        self._insists = True
        return value


class Task(Generic[P, R]):
    """A function as a task. Calling it calls the function; submit() hands it to Holdfast."""

    def __init__(self, function: Callable[P, R], name: str, policy: dict[str, Any]) -> None:
        self.function, self.name, self.policy = function, name, policy
        self.is_async = inspect.iscoroutinefunction(function)
        self.__doc__ = function.__doc__
        signature = inspect.signature(function)
        hints = typing.get_type_hints(function)
        self.takes_context = "context" in signature.parameters
        parameters = [each for name, each in signature.parameters.items() if name != "context"]
        self.signature = signature.replace(parameters=parameters)
        self._readers = {each.name: reader(hints.get(each.name, Any)) for each in parameters}
        self._hints = hints
        self._required = [each.name for each in parameters if each.default is each.empty
                          and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
        self._takes_any = any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def arguments(self, *args: Any, **kwargs: Any) -> Any:
        """The JSON arguments of a call: an object by the names of the parameters."""
        bound = self.signature.bind(*args, **kwargs)
        if self._takes_any:
            return kwargs if not args else list(args)
        return dict(bound.arguments)

    def submit(self, client: Client, *args: Any, **kwargs: Any) -> str:
        """Submits a call with the policy of the decorator and returns the id of the task."""
        return client.submit(self.name, self.arguments(*args, **kwargs), **self.policy)

    def bind(self, args: Any) -> tuple[list[Any], dict[str, Any]]:
        """JSON arguments as those of the function. Raises NotReadable."""
        if args is None:
            args = {}
        if self._takes_any:
            return ([], args) if isinstance(args, dict) else (args if isinstance(args, list) else [args], {})
        if isinstance(args, dict) and (len(self._readers) != 1 or set(args) <= set(self._readers)):
            given = dict(args)
        else:  # positional: a list, or a single value
            values = args if isinstance(args, list) and len(self._readers) != 1 else [args]
            if len(values) > len(self._readers):
                raise NotReadable("args", f"at most {len(self._readers)} values", args)
            given = dict(zip(self._readers, values))
        bound = {}
        for name, value in given.items():
            read = self._readers.get(name)
            if read is None:
                raise NotReadable(f"args.{name}", "no such member", value)
            bound[name] = read(value, f"args.{name}")
        for name in self._required:
            if name not in bound:
                raise NotReadable(f"args.{name}", "a value", None)
        return [], bound

    def schema(self) -> dict[str, Any]:
        properties = {name: schema(self._hints.get(name, Any)) for name in self._readers}
        return {"type": "object", "properties": properties, "required": self._required}


class App:
    """The tasks of a program. `concurrency`: how many runs one process may have at once; more than 1 is for async
    functions, which then share their process, and its crash."""

    def __init__(self, name: str = "", *, concurrency: int = 1) -> None:
        self.name, self.concurrency = name, concurrency
        self.tasks: dict[str, Task[Any, Any]] = {}

    def task(self, function: Callable[P, R] | None = None, /, *, name: str | None = None, queue: str | None = None,
             retries: int = 0, timeout: str | None = None, on_crash: str | None = None, priority: int | None = None,
             retry: dict[str, Any] | None = None, **options: Any) -> Any:
        """Registers a function as a task, as @app.task or @app.task(retries=3, timeout="5m"). The options are the
        policy of Task.submit(); a task that others submit has theirs."""
        policy = {key: value for key, value in {"queue": queue, "timeout": timeout, "on_crash": on_crash,
                                                "priority": priority, **options}.items() if value is not None}
        if retries or retry:
            policy["retry"] = {"max_attempts": retries + 1, **(retry or {})}

        def register(given: Callable[P, R]) -> Task[P, R]:
            own_name = name or (f"{self.name}.{given.__name__}" if self.name else given.__name__)
            if own_name in self.tasks:
                raise ValueError(f"the task {own_name!r} exists twice; give one of them another name")
            self.tasks[own_name] = Task(given, own_name, policy)
            return self.tasks[own_name]

        return register if function is None else register(function)
