"""The machine: what it is, what else runs on it, and at which priority we run."""
import os
import platform
import re
import subprocess
import tempfile
import time

QUIET_CORES = 0.15  # the share of a core that other programs may use during a measurement


def said(*command):
    """What a command prints; empty when it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def file_system(folder):
    return (said("findmnt", "-no", "FSTYPE", "-T", folder).splitlines() or ["unknown"])[-1]


def model():
    found = re.search(r"^Model name: *(.+)$", said("lscpu"), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def sync_microseconds(folder, times=200):
    """The median time of a fdatasync of 8 KiB."""
    taken = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(times):
            os.pwrite(file.fileno(), b"x" * 8192, 0)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return round(sorted(taken)[times // 2] * 1e6)


def note(folder):
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": os.cpu_count(),
        "model": model(),
        "memory_gb": round(gigabytes),
        "kernel": f"{platform.system()} {platform.release()}",
        "file_system": file_system(folder),
        "sync_us": sync_microseconds(folder),
        "priority": priority(),
    }


def priority():
    """`normal`, or what is unusual about the priority of this process and its children."""
    if os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        return "real-time"
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return "normal" if nice == 0 else f"nice {nice}"


def processor_times():
    with open("/proc/stat", encoding="ascii") as stat:
        times = [int(word) for word in stat.readline().split()[1:9]]  # guests are part of user
    idle = times[3] + times[4]
    return sum(times), idle


def busy_cores(seconds=0.5):
    """How many cores are in use, on average over so many seconds."""
    total, idle = processor_times()
    time.sleep(seconds)
    total_after, idle_after = processor_times()
    share = 1 - (idle_after - idle) / max(1, total_after - total)
    return share * os.cpu_count()


def wait_for_quiet(patience):
    """Waits until the machine is quiet, but not longer than `patience` seconds. Returns the cores in use last."""
    end = time.monotonic() + patience
    while (used := busy_cores()) > QUIET_CORES and time.monotonic() < end:
        pass
    return round(used, 2)


def load():
    return round(os.getloadavg()[0], 2)
