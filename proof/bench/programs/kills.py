"""How fast a task is settled whose Python process was killed: from kill -9 to the answer that a waiting client gets.

    PYTHONPATH=sdk/python python3 proof/bench/programs/kills.py build/release/holdfast [KILLS]

Starts a server and a worker on a new SQLite file.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

from holdfast import App, Client

app = App("kills")


@app.task
def hold(path: str) -> None:
    with open(path + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(path + ".new", path)
    signal.pause()


def settle_times(client: Client, folder: str, kills: int) -> list[float]:
    times = []
    for number in range(kills):
        path = f"{folder}/pid-{number}"
        task = hold.submit(client, path)
        while not os.path.exists(path):
            time.sleep(0.001)
        ended: list[float] = []
        waiter = threading.Thread(target=lambda: (client.wait(task), ended.append(time.monotonic())))
        waiter.start()
        time.sleep(0.05)  # the client waits
        with open(path) as file:
            pid = int(file.read())
        killed = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        waiter.join()
        times.append((ended[0] - killed) * 1000)
    return sorted(times)


def main() -> None:
    program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        store = ["--store", f"sqlite:{folder}/kills.db"]
        server = subprocess.Popen([program, "server", "--port", "0", *store], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        url = server.stdout.readline().split()[-1]  # type: ignore[union-attr]
        worker = subprocess.Popen([program, "worker", *store, "--runner", "python3 -m holdfast kills:app"], cwd=here,
                                  stderr=subprocess.DEVNULL)
        try:
            times = settle_times(Client(url), folder, kills)
        finally:
            for process in (worker, server):
                process.terminate()
                process.wait()
    print(f"{kills} kills: p50 {times[len(times) // 2]:.1f} ms, p99 {times[int(len(times) * 0.99)]:.1f} ms, "
          f"maximum {times[-1]:.1f} ms")


if __name__ == "__main__":
    main()
