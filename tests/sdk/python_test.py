"""The Python SDK by itself: arguments, results and policies."""

import dataclasses
import datetime
import enum
import typing
import unittest
import uuid

from holdfast import App, Context
from holdfast.client import new_id
from holdfast.codec import NotReadable, encode, reader, schema


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Node:
    name: str
    children: list["Node"] = dataclasses.field(default_factory=list)


class Reading(unittest.TestCase):
    def test_takes_every_supported_hint(self) -> None:
        identity = uuid.uuid4()
        for hint, given, expected in [
            (int, 5, 5), (float, 5, 5.0), (str, "ü", "ü"), (bool, True, True), (None, None, None),
            (list[int], [1, 2], [1, 2]), (tuple[int, str], [1, "a"], (1, "a")), (tuple[int, ...], [1, 2], (1, 2)),
            (set[str], ["a"], {"a"}), (dict[str, float], {"a": 1}, {"a": 1.0}), (int | None, None, None),
            (typing.Optional[int], 3, 3), (typing.Literal["a", "b"], "b", "b"), (Colour, "red", Colour.RED),
            (datetime.date, "2026-11-15", datetime.date(2026, 11, 15)), (uuid.UUID, str(identity), identity),
            (typing.Any, [1, "a"], [1, "a"]),
            (Node, {"name": "a", "children": [{"name": "b"}]}, Node("a", [Node("b")])),
        ]:
            with self.subTest(hint=hint):
                self.assertEqual(reader(hint)(given, "args"), expected)

    def test_says_where_a_value_does_not_fit(self) -> None:
        for hint, given, complaint in [
            (int, True, "args: expected an integer, got a boolean"),
            (int, 1.5, "args: expected an integer, got a number"),
            (list[int], [1, "a"], "args[1]: expected an integer, got a string"),
            (dict[str, int], {"a": None}, "args.a: expected an integer, got null"),
            (Node, {"name": "a", "children": [{}]}, "args.children[0].name: expected a value, got null"),
            (Colour, "blue", "args: expected a Colour, got a string"),
            (tuple[int, str], [1], "args: expected an array of 2, got an array"),
        ]:
            with self.subTest(hint=hint), self.assertRaises(NotReadable) as caught:
                reader(hint)(given, "args")
            self.assertEqual(str(caught.exception), complaint)

    def test_refuses_hints_that_json_cannot_fill_when_the_task_is_declared(self) -> None:
        with self.assertRaises(TypeError):
            App().task(lambda: None, name="fine")  # no parameters

            def wrong(value: object | complex) -> None: ...

            App().task(wrong)

    def test_writes_what_it_reads(self) -> None:
        self.assertEqual(encode(Node("a", [Node("ü")])),
                         '{"name":"a","children":[{"name":"ü","children":[]}]}')
        self.assertEqual(encode({"at": datetime.date(2026, 1, 2), "c": Colour.RED}), '{"at":"2026-01-02","c":"red"}')
        for value in (float("nan"), object()):
            with self.assertRaises((TypeError, ValueError)):
                encode(value)

    def test_describes_arguments_by_a_schema(self) -> None:
        self.assertEqual(schema(list[int | None]),
                         {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})


class Tasks(unittest.TestCase):
    def setUp(self) -> None:
        self.app = App("shop")

        @self.app.task(retries=3, timeout="5m", queue="mail")
        def greet(name: str, times: int = 1, *, context: Context) -> str:
            return name * times

        self.greet = greet

    def test_have_the_name_of_their_app_and_can_be_called(self) -> None:
        self.assertEqual(list(self.app.tasks), ["shop.greet"])
        self.assertEqual(self.greet("a", 2, context=None), "aa")

    def test_bind_arguments_like_a_call(self) -> None:
        self.assertEqual(self.greet.arguments("Ada", times=2), {"name": "Ada", "times": 2})
        self.assertEqual(self.greet.bind({"name": "Ada"}), ([], {"name": "Ada"}))
        self.assertEqual(self.greet.bind(["Ada", 2]), ([], {"name": "Ada", "times": 2}))
        for wrong in ({"nam": "Ada"}, ["Ada", 2, 3], None):
            with self.assertRaises(NotReadable):
                self.greet.bind(wrong)

    def test_submit_with_the_policy_of_their_declaration(self) -> None:
        class Recorder:
            def submit(self, *args: object, **options: object) -> str:
                self.called = (args, options)
                return "id"

        client = Recorder()
        self.greet.submit(client, "Ada")  # type: ignore[arg-type]
        self.assertEqual(client.called, (("shop.greet", {"name": "Ada"}),
                                         {"queue": "mail", "timeout": "5m", "retry": {"max_attempts": 4}}))

    def test_have_different_names(self) -> None:
        with self.assertRaises(ValueError):
            self.app.task(lambda: None, name="shop.greet")


class Ids(unittest.TestCase):
    def test_are_different_uuids_of_version_seven(self) -> None:
        ids = {new_id() for _ in range(1000)}
        self.assertEqual(len(ids), 1000)
        self.assertEqual({(uuid.UUID(each).version, uuid.UUID(each).variant) for each in ids},
                         {(7, uuid.RFC_4122)})


if __name__ == "__main__":
    unittest.main()
