#include <gmock/gmock.h>

#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A right program, with places where a wrong one differs.
constexpr const char* program = R"(
import json, os, signal, socket, sys, time

line = socket.socket(fileno=int(os.environ["HOLDFAST_RUNNER_FD"]))
mistake = sys.argv[1] if len(sys.argv) > 1 else ""

def say(**message):
    line.sendall((json.dumps(message) + "\n").encode())

def hello(**more):
    say(**{"type": "hello", "protocol": 1, "tasks": [{"name": "add"}], "concurrency": 3, **more})

if mistake == "mute":
    time.sleep(3600)
if mistake == "garbage":
    line.sendall(b"Hello, worker!\n")
if mistake == "wrong-protocol":
    hello(protocol=7)
hello()
if mistake == "hello-twice":
    hello()
if mistake == "talks-unasked":
    say(type="status", load=0.5)
if mistake == "never-reads":
    time.sleep(3600)

rest, waiting = b"", set()
def handle(message):
    if message["type"] == "stop" and message["run"] in waiting and mistake != "silent-at-stop":
        waiting.remove(message["run"])
        say(type="result", run=message["run"], value=None, saw_stop=mistake != "hides-its-stop")
    if message["type"] == "run" and message["args"] == "wait":
        waiting.add(message["run"])
    elif message["type"] == "run":
        run = message["run"]
        if mistake == "strict" and set(message) - {"type", "run", "task", "name", "attempt", "timeout_ms", "args"}:
            sys.exit(1)
        if mistake == "numbers":
            run = str(int(float(run)))
        if mistake == "other-run":
            run = "1"
        if mistake == "forgets-unknown" and message["name"] != "add":
            return
        if mistake == "says-yes" or message["name"] == "add":
            say(type="result", run=run, value=sum(message["args"] or []))
        else:
            say(type="error", run=run, message="no such task")
        if mistake == "twice":
            say(type="error", run=run, message="once more")
        if mistake == "too-long":
            line.sendall(b" " * (1 << 22))
    if message["type"] == "stop" and mistake == "dies-of-a-stop":
        os.kill(os.getpid(), signal.SIGKILL)
    if message["type"] == "bye" and mistake == "leaves-early":
        sys.exit(0)

while True:
    got = line.recv(1 << 16)
    if not got:
        if mistake == "stays":
            time.sleep(3600)
        break
    if mistake == "whole-lines" and not got.endswith(b"\n"):
        sys.exit(1)
    rest += got
    *whole, rest = rest.split(b"\n")
    if mistake == "one-at-a-time":
        whole = whole[:1]
    for each in whole:
        handle(json.loads(each))
)";

class CliRunnerCheck : public SqliteProgramTest {
protected:
    CliRunnerCheck() { folder.write("program.py", program); }

    [[nodiscard]] Ran check(const std::string& mistake) const {
        std::vector<std::string> options = {"runner", "check",  "--patience", "2s",          "--task",
                                            "add",    "--args", "[1, 2]",     "--stop-args", "\"wait\""};
        for (const std::string& word :
             {std::string("--"), std::string("/usr/bin/python3"), folder.path() + "/program.py", mistake})
            options.push_back(word);
        return holdfast(std::move(options));
    }
};

TEST_F(CliRunnerCheck, AcceptsAProgramThatKeepsToTheProtocol) {
    const Ran ran = check("");
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.lines(), Each(StartsWith("ok ")));
}

struct Mistake {
    const char* name;
    const char* complaint;
};
class WrongProgram : public CliRunnerCheck, public testing::WithParamInterface<Mistake> {};

TEST_P(WrongProgram, IsCaughtAndToldWhatItDoesWrong) {
    const Ran ran = check(GetParam().name);
    EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(GetParam().complaint));
}
INSTANTIATE_TEST_SUITE_P(
    Mistakes, WrongProgram,
    testing::Values(
        Mistake{"garbage", "sent a line that is not a JSON object: \"Hello, worker!\""},
        Mistake{"wrong-protocol", "sent protocol 7; this worker speaks 1"},
        Mistake{"hello-twice", "sent a second hello"},
        Mistake{"talks-unasked", "sent a message of the unknown type \"status\""},
        Mistake{"strict", "ignores members that it does not know\n       The program has hung up"},
        Mistake{"numbers", "which it did not have"}, Mistake{"other-run", "ended run 1, which it did not have"},
        Mistake{"forgets-unknown", "sent no result and no error for a run within 2s"},
        Mistake{"says-yes", "completed a run of a task that it does not have"},
        Mistake{"twice", "or had ended before"}, Mistake{"too-long", "sent a line that is too long"},
        Mistake{
            "dies-of-a-stop",
            "ignores a stop for a run that has ended, and for one that it never had\n       The program has hung up"},
        Mistake{"leaves-early",
                "executes runs between its worker's bye and the end of the stream, and "
                "exits\n       The program has hung up"},
        Mistake{"stays", "did not exit within 2s"},
        Mistake{"whole-lines", "reads a line that arrives in pieces\n       The program has hung up"},
        Mistake{"one-at-a-time",
                "takes as many runs at once as it said, also in one piece\n       The "
                "program sent no result"},
        Mistake{"silent-at-stop", "ends a run that it was asked to stop\n       The program sent no result"},
        Mistake{"hides-its-stop", "without saw_stop"}, Mistake{"never-reads", "does not read its socket"}),
    [](const auto& mistake) {
        std::string name = mistake.param.name;
        std::erase(name, '-');
        return name;
    });

TEST_F(CliRunnerCheck, AcceptsTheTypeScriptSdk) {
    folder.write("sums.mjs", "import { App } from '" + std::string(HOLDFAST_SDK) +
                                 "/typescript/index.js';\n"
                                 "const add = async ({ values }, context) => {\n"
                                 "  if (values.length === 0)\n"
                                 "    await new Promise((end) => context.signal.addEventListener('abort', end));\n"
                                 "  return values.reduce((a, b) => a + b, 0);\n};\n"
                                 "export const one = new App(), many = new App({ concurrency: 20 });\n"
                                 "for (const each of [one, many]) each.task('add', add);\n");
    for (const std::string app : {"one", "many"}) {
        const Ran ran = holdfast(
            {"runner", "check", "--task", "add", "--args", "{\"values\": [1, 2]}", "--stop-args", "{\"values\": []}",
             "--", "node", std::string(HOLDFAST_SDK) + "/typescript/runner.js", folder.path() + "/sums.mjs:" + app});
        EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    }
}

TEST_F(CliRunnerCheck, AcceptsThePythonSdk) {
    folder.write("sums.py",
                 "import time\nfrom holdfast import App\n"
                 "one, many = App(), App(concurrency=20)\n"
                 "def add(values: list[int], context):\n"
                 "    while not values and not context.cancelled():\n        time.sleep(0.01)\n"
                 "    return sum(values)\n"
                 "for each in (one, many):\n    each.task(add)\n");
    for (const std::string app : {"one", "many"}) {
        RunParams params =
            command({"runner", "check", "--task", "add", "--args", "{\"values\": [1, 2]}", "--stop-args",
                     "{\"values\": []}", "--", "/usr/bin/python3 -m holdfast sums:" + app});
        params.folder = folder.path();
        params.environment["PYTHONPATH"] = std::string(HOLDFAST_SDK) + "/python";
        params.environment["PYTHONDONTWRITEBYTECODE"] = "1";
        const Ran ran = run_program(params);
        EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
        EXPECT_THAT(ran.out, Not(HasSubstr("WRONG")));
    }
}

}  // namespace
}  // namespace holdfast::integration
