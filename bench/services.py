"""What the measurements run on: PostgreSQL, Redis, SQLite files, and the programs of Holdfast and of the peers."""
import contextlib
import itertools
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(ROOT, "bench", "peers")
PEER_PACKAGES = {"graphile": ("", "graphile-worker"), "pgboss": ("", "pg-boss"), "bullmq": ("", "bullmq"),
                 "restate": ("restate", "@restatedev/restate-sdk")}  # the folder in bench/peers, and the package
POSTGRES_SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "4GB"}  # of the server that compare starts
SHOWN_SETTINGS = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "wal_sync_method",
                  "shared_buffers", "max_wal_size", "autovacuum", "wal_level")


class Postgres:
    """A server, by the URI of a superuser."""
    numbers = itertools.count(1)

    def __init__(self, uri):
        self.parts = urllib.parse.urlsplit(uri)
        self.query = dict(urllib.parse.parse_qsl(self.parts.query))
        # How it was set before the measurements: a row may change it for a while.
        self.settings = {name: self.ask(f"SHOW {name}") for name in SHOWN_SETTINGS}

    def uri(self, database):
        return urllib.parse.urlunsplit(self.parts._replace(path="/" + database))

    def environment(self, database):
        """The variables by which the peers find the database."""
        return {"PGHOST": self.query.get("host") or self.parts.hostname or "/var/run/postgresql",
                "PGPORT": str(self.query.get("port") or self.parts.port or 5432),
                "PGUSER": self.parts.username or "postgres", "PGPASSWORD": self.parts.password or "",
                "PGDATABASE": database}

    def ask(self, sql, database="postgres"):
        answer = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.uri(database), "-c", sql],
                                capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            raise RuntimeError(f"PostgreSQL refused {sql!r}: {answer.stderr.strip()}")
        return answer.stdout.strip()

    @contextlib.contextmanager
    def database(self):
        """A new database; what earlier measurements wrote is on disk."""
        name = f"holdfast_compare_{os.getpid()}_{next(self.numbers)}"
        self.ask(f"CREATE DATABASE {name}")
        self.ask("CHECKPOINT")
        try:
            yield name
        finally:
            self.ask(f"DROP DATABASE {name} WITH (FORCE)")

    @contextlib.contextmanager
    def held_snapshot(self, database):
        """A session that has taken a snapshot and keeps it."""
        with subprocess.Popen(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.uri(database)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as session:
            session.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 'held';\n")
            session.stdin.flush()
            if session.stdout.readline().strip() != "held":
                raise RuntimeError("PostgreSQL gave no snapshot")
            try:
                yield
            finally:
                session.stdin.close()
                session.wait()


def free_ports(count):
    with contextlib.ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


class Redis:
    """A private server that writes every change to its file before it answers, in the folder."""

    def __init__(self, folder):
        self.port = free_ports(1)[0]
        home = tempfile.mkdtemp(prefix="redis.", dir=folder)
        self.server = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", home, "--save", "",
             "--appendonly", "yes", "--appendfsync", "always"], stdout=subprocess.DEVNULL)
        self.command("PING")

    def command(self, word, patience=10):
        """Sends one command without arguments, and waits for the server where it is still starting."""
        end = time.monotonic() + patience
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as connection:
                    connection.sendall(f"{word}\r\n".encode())
                    if connection.recv(100).startswith(b"+"):
                        return
            except OSError:
                if self.server.poll() is not None or time.monotonic() > end:
                    raise
            time.sleep(0.02)

    def stop(self):
        self.server.terminate()
        self.server.wait()


class Restate:
    """A private server with its data in the folder."""
    CONFIGURATION = """roles = ["http-ingress", "admin", "worker", "log-server", "metadata-server"]
base-dir = "{home}"
auto-provision = true
disable-telemetry = true
bind-address = "127.0.0.1:{node}"
advertised-address = "http://127.0.0.1:{node}"
[ingress]
bind-address = "127.0.0.1:{ingress}"
[admin]
bind-address = "127.0.0.1:{admin}"
"""

    def __init__(self, folder):
        home = tempfile.mkdtemp(prefix="restate.", dir=folder)
        self.ports = dict(zip(("ingress", "admin", "node"), free_ports(3)))
        with open(f"{home}/server.toml", "w", encoding="utf-8") as file:
            file.write(self.CONFIGURATION.format(home=home, **self.ports))
        with open(f"{home}/log", "w", encoding="utf-8") as log:
            self.server = subprocess.Popen([restate_server(), "-c", f"{home}/server.toml", "--no-logo"], stdout=log,
                                           stderr=log)
        self.await_health("admin", "/health")
        self.await_health("ingress", "/restate/health")

    def await_health(self, port, path, patience=60):
        end = time.monotonic() + patience
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[port]}{path}", timeout=patience):
                    return
            except OSError:
                if self.server.poll() is not None or time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def stop(self):
        self.server.terminate()
        self.server.wait()


class Services:
    """Everything that a row may need."""

    def __init__(self, program, folder, postgres):
        self.program, self.postgres = program, Postgres(postgres)
        os.makedirs(folder, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="compare.", dir=folder)
        self.redis = None

    def close(self):
        """Ends and removes what was made."""
        if self.redis:
            self.redis.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def program_named(self, name):
        """`holdfast`, or one of the programs of proof/bench beside it."""
        return self.program if name == "holdfast" else f"{os.path.dirname(self.program)}/proof/bench/{name}"

    @contextlib.contextmanager
    def restate(self):
        """The variables by which a peer finds a new server."""
        server = Restate(self.folder)
        try:
            yield {"RESTATE_INGRESS": str(server.ports["ingress"]), "RESTATE_ADMIN": str(server.ports["admin"]),
                   "RESTATE_LOGGING": "ERROR"}  # its library would print two lines per job
        finally:
            server.stop()

    def emptied_redis(self):
        self.redis = self.redis or Redis(self.folder)
        self.redis.command("FLUSHALL")
        return self.redis

    @contextlib.contextmanager
    def sqlite_store(self):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            yield f"sqlite:{folder}/bench.db"

    def run(self, command, environment, limit):
        """What the command prints. Its process group ends with it, or after `limit` seconds."""
        with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
            try:
                output, errors = process.communicate(timeout=limit)
            except BaseException:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                raise
        if process.returncode != 0:
            last = (errors.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"it exited with {process.returncode}: {last}")
        return output


def architecture():
    return {"aarch64": "arm64", "x86_64": "x64"}.get(platform.machine(), platform.machine())


def peer_node():
    """The Node of the lock file, or the one that is installed."""
    locked = os.path.join(PEERS, "node_modules", f"node-linux-{architecture()}", "bin", "node")
    return locked if os.path.exists(locked) else shutil.which("node")


def restate_server():
    package = f"restate/node_modules/@restatedev/restate-server-linux-{architecture()}"
    return f"{PEERS}/{package}/bin/restate-server"


def why_missing(peer):
    """A sentence that says what to install before this peer can be measured; None: nothing is missing."""
    folder, package = PEER_PACKAGES[peer]
    place = os.path.join("bench", "peers", folder).rstrip("/")
    if not os.path.isdir(os.path.join(ROOT, place, "node_modules", package)) or not peer_node():
        return f"{package} is not installed: run `npm install --no-save --ignore-scripts --prefix {place}`."
    if peer == "restate" and not os.path.exists(restate_server()):
        return f"The server of Restate has no npm package for this machine ({platform.machine()})."
    if peer == "bullmq" and not shutil.which("redis-server"):
        return f"{package} needs Redis, which is not installed: run `apt-get install redis-server`."
    return None
