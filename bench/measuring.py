"""Measures one row: the stores and databases it needs, what happens around its command, and its figures."""
import contextlib
import json
import re
import shlex
import subprocess

import services

LIMIT_SECONDS = 900
SHOWN_PLACES = {"{postgres}": "$POSTGRES", "{sqlite}": "sqlite:bench.db", "{server}": "$POSTGRES", "{folder}": ".",
                "{json}": "figures.jsonl"}


def sized(command, short):
    """The command with one of the sizes `A|B`."""
    return re.sub(r"([\d.,]+)\|([\d.,]+)", r"\2" if short else r"\1", command)


def shown(command):
    """The command of a real run, for people."""
    words = sized(command, False)
    for place, name in SHOWN_PLACES.items():
        words = words.replace(place, name)
    return words.replace("peer ", "node bench/peers/measure.mjs ", 1) if words.startswith("peer ") else words


def value_at(path, found):
    """The number at this path of an object: "rounds.-1.claim_p99_ms"."""
    for name in path.split("."):
        try:
            found = found[int(name)] if isinstance(found, list) else found[name]
        except (KeyError, IndexError, TypeError) as fault:
            raise RuntimeError(f"it printed no {path}") from fault
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not found >= 0:
        raise RuntimeError(f"{path} is {found!r}, which is not a figure")
    return found


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# ---- What happens around a command; each adds members to what it printed -----------------------------------------

@contextlib.contextmanager
def wal_per_task(postgres, _database, printed):
    """Bytes of WAL records of the whole server, without full-page images. It must have no other work."""
    postgres.ask("CREATE EXTENSION IF NOT EXISTS pg_walinspect")
    before = postgres.ask("SELECT pg_current_wal_insert_lsn()")
    yield
    after = postgres.ask("SELECT pg_current_wal_flush_lsn()")
    size = postgres.ask(f"SELECT sum(record_size) FROM pg_get_wal_stats('{before}', '{after}')")
    printed["wal_bytes_per_task"] = float(size) / printed["tasks"]


@contextlib.contextmanager
def dead_rows(postgres, database, printed):
    yield
    printed["dead_rows"] = int(postgres.ask(
        "SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname = 'holdfast'", database))


@contextlib.contextmanager
def snapshot(postgres, database, printed):
    with postgres.held_snapshot(database), dead_rows(postgres, database, printed):
        yield


AROUND = {"": lambda *_: contextlib.nullcontext(), "wal": wal_per_task, "dead rows": dead_rows, "snapshot": snapshot}


# ---- Rows ---------------------------------------------------------------------------------------------------------

class Measuring:
    def __init__(self, given, short):
        self.services, self.short = given, short

    def measure(self, topic, row):
        """The figures of one run, in the order of the topic's. Raises RuntimeError with a sentence."""
        printed = self.holdfast(row) if row.is_holdfast else self.peer(row)
        return [value_at(figure.path, printed) for figure in topic.figures]

    def holdfast(self, row):
        """Runs a program of ours. Every store that it is given exists and is empty."""
        given = self.services
        places = {"{server}": given.postgres.uri("postgres"), "{folder}": given.folder,
                  "{json}": f"{given.folder}/figures"}
        with contextlib.ExitStack() as made:
            database = None
            if "{sqlite}" in row.command:
                places["{sqlite}"] = made.enter_context(given.sqlite_store())
                self.migrate(places["{sqlite}"])
            if "{postgres}" in row.command:
                database = made.enter_context(given.postgres.database())
                places["{postgres}"] = given.postgres.uri(database)
                self.migrate(places["{postgres}"])
            return self.on_places(row, places, database)

    def migrate(self, store):
        self.run([self.services.program, "migrate", "--store", store])

    def on_places(self, row, places, database):
        name, *words = shlex.split(sized(row.command, self.short))
        command = [self.services.program_named(name), *(places.get(word, word) for word in words)]
        printed = {}
        with AROUND[row.around](self.services.postgres, database, printed):
            if "{json}" in words:
                self.run(command)
                printed["figures"] = read_lines(places["{json}"])
            else:
                printed.update(self.printed_by(command))
        return printed

    def peer(self, row):
        words = shlex.split(sized(row.command, self.short))[1:]
        command = [services.peer_node(), f"{services.PEERS}/measure.mjs", *words]
        if row.peer == "bullmq":
            return self.printed_by(command, {"REDIS_PORT": str(self.services.emptied_redis().port)})
        if row.peer == "restate":
            with self.services.restate() as environment:
                return self.printed_by(command, environment)
        with self.services.postgres.database() as database:
            return self.printed_by(command, self.services.postgres.environment(database))

    def printed_by(self, command, environment=None):
        output = self.run(command, environment).strip().splitlines()
        try:
            return dict(json.loads(output[-1]))
        except (IndexError, ValueError, TypeError) as fault:
            raise RuntimeError(f"it printed no figures, but {' '.join(output)[:200]!r}") from fault

    def run(self, command, environment=None):
        try:
            return self.services.run(command, environment or {}, LIMIT_SECONDS)
        except subprocess.TimeoutExpired as fault:
            raise RuntimeError(f"it took longer than {LIMIT_SECONDS} s") from fault
