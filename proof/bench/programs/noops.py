"""The tasks of `holdfast bench` in Python: python3 -m holdfast noops:one, or noops:many for 50 runs in a process."""

import time

from holdfast import App

one = App("holdfast")
many = App("holdfast", concurrency=50)


@one.task
def noop() -> None:
    return None


@one.task
def stamp() -> int:
    return time.time_ns() // 1000


@many.task(name="holdfast.noop")
async def async_noop() -> None:
    return None


@many.task(name="holdfast.stamp")
async def async_stamp() -> int:
    return time.time_ns() // 1000
