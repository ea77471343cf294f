"""What bench/compare measures: a table of topics, and one row per command.

A row is what is compared ("10 slots"), who does it, and the command, which prints one JSON object. A topic names the
figures that every one of its rows reads from that object. `A|B` in a command is A in a real run and B with --short.
{postgres} and {sqlite} stand for a new store, {server} for the PostgreSQL server, {folder} for that of SQLite files;
`peer` is bench/peers/measure.mjs, on a new database. A program that writes its figures to the file {json}, one object
per line, is read as {"figures": [...]}.
"""
from dataclasses import dataclass

HOLDFAST = "Holdfast"


@dataclass(frozen=True)
class Figure:
    label: str
    path: str  # into the printed object: "rounds.0.claim_p99_ms"
    unit: str
    less_is_better: bool = False


@dataclass(frozen=True)
class Row:
    what: str
    who: str
    setting: str
    command: str
    floor: float | None = None  # the first figure must reach this,
    aim: float | None = None    # and should reach this
    around: str = ""            # what happens around the command: see measuring.AROUND

    @property
    def is_holdfast(self):
        return self.who.startswith(HOLDFAST)

    @property
    def peer(self):
        """The file of the peer in bench/peers/, or None."""
        return None if self.is_holdfast else self.command.split()[1]


@dataclass(frozen=True)
class Topic:
    name: str
    title: str
    figures: tuple
    rows: tuple


TASKS = (Figure("tasks/s", "tasks_per_second", "tasks/s"),)
PG, LITE = "Holdfast, PostgreSQL", "Holdfast, SQLite"
GRAPHILE, PGBOSS, BULLMQ, RESTATE = "graphile-worker", "pg-boss", "BullMQ, Redis with AOF always", "Restate"


def holdfast(what, store, setting, words, *targets, around=""):
    command, _, options = words.partition(" ")
    return Row(what, PG if store == "postgres" else LITE, setting,
               f"holdfast bench {command} --store {{{store}}} {options} --json", *targets, around=around)


def peer(what, who, setting, words):
    return Row(what, who, setting, f"peer {words}")


def store_bench(what, store, setting, words):
    command, _, options = words.partition(" ")
    place = "--folder '' --postgres {server}" if store == "postgres" else "--folder {folder}"
    return Row(what, PG if store == "postgres" else LITE, setting,
               f"store_bench {command} {place} {options} --json {{json}}")


def recovery(what, store, death):
    return Row(what, PG if store == "postgres" else LITE, "20 workers at a time",
               f"recovery_bench measure --store {{{store}}} --death {death} --kills 60|2 --at-once 20|2 --json")


def drain(what, store, slots, tasks, *targets, isolation="thread", workers=1):
    setting = f"{workers} worker{'s' * (workers > 1)} of {slots} slots, isolation {isolation}"
    many = f" --workers {workers}" if workers > 1 else ""
    words = f"drain --isolation {isolation} --concurrency {slots}{many} --tasks {tasks}"
    return holdfast(what, store, setting, words, *targets)


def submit(what, store, options, *targets):
    return holdfast(what, store, "", f"submit {options} --seconds 5|0.3", *targets)


def latency(what, store, rate, *targets, isolation="thread"):
    words = f"latency --isolation {isolation} --concurrency 10 --rate {rate} --seconds 10|0.5"
    return holdfast(what, store, f"10 slots, isolation {isolation}", words, *targets)


BACKLOG = "100000|300"
BURST = "localConcurrency=2 burstWhenBatchFull=true"

TOPICS = (
    Topic("drain", "A backlog through whole workers", TASKS, (
        drain("backlog", "postgres", 500, BACKLOG, 75e3, 115e3),
        peer("backlog", GRAPHILE, "2 processes of 24 jobs, local queues of 2,000",
             f"graphile drain processes=2 jobs=24 localQueue=2000 tasks={BACKLOG}"),
        drain("backlog", "postgres", 2000, BACKLOG, 75e3, 115e3),
        peer("backlog", PGBOSS, "2 processes, batches of 1,000",
             f"pgboss drain processes=2 batchSize=1000 {BURST} tasks={BACKLOG}"),
        drain("backlog", "postgres", 500, BACKLOG, 75e3, 115e3, workers=2),
        peer("backlog", BULLMQ, "2 processes of 200 jobs",
             "bullmq drain processes=2 concurrency=200 tasks=20000|300"),
        drain("backlog", "sqlite", 300, BACKLOG, 80e3, 100e3),
    )),
    Topic("verbs", "A backlog by the verbs of the store", (
        Figure("round 1", "rounds.0", "tasks/s"),
        Figure("round 3", "rounds.-1", "tasks/s"),
        Figure("round 3 / round 1", "last_to_first", ""),
    ), (
        holdfast("backlog", "postgres", "2 connections, 1,000 per claim",
                 f"verbs --connections 2 --batch 1000 --tasks {BACKLOG} --rounds 3", 90e3, 115e3),
        holdfast("backlog", "sqlite", "1 connection, 1,000 per claim",
                 f"verbs --connections 1 --batch 1000 --tasks {BACKLOG} --rounds 3"),
    )),
    Topic("slots", "Workers of every size", TASKS, (
        drain("10 slots", "postgres", 10, "50000|200", 12e3, 18e3),
        peer("10 slots", GRAPHILE, "10 jobs", "graphile drain jobs=10 tasks=10000|200"),
        drain("100 slots", "postgres", 100, BACKLOG, 45e3, 60e3),
        peer("100 slots", GRAPHILE, "24 jobs, local queue of 500",
             "graphile drain jobs=24 localQueue=500 tasks=50000|300"),
        drain("500 slots", "postgres", 500, BACKLOG, 65e3, 85e3),
        drain("10 slots", "sqlite", 10, "50000|200", 28e3, 40e3),
        drain("100 slots", "sqlite", 100, BACKLOG, 70e3, 90e3),
        drain("300 slots", "sqlite", 300, BACKLOG, 80e3, 100e3),
        drain("1000 slots", "sqlite", 1000, "100000|1500", 76e3, 95e3),
    )),
    Topic("process", "Every task in a process", TASKS, (
        drain("10 slots", "sqlite", 10, "50000|200", 20e3, 25e3, isolation="process"),
        drain("32 slots", "sqlite", 32, "50000|200", 28e3, 40e3, isolation="process"),
        drain("10 slots", "postgres", 10, "30000|200", 8e3, 12e3, isolation="process"),
        drain("32 slots", "postgres", 32, "30000|200", 14e3, 25e3, isolation="process"),
    )),
    Topic("submit", "Single submits", TASKS, (
        submit("1 client", "postgres", "--clients 1", 7.5e3, 8e3),
        peer("1 client", GRAPHILE, "", "graphile submit clients=1 seconds=5|0.3"),
        submit("8 processes", "postgres", "--clients 8 --as processes", 10e3, 16e3),
        peer("8 processes", GRAPHILE, "", "graphile submit clients=8 as=processes seconds=5|0.3"),
        submit("8 threads", "postgres", "--clients 8 --as threads", 14e3, 16e3),
        peer("8 threads", GRAPHILE, "8 calls at once, 12 connections",
             "graphile submit clients=8 as=threads seconds=5|0.3"),
        submit("1 client", "sqlite", "--clients 1", 13e3, 15e3),
        peer("1 client", BULLMQ, "", "bullmq submit clients=1 seconds=5|0.3"),
        submit("8 processes", "sqlite", "--clients 8 --as processes", 13e3, 20e3),
        peer("8 processes", BULLMQ, "", "bullmq submit clients=8 as=processes seconds=5|0.3"),
        submit("8 threads", "sqlite", "--clients 8 --as threads", 13e3, 20e3),
        peer("1 client", RESTATE, "", "restate submit clients=1 seconds=5|0.3"),
        peer("8 processes", RESTATE, "", "restate submit clients=8 as=processes seconds=5|0.3"),
        peer("1 client", PGBOSS, "", "pgboss submit clients=1 seconds=5|0.3"),
    )),
    Topic("bulk", "Bulk submits, 1,000 tasks per call", TASKS, (
        submit("1 client", "postgres", "--batch 1000", 90e3, 110e3),
        peer("1 client", GRAPHILE, "addJobs", "graphile submit batch=1000 seconds=5|0.3"),
        submit("1 client", "sqlite", "--batch 1000"),
        peer("1 client", PGBOSS, "insert", "pgboss submit batch=1000 seconds=5|0.3"),
        peer("1 client", BULLMQ, "addBulk", "bullmq submit batch=1000 seconds=5|0.3"),
    )),
    Topic("latency", "From the submit to the first instruction", (
        Figure("p50", "latency_p50_ms", "ms", less_is_better=True),
        Figure("p99", "latency_p99_ms", "ms", less_is_better=True),
        Figure("rate reached", "rate_reached", "tasks/s"),
    ), (
        latency("50/s", "postgres", 50, 0.9, 0.7),
        peer("50/s", GRAPHILE, "10 jobs", "graphile latency rate=50 seconds=10|0.5 jobs=10"),
        latency("50/s", "sqlite", 50, 0.6, 0.4),
        peer("50/s", PGBOSS, "10 workers", "pgboss latency rate=50 seconds=10|0.5 localConcurrency=10"),
        latency("200/s", "postgres", 200, 0.9, 0.7),
        peer("200/s", GRAPHILE, "10 jobs", "graphile latency rate=200 seconds=10|0.5 jobs=10"),
        latency("200/s", "sqlite", 200, 0.6, 0.4),
        peer("50/s", BULLMQ, "10 jobs", "bullmq latency rate=50 seconds=10|0.5 concurrency=10"),
        peer("50/s", RESTATE, "", "restate latency rate=50 seconds=10|0.5"),
        latency("1000/s", "postgres", 1000),
        peer("1000/s", GRAPHILE, "10 jobs", "graphile latency rate=1000 seconds=10|0.5 jobs=10"),
        latency("1000/s", "sqlite", 1000),
        latency("50/s, isolation process", "postgres", 50, isolation="process"),
        latency("50/s, isolation process", "sqlite", 50, isolation="process"),
    )),
    Topic("chain", "A step of a job whose steps follow each other",
          (Figure("a step", "step_ms", "ms", less_is_better=True),), (
        holdfast("chain", "postgres", "", "chain --isolation thread --steps 1000|20", 1.2, 0.9),
        peer("chain", RESTATE, "", "restate chain steps=1000|20"),
        holdfast("chain", "sqlite", "", "chain --isolation thread --steps 1000|20", 0.3, 0.2),
    )),
    Topic("wal", "WAL of PostgreSQL per task, from the submit to the end, without full-page images",
          (Figure("WAL per task", "wal_bytes_per_task", "bytes", less_is_better=True),), (
        holdfast("WAL", "postgres", "1 worker of 500 slots",
                 f"drain --isolation thread --concurrency 500 --tasks {BACKLOG}", 1150, 1000, around="wal"),
    )),
    Topic("snapshot", "While another session of PostgreSQL holds a snapshot", (
        Figure("round 1", "rounds.0.tasks_per_second", "tasks/s"),
        Figure("slowest / round 1", "slowest_to_first", ""),
        Figure("claim p50, round 1", "rounds.0.claim_p50_ms", "ms", less_is_better=True),
        Figure("claim p50, last", "rounds.-1.claim_p50_ms", "ms", less_is_better=True),
        Figure("claim p99, round 1", "rounds.0.claim_p99_ms", "ms", less_is_better=True),
        Figure("claim p99, last", "rounds.-1.claim_p99_ms", "ms", less_is_better=True),
        Figure("dead rows", "dead_rows", "", less_is_better=True),
    ), (
        holdfast("snapshot held", "postgres", "1 worker of 200 slots, 10 rounds",
                 f"drain --isolation thread --concurrency 200 --tasks {BACKLOG} --rounds 10|2", around="snapshot"),
        holdfast("no snapshot held", "postgres", "1 worker of 200 slots, 10 rounds",
                 f"drain --isolation thread --concurrency 200 --tasks {BACKLOG} --rounds 10|2", around="dead rows"),
    )),    Topic("claim", "A claim of 50 tasks, whatever else waits", (
        Figure("10,000 pending", "figures.0.value", "us", less_is_better=True),
        Figure("1,000,000 pending", "figures.1.value", "us", less_is_better=True),
        Figure("behind 100,000 with a full key", "figures.5.value", "us", less_is_better=True),
    ), tuple(
        store_bench("a claim", store, "1 connection",
                    "claim --pending 10000,1000000|400,800 --unrunnable 100000|200 --claims 100|5 --batch 50|20")
        for store in ("postgres", "sqlite"))),
    Topic("beats", "A worker's heartbeat, while 8 processes submit 1,000 tasks at a time without a pause", (
        Figure("p50", "figures.0.value", "ms", less_is_better=True),
        Figure("p99", "figures.1.value", "ms", less_is_better=True),
        Figure("longest", "figures.2.value", "ms", less_is_better=True),
        Figure("p50 alone", "figures.0.compared_with", "ms", less_is_better=True),
    ), tuple(
        store_bench("a heartbeat", store, "", "beats --writers 8|2 --batch 1000|50 --beats 200|20")
        for store in ("postgres", "sqlite"))),
    Topic("recovery", "From a death until the task runs again elsewhere", (
        Figure("p50", "again.p50_ms", "ms", less_is_better=True),
        Figure("p99", "again.p99_ms", "ms", less_is_better=True),
        Figure("longest", "again.longest_ms", "ms", less_is_better=True),
    ), (
        recovery("kill -9 of a worker", "postgres", "worker"),
        recovery("kill -9 of a worker", "sqlite", "worker"),
        recovery("kill -9 of a runner", "postgres", "runner"),
        recovery("kill -9 of a runner", "sqlite", "runner"),
    )),
)
