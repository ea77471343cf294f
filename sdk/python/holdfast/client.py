"""A client of a Holdfast server, over its HTTP API."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import threading
import time
import urllib.parse
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .codec import encode



class HoldfastError(Exception):
    """The server has refused a request, or cannot be reached (status 0)."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


@dataclass
class Ended:
    """A task or job that has ended. `record` is the object that `--json` prints."""

    id: str
    state: str
    result: Any
    error: dict[str, Any] | None
    record: dict[str, Any]


class TaskFailed(Exception):
    """A task did not complete."""

    def __init__(self, ended: Ended) -> None:
        error = ended.error or {}
        super().__init__(f"{ended.id} is {ended.state}: {error.get('code', '')} {error.get('message', '')}".strip())
        self.ended = ended


def new_id() -> str:
    """A UUIDv7. A submit with an id can be repeated: it is accepted once."""
    milliseconds = time.time_ns() // 1_000_000
    number = (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | int.from_bytes(os.urandom(10), "big") & (1 << 76) - 1
    return str(uuid.UUID(int=number & ~(3 << 62) | 2 << 62))


class Client:
    """Submits and controls tasks, jobs and schedules. Every call may be made from any thread. A request whose answer
    is lost, or that a busy server refuses, is repeated for up to `patience` seconds: each one is safe to repeat."""

    def __init__(self, url: str = "http://127.0.0.1:7070", token: str | None = None, *, ca_file: str | None = None,
                 patience: float = 10.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"the URL of a server is http://HOST:PORT or https://HOST:PORT, not {url!r}")
        self._is_tls, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._tls = ssl.create_default_context(cafile=ca_file) if self._is_tls else None
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._patience = patience
        self._local = threading.local()

    # ---- Tasks

    def submit(self, name: str, args: Any = None, *, id: str | None = None, **options: Any) -> str:
        """Submits a task and returns its id. The options are those of docs/api.md: queue, timeout, retry ..."""
        return self._call("POST", "/api/tasks", {"name": name, "args": args, "id": id or new_id(), **options})["id"]

    def submit_many(self, tasks: Iterable[dict[str, Any]]) -> list[str]:
        """Submits tasks, each an object such as {"name", "args", "queue"}, and returns their ids in this order.
        Raises HoldfastError when one of them is refused; the others are accepted."""
        all_tasks = [{"id": new_id(), **each} for each in tasks]
        ids: list[str] = []
        refused: list[str] = []
        for start in range(0, len(all_tasks), 1000):
            answer = self._call("POST", "/api/tasks", {"tasks": all_tasks[start:start + 1000]})
            for index, item in enumerate(answer["items"], start):
                ids.append(item["id"])
                if item["status"] not in ("accepted", "existing"):
                    refused.append(f"tasks[{index}]: {item['status']}: {item.get('detail')}")
        if refused:
            raise HoldfastError(422, "REFUSED", "; ".join(refused))
        return ids

    def get(self, id: str) -> dict[str, Any]:
        """The task as it is now."""
        return self._call("GET", f"/api/tasks/{_quoted(id)}")["task"]

    def wait(self, id: str, timeout: float | None = None) -> Ended:
        """Waits until the task has ended. Raises TimeoutError after `timeout` seconds."""
        return self._wait("tasks", "task", id, timeout)

    def result(self, id: str, timeout: float | None = None) -> Any:
        """The result of the task, when it has one. Raises TaskFailed."""
        ended = self.wait(id, timeout)
        if ended.state != "COMPLETED":
            raise TaskFailed(ended)
        return ended.result

    def cancel(self, id: str, reason: str = "") -> str:
        """Cancels the task; "requested" means that its run is asked to stop."""
        return self._call("POST", f"/api/tasks/{_quoted(id)}/cancel", {"reason": reason})["status"]

    def logs(self, id: str) -> list[dict[str, Any]]:
        return self._call("GET", f"/api/tasks/{_quoted(id)}/logs?limit=1000")["items"]

    # ---- Jobs and schedules

    def run_workflow(self, workflow: str, input: Any = None, *, id: str | None = None) -> str:
        """Starts a job of a workflow of the server's catalog and returns its id."""
        body = {"workflow": workflow, "input": {} if input is None else input, "id": id or new_id()}
        return self._call("POST", "/api/jobs", body)["id"]

    def get_job(self, id: str) -> dict[str, Any]:
        return self._call("GET", f"/api/jobs/{_quoted(id)}")

    def wait_job(self, id: str, timeout: float | None = None) -> Ended:
        return self._wait("jobs", "job", id, timeout)

    def cancel_job(self, id: str, reason: str = "") -> str:
        return self._call("POST", f"/api/jobs/{_quoted(id)}/cancel", {"reason": reason})["status"]

    def schedules(self) -> list[dict[str, Any]]:
        return self._call("GET", "/api/schedules")["items"]

    def pause_schedule(self, name: str, reason: str = "") -> None:
        self._call("POST", f"/api/schedules/{_quoted(name)}/pause", {"reason": reason})

    def resume_schedule(self, name: str, reason: str = "") -> None:
        self._call("POST", f"/api/schedules/{_quoted(name)}/resume", {"reason": reason})

    def run_schedule(self, name: str) -> str:
        """Starts the job of a schedule now and returns its id."""
        return self._call("POST", f"/api/schedules/{_quoted(name)}/run", {})["id"]

    # ---- Requests

    def _wait(self, kind: str, member: str, id: str, timeout: float | None) -> Ended:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = 50.0 if deadline is None else min(50.0, deadline - time.monotonic())
            path = f"/api/{kind}/{_quoted(id)}/wait?timeout={max(int(left * 1000), 1)}ms"
            answer = self._call("GET", path)
            record = answer[member]
            if not answer["timed_out"]:
                return Ended(record["id"], record["state"], record.get("result"), record.get("error"), record)
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"{id} is {record['state']} after {timeout} s")

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        content = None if body is None else encode(body).encode()
        deadline = time.monotonic() + self._patience
        pause = 0.05
        while True:
            try:
                status, answer, retry_after = self._request(method, path, content)
                if status < 300:
                    return json.loads(answer)
                failure = _failure(status, answer)
                if status not in (429, 503):
                    raise failure
                pause = max(pause, retry_after)
            except (OSError, http.client.HTTPException) as fault:
                self._local.connection = None
                failure = HoldfastError(0, "UNREACHABLE", f"the server {self._host}:{self._port} cannot be reached: "
                                                          f"{fault}")
            if time.monotonic() + pause > deadline:
                raise failure
            time.sleep(pause)
            pause = min(pause * 2, 2.0)

    def _request(self, method: str, path: str, content: bytes | None) -> tuple[int, bytes, float]:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            if self._tls is not None:
                connection = http.client.HTTPSConnection(self._host, self._port, timeout=90, context=self._tls)
            else:
                connection = http.client.HTTPConnection(self._host, self._port, timeout=90)
            self._local.connection = connection
        connection.request(method, path, content, self._headers)
        answer = connection.getresponse()
        wait = answer.headers.get("retry-after", "0")
        return answer.status, answer.read(), float(wait) if wait.isdigit() else 0.0


def _quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


def _failure(status: int, answer: bytes) -> HoldfastError:
    try:
        problem = json.loads(answer)
        return HoldfastError(status, problem["code"], problem.get("detail") or problem.get("title", ""))
    except (ValueError, KeyError, TypeError):
        return HoldfastError(status, "NOT_A_HOLDFAST", f"status {status}, and not an answer of a Holdfast server")
