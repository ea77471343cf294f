"""The program's side of docs/runner-protocol.md."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import select
import socket
import sys
import threading
import time
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import __version__
from .app import App, Context, Stopped, Task, TaskError
from .codec import NotReadable, encode

_CHECK_INTERVAL = 1.0
_decode = json.JSONDecoder().decode


class _Code:
    """The source files of the app, and whether they have changed."""

    def __init__(self, app: App) -> None:
        own = os.path.dirname(os.path.abspath(__file__)) + os.sep
        roots = {os.path.dirname(os.path.abspath(sys.modules[task.function.__module__].__file__ or "")) + os.sep
                 for task in app.tasks.values() if sys.modules.get(task.function.__module__)}
        paths = {os.path.abspath(file) for module in list(sys.modules.values())
                 if (file := getattr(module, "__file__", None)) and file.endswith(".py")}
        self._files = sorted(path for path in paths if not path.startswith(own) and path.startswith(tuple(roots)))
        self._stamps = self._look()
        self.hash = self._read()
        self._new_stamps: Any = None
        self._next = time.monotonic() + _CHECK_INTERVAL

    def _look(self) -> list[tuple[int, int] | None]:
        stamps: list[tuple[int, int] | None] = []
        for path in self._files:
            try:
                found = os.stat(path)
                stamps.append((found.st_mtime_ns, found.st_size))
            except OSError:
                stamps.append(None)
        return stamps

    def _read(self) -> str:
        digest = hashlib.sha256()
        for path in self._files:
            try:
                with open(path, "rb") as file:
                    digest.update(path.encode() + b"\0" + file.read() + b"\0")
            except OSError:
                continue
        return digest.hexdigest()[:16]

    def has_changed(self) -> bool:
        """Looks once a second; a change counts when it has stayed the same for two looks."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _CHECK_INTERVAL
        stamps = self._look()
        if stamps == self._stamps:
            return False
        if stamps != self._new_stamps:
            self._new_stamps = stamps
            return False
        if self._read() == self.hash:
            self._stamps = stamps
            return False
        return True


class _Line:
    """The socket to the worker: lines of JSON in both directions."""

    def __init__(self) -> None:
        descriptor = int(os.environ.pop("HOLDFAST_RUNNER_FD"))
        self.most = int(os.environ.get("HOLDFAST_MAX_PAYLOAD_BYTES", 1 << 20))
        os.set_inheritable(descriptor, False)
        self.socket = socket.socket(fileno=descriptor)
        self.socket.setblocking(True)
        self._rest = bytearray()
        self._lock = threading.Lock()

    def send(self, line: str) -> None:
        with self._lock:
            self.socket.sendall(line.encode())

    def receive(self, flags: int = 0) -> list[dict[str, Any]] | None:
        """The messages that have arrived; None: the worker has closed its side."""
        try:
            got = self.socket.recv(1 << 18, flags)
        except (BlockingIOError, InterruptedError):
            return []
        except ConnectionResetError:
            return None
        if not got:
            return None
        self._rest += got
        end = self._rest.rfind(b"\n", max(0, len(self._rest) - len(got)))
        if end < 0:
            return []
        lines = bytes(self._rest[:end]).decode().split("\n")
        del self._rest[:end + 1]
        return [_decode(line) for line in lines]


class _Runs:
    """What both kinds of programs share: how a run's end becomes a message."""

    def __init__(self, app: App) -> None:
        self.app, self.line, self.code = app, _Line(), _Code(app)
        self.is_leaving = False

    def hello(self) -> None:
        tasks = [{"name": task.name, "schema": task.schema()} for task in self.app.tasks.values()]
        self.send(encode({"type": "hello", "protocol": 1, "sdk": f"holdfast-python/{__version__}", "tasks": tasks,
                          "concurrency": self.app.concurrency, "code": self.code.hash}) + "\n")

    def send(self, text: str) -> None:
        self.line.send(text)

    def tell(self, kind: str, members: dict[str, Any]) -> None:
        text = encode({"type": kind, **members})
        if kind == "checkpoint" and len(text.encode()) > self.line.most:
            raise ValueError(f"the checkpoint has more than {self.line.most} bytes")
        if kind == "progress":
            members["text"] = members["text"].encode()[:4000].decode(errors="ignore")
            text = encode({"type": kind, **members})
        self.send(text + "\n")

    def leave_if_changed(self) -> None:
        if not self.is_leaving and self.code.has_changed():
            self.is_leaving = True
            self.send('{"type":"bye","reason":"its code has changed"}\n')

    def completed(self, context: Context, value: Any) -> str:
        try:
            text = encode(value)
            text.encode()
        except (TypeError, ValueError, RecursionError) as defect:
            return self.error(context, "RESULT_NOT_STORABLE", f"the result cannot be stored: {defect}", None)
        size = len(text) if text.isascii() else len(text.encode())
        if size > self.line.most:
            message = f"the result has {size} bytes; allowed are {self.line.most}"
            return self.error(context, "RESULT_TOO_LARGE", message, None)
        seen = ',"saw_stop":true' if context._saw_stop and not context._insists else ""
        return f'{{"type":"result","run":"{context.run}"{seen},"value":{text}}}\n'

    def failed(self, context: Context, failure: BaseException) -> str:
        if isinstance(failure, NotReadable):
            return self.error(context, "ARGS_NOT_READABLE", str(failure), {"path": failure.path})
        if isinstance(failure, TaskError):
            return self.error(context, failure.code, failure.message, failure.data)
        own = failure.__traceback__
        while own is not None and own.tb_frame.f_code.co_filename == __file__:
            own = own.tb_next
        trace = "".join(traceback.format_exception(type(failure), failure, own))[-16_000:]
        kind = type(failure).__name__
        return self.error(context, "TASK_EXCEPTION", f"{kind}: {failure}", {"type": kind, "traceback": trace},
                          stopped=isinstance(failure, Stopped))

    def error(self, context: Context, code: str, message: str, data: Any, stopped: bool = False) -> str:
        members = {"type": "error", "run": context.run, "code": code, "message": message[:16_000], "data": data,
                   "saw_stop": context._saw_stop, "stopped": stopped}
        try:
            text = encode(members)
            text.encode()
        except (TypeError, ValueError, RecursionError):
            members["data"] = repr(data)[:16_000]
            text = json.dumps(members)  # ASCII: whatever the texts contain
        return text + "\n"

    def task_of(self, order: dict[str, Any]) -> Task[Any, Any]:
        task = self.app.tasks.get(order["name"])
        if task is None:
            raise TaskError("TASK_EXCEPTION", f"this program has no function for the task {order['name']!r}")
        return task

    @staticmethod
    def flush() -> None:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue


class _OneByOne(_Runs):
    """Runs sync functions in the main thread. The socket is read again only when a function asks for its stop."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._waiting: deque[dict[str, Any]] = deque()
        self._context: Context | None = None

    def serve(self) -> None:
        self.hello()
        arriving = select.poll()
        arriving.register(self.line.socket, select.POLLIN)
        while True:
            while self._waiting:
                message = self._waiting.popleft()
                if message["type"] == "run":
                    self.send(self._execute(message))
            self.leave_if_changed()
            if not arriving.poll(_CHECK_INTERVAL * 1000):
                continue
            messages = self.line.receive()
            if messages is None:
                return
            self._waiting.extend(messages)

    def _execute(self, order: dict[str, Any]) -> str:
        context = self._context = Context(order, self.tell, self._look)
        try:
            task = self.task_of(order)
            args, kwargs = task.bind(order["args"])
            if task.takes_context:
                kwargs["context"] = context
            answer = self.completed(context, task.function(*args, **kwargs))
        except (Exception, SystemExit, KeyboardInterrupt) as failure:
            answer = self.failed(context, failure)
        self._context = None
        self.flush()
        return answer

    def _look(self) -> None:
        messages = self.line.receive(socket.MSG_DONTWAIT)
        for message in messages or []:
            if message["type"] == "stop":
                if self._context is not None and message["run"] == self._context.run:
                    self._context.stop_reason = message["reason"]
            else:
                self._waiting.append(message)


class _Together(_Runs):
    """Runs async functions in one event loop, and sync functions in threads beside it."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._under_way: dict[str, tuple[Context, asyncio.Task[None]]] = {}
        self._unsent: list[str] = []
        self._threads = ThreadPoolExecutor(max_workers=app.concurrency, thread_name_prefix="holdfast")

    def serve(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        asyncio.run(self._serve())
        os._exit(0)  # a thread that hangs must not keep it

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._ended = asyncio.Event()
        self.hello()
        self._loop.add_reader(self.line.socket.fileno(), self._receive)
        while not self._ended.is_set():
            self.leave_if_changed()
            try:
                await asyncio.wait_for(self._ended.wait(), _CHECK_INTERVAL)
            except TimeoutError:
                continue

    def _receive(self) -> None:
        messages = self.line.receive(socket.MSG_DONTWAIT)
        if messages is None:
            self._loop.remove_reader(self.line.socket.fileno())
            self._ended.set()
            return
        for message in messages:
            if message["type"] == "run":
                context = Context(message, self.tell, lambda: None)
                self._under_way[context.run] = (context, self._loop.create_task(self._execute(message, context)))
            elif message["type"] == "stop" and message["run"] in self._under_way:
                context, run = self._under_way[message["run"]]
                context.stop_reason = message["reason"]
                if self.task_of({"name": context.name}).is_async:
                    context._saw_stop = True
                    run.cancel()

    def send(self, text: str) -> None:
        """From the loop, lines are gathered and sent together at the end of its turn."""
        if getattr(self, "_thread", None) != threading.get_ident():
            return self.line.send(text)
        if not self._unsent:
            self._loop.call_soon(self._send_gathered)
        self._unsent.append(text)

    def _send_gathered(self) -> None:
        lines, self._unsent = self._unsent, []
        self.line.send("".join(lines))

    async def _execute(self, order: dict[str, Any], context: Context) -> None:
        try:
            task = self.task_of(order)
            args, kwargs = task.bind(order["args"])
            if task.takes_context:
                kwargs["context"] = context
            if task.is_async:
                value = await task.function(*args, **kwargs)
            else:
                value = await self._loop.run_in_executor(self._threads, lambda: task.function(*args, **kwargs))
            answer = self.completed(context, value)
        except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt) as failure:
            answer = self.failed(context, failure)
        del self._under_way[context.run]
        if self.app.concurrency == 1:
            self.flush()
        self.send(answer)


def serve(app: App) -> None:
    """Runs the tasks of the app for the worker that has started this process, until that closes the socket."""
    is_async = app.concurrency > 1 or any(task.is_async for task in app.tasks.values())
    (_Together(app) if is_async else _OneByOne(app)).serve()
