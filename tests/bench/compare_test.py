#!/usr/bin/env python3
"""compare_test.py SOURCE_DIR: the parts of bench/compare that need no program or server."""
import copy
import json
import os
import sys
import unittest

SOURCE = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "bench"))
# pylint: disable=wrong-import-position
import machine
import measuring
import report
import rows
import services


def record(topic, row, rounds=3):
    values = [[float(10 * number + turn) for turn in range(1, rounds + 1)]
              for number, _ in enumerate(topic.figures, 1)]
    return {"what": row.what, "who": row.who, "setting": row.setting, "command": measuring.shown(row.command),
            "is_holdfast": row.is_holdfast, "floor": row.floor, "aim": row.aim, "values": values,
            "runs": [{"load": 0.0, "busy_cores": 0.0, "busy": False}] * rounds}


def figures():
    """A file of figures with nothing wrong in it."""
    topics = [{"name": topic.name, "title": topic.title,
               "figures": [{"label": figure.label, "unit": figure.unit, "less_is_better": figure.less_is_better}
                           for figure in topic.figures],
               "rows": [record(topic, row) for row in topic.rows]} for topic in rows.TOPICS]
    return {"made": "2030-01-31T08:30:00+00:00", "short": False, "rounds": 3, "commit": "0123456789",
            "changed": False,
            "machine": {"cores": 2, "model": "Test", "memory_gb": 8, "kernel": "Linux 6", "file_system": "ext4",
                        "sync_us": 33, "priority": "normal"},
            "postgres": {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "file_system": "ext4"},
            "missing": [], "failures": [], "topics": topics}


def text():
    with open(os.path.join(SOURCE, "bench", "performance.md"), encoding="utf-8") as file:
        return file.read()


class Document(unittest.TestCase):
    def test_has_every_figure_with_its_command(self):
        made = report.document(figures(), text())
        self.assertNotIn("{{", made)
        for topic in rows.TOPICS:
            for row in topic.rows:
                line = next(line for line in made.splitlines()
                            if line.startswith(f"| {row.what} | {row.who} | {row.setting} |") and
                            f"`{measuring.shown(row.command)}`" in line)
                for number, _ in enumerate(topic.figures, 1):
                    self.assertIn(f"{10 * number + 2}.00 ({10 * number + 1}.00 – {10 * number + 3}.00)", line)

    def test_names_the_peers_that_were_not_installed(self):
        data = {**figures(), "missing": ["pg-boss is not installed: run npm."]}
        self.assertIn("Not in the tables: pg-boss is not installed: run npm.", report.document(data, text()))

    def test_that_is_published_is_made_of_its_figures(self):
        with open(os.path.join(SOURCE, "docs", "performance.md"), encoding="utf-8") as file:
            published = file.read()
        path = os.path.join(SOURCE, "bench", "figures.json")
        self.assertEqual(os.path.exists(path), "`bench/compare --document`" in published)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            self.assertEqual(report.faults(data), [])
            self.assertEqual(report.document(data, text()), published)

    def test_is_refused_without_a_place_for_a_table(self):
        with self.assertRaisesRegex(ValueError, "table snapshot"):
            report.document(figures(), text().replace("{{table snapshot}}", ""))

    def test_accepts_a_whole_quiet_run(self):
        self.assertEqual(report.faults(figures()), [])

    def test_refuses_every_run_that_may_not_be_published(self):
        spoilt = {
            "short": lambda data: data.update(short=True),
            "fewer than three": lambda data: data.update(rounds=2),
            "real-time priority": lambda data: data["machine"].update(priority="real-time"),
            "local changes": lambda data: data.update(changed=True),
            "fsync off": lambda data: data["postgres"].update(fsync="off"),
            "in memory": lambda data: data["postgres"].update(file_system="tmpfs"),
            "No figure: chain": lambda data: data["failures"].append("chain: it exited with 1"),
            "busy during: drain": lambda data: data["topics"][0]["rows"][0].update(
                runs=[{"load": 9.0, "busy_cores": 1.9, "busy": True}]),
        }
        for reason, spoil in spoilt.items():
            data = copy.deepcopy(figures())
            spoil(data)
            with self.subTest(reason):
                self.assertEqual(len([fault for fault in report.faults(data) if reason in fault]), 1)


class Tables(unittest.TestCase):
    topic = {"figures": [{"label": "p50", "unit": "ms", "less_is_better": True}], "title": "", "rows": []}

    def row(self, is_holdfast, *values, floor=None, aim=None, what="50/s"):
        return {"what": what, "who": "", "setting": "", "is_holdfast": is_holdfast, "floor": floor, "aim": aim,
                "values": [list(values)], "runs": []}

    def test_compare_with_the_fastest_peer_of_the_same_measure(self):
        own = self.row(True, 2.0)
        rows_of_topic = [own, self.row(False, 4.0), self.row(False, 3.0), self.row(False, 1.0, what="200/s")]
        self.assertAlmostEqual(report.times_the_best_peer({**self.topic, "rows": rows_of_topic}, own), 1.5)
        faster = {"figures": [{**self.topic["figures"][0], "less_is_better": False}], "rows": rows_of_topic}
        self.assertAlmostEqual(report.times_the_best_peer(faster, own), 0.5)

    def test_say_which_target_the_median_reaches(self):
        for value, verdict in ((1.0, "reaches its aim"), (2.0, "reaches its floor"), (2.1, "MISSES its floor")):
            self.assertIn(verdict, report.verdict(self.topic, self.row(True, value, floor=2.0, aim=1.0)))

    def test_mark_a_busy_machine(self):
        busy = {**self.row(True, 1.0), "runs": [{"load": 1, "busy_cores": 1, "busy": True}]}
        self.assertIn("BUSY", report.text_table({**self.topic, "rows": [busy]}))


class Rows(unittest.TestCase):
    def test_are_unique_and_each_peer_has_its_program(self):
        commands = [row.command + row.around for topic in rows.TOPICS for row in topic.rows]
        for topic in rows.TOPICS:
            names = [(row.what, row.who, row.setting) for row in topic.rows]
            self.assertEqual(len(names), len(set(names)), topic.name)
        programs = ("holdfast bench ", "store_bench ", "recovery_bench ", "peer ")
        self.assertTrue(all(command.startswith(programs) for command in commands))
        for peer in {row.peer for topic in rows.TOPICS for row in topic.rows if row.peer}:
            folder, _ = services.PEER_PACKAGES[peer]
            program = f"{folder}/peer.mjs" if folder else f"{peer}.mjs"
            self.assertTrue(os.path.exists(os.path.join(services.PEERS, program)), peer)

    def test_have_a_real_and_a_short_size(self):
        self.assertEqual(measuring.sized("--tasks 100000|300 --seconds 5|0.3", False), "--tasks 100000 --seconds 5")
        self.assertEqual(measuring.sized("--tasks 100000|300 --seconds 5|0.3", True), "--tasks 300 --seconds 0.3")
        self.assertEqual(measuring.sized("--pending 10000,1000000|400,800", True), "--pending 400,800")

    def test_without_a_figure_fail(self):
        printed = {"rounds": [{"rate": 1}, {"rate": 2}], "none": None, "text": "5", "negative": -1,
                   "nan": float("nan")}
        self.assertEqual(measuring.value_at("rounds.-1.rate", printed), 2)
        for path in ("missing", "rounds.2.rate", "rounds.0.other", "none", "text", "negative", "nan", "rounds"):
            with self.subTest(path), self.assertRaises(RuntimeError):
                measuring.value_at(path, printed)


class Machine(unittest.TestCase):
    def test_is_busy_while_a_program_computes(self):
        child = os.fork()
        if child == 0:
            while True:
                pass
        try:
            self.assertGreater(machine.wait_for_quiet(0), machine.QUIET_CORES)
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
