#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "integration/place.h"
#include "proof/crew/patience.h"
#include "proof/crew/processes.h"

namespace holdfast::integration {
namespace {

using crew::wait_until;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* shop = R"(
import asyncio, ctypes, dataclasses, os, signal, subprocess, sys, time
import holdfast

app = holdfast.App("shop")

@dataclasses.dataclass
class Line:
    item: str
    count: int = 1

@app.task(retries=3, timeout="5m", queue="mail")
def greet(name: str) -> str:
    return f"Hello {name}"

@app.task
def total(lines: list[Line]) -> dict:
    return {"count": sum(line.count for line in lines), "items": [line.item for line in lines]}

@app.task
def echo(value):
    return value

@app.task
def fail(text: str):
    raise ValueError(text)

@app.task
def refuse():
    raise holdfast.TaskError("NOT_TODAY", "come back tomorrow", {"days": 1})

@app.task
def report(context: holdfast.Context) -> dict:
    context.progress(0.5, "half")
    context.log("a line")
    print("printed")
    seen = context.last_checkpoint
    if seen is None:
        context.checkpoint({"page": 7})
        os.kill(os.getpid(), signal.SIGKILL)
    return {"seen": seen, "attempt": context.attempt}

@app.task
def hold(folder: str):
    open(f"{folder}/pid", "w").write(str(os.getpid()))
    while not os.path.exists(f"{folder}/gate"):
        time.sleep(0.01)
    return os.getpid()

@app.task
def wait_for_stop(folder: str, context: holdfast.Context):
    open(f"{folder}/waits", "w").close()
    while not context.cancelled():
        time.sleep(0.01)
    return "tidied up"

@app.task
def hold_the_lock(folder: str):
    open(f"{folder}/locked", "w").close()
    ctypes.PyDLL(None).sleep(3600)  # with the interpreter's lock held

@app.task
def leave_a_child(folder: str):
    child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
    open(f"{folder}/child", "w").write(str(child.pid))
    return child.pid
)";

constexpr const char* crowd = R"(
import asyncio, os, signal
import holdfast

app = holdfast.App("crowd", concurrency=50)

@app.task
async def meet(folder: str, number: int):
    open(f"{folder}/here-{number}", "w").close()
    while not os.path.exists(f"{folder}/gate"):
        await asyncio.sleep(0.01)
    return number

@app.task
async def crash(folder: str):
    with open(f"{folder}/crashes", "a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)

@app.task
async def wait_for_stop(folder: str):
    open(f"{folder}/waits", "w").close()
    await asyncio.sleep(3600)

@app.task
def in_a_thread(value):
    return value
)";

constexpr const char* script_app = R"(
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { App, Stopped, TaskError } from "SDK/index.js";

const define = (app) => {
  app.task("echo", (args, context) => ({ args, attempt: context.attempt, name: context.name }));
  app.task("fail", () => { throw new RangeError("no tea"); });
  app.task("refuse", () => { throw new TaskError("NOT_TODAY", "come back tomorrow", { days: 1 }); });
  app.task("crash_once", ({ folder }, context) => {
    if (context.lastCheckpoint !== undefined) return context.lastCheckpoint;
    context.checkpoint({ page: 7 });
    context.log("about to crash");
    process.kill(process.pid, "SIGKILL");
    return sleep(60_000);
  });
  app.task("wait_for_stop", async ({ folder }, context) => {
    writeFileSync(`${folder}/waits`, "");
    await sleep(3_600_000, undefined, { signal: context.signal });
  });
  app.task("spin", ({ folder }) => {
    writeFileSync(`${folder}/spins`, "");
    for (;;);
  });
  app.task("meet", async ({ folder, number }) => {
    writeFileSync(`${folder}/here-${number}`, "");
    while (!existsSync(`${folder}/gate`)) await sleep(10);
    return number;
  });
  return app;
};
export const one = define(new App({ name: "one" }));
export const many = define(new App({ name: "many", concurrency: 50 }));
)";

std::string content_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class CliRunner : public AnyStoreProgramTest {
protected:
    CliRunner() {
        folder.write("shop.py", shop);
        folder.write("crowd.py", crowd);
        std::string module = script_app;
        module.replace(module.find("SDK/"), 4, std::string(HOLDFAST_SDK) + "/typescript/");
        folder.write("app.mjs", module);
    }

    [[nodiscard]] RunParams worker_command(const std::string& runner, std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"worker", "--name", "w", "--runner", runner});
        RunParams params = command(std::move(options));
        params.folder = folder.path();
        params.environment["PYTHONPATH"] = std::string(HOLDFAST_SDK) + "/python";
        params.environment["PYTHONDONTWRITEBYTECODE"] = "1";
        return params;
    }
    [[nodiscard]] static std::string python(const std::string& app) {
        return "/usr/bin/python3 -m holdfast " + app + ":app";
    }
    [[nodiscard]] static std::string node(const std::string& app) {
        return "node " + std::string(HOLDFAST_SDK) + "/typescript/runner.js app.mjs:" + app;
    }

    /// Submits the function with JSON arguments; its id.
    [[nodiscard]] std::string call(const std::string& name, const nlohmann::json& args,
                                   std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {name, "--args", args.dump()});
        return submit(std::move(options));
    }
    [[nodiscard]] nlohmann::json ended(const std::string& id) const {
        (void)holdfast({"tasks", "wait", id, "--timeout", "60s"});
        return show(id)["task"];
    }
    [[nodiscard]] nlohmann::json run(const std::string& name, const nlohmann::json& args) const {
        return ended(call(name, args));
    }
    [[nodiscard]] nlohmann::json in_folder() const { return {{"folder", folder.path()}}; }
    void wait_for_file(const std::string& name) const {
        wait_until([&] { return std::filesystem::exists(folder.path() + "/" + name); }, name);
    }
    void open_gate() const { folder.write("gate", ""); }
    /// Waits until the file has a process id.
    [[nodiscard]] pid_t pid_in(const std::string& name) const {
        wait_until([&] { return !content_of(folder.path() + "/" + name).empty(); }, name);
        return std::stoi(content_of(folder.path() + "/" + name));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliRunner, testing::ValuesIn(store_kinds()), name_of);

TEST_P(CliRunner, RunsPythonFunctionsWithTypedArguments) {
    const RunningProgram worker(worker_command(python("shop")));
    EXPECT_EQ(run("shop.greet", {{"name", "Zoë 🐈"}})["result"], "Hello Zoë 🐈");
    const auto lines = nlohmann::json::parse(R"({"lines": [{"item": "tea", "count": 2}, {"item": "cup"}]})");
    EXPECT_EQ(run("shop.total", lines)["result"], nlohmann::json::parse(R"({"count": 3, "items": ["tea", "cup"]})"));
    EXPECT_EQ(run("shop.total", {{"lines", {{{"item", 5}}}}})["error"]["message"],
              "args.lines[0].item: expected a string, got a number");
    EXPECT_EQ(run("shop.greet", nullptr)["error"]["code"], "ARGS_NOT_READABLE");
}

TEST_P(CliRunner, CarriesArgumentsOfAMegabyteAndResultsAsLarge) {
    const RunningProgram worker(worker_command(python("shop")));
    const std::string large(1'000'000, 'x');
    folder.write("args.json", nlohmann::json{{"value", large}}.dump());
    const auto task = ended(submit({"shop.echo", "--args", "@" + folder.path() + "/args.json"}));
    EXPECT_EQ(task["state"], "COMPLETED") << task["error"].dump();
    EXPECT_EQ(task["result"], large);
}

TEST_P(CliRunner, ReportsExceptionsWithTheirTraceback) {
    const RunningProgram worker(worker_command(python("shop")));
    const auto failed = run("shop.fail", {{"text", "no tea"}});
    EXPECT_EQ(failed["state"], "FAILED");
    EXPECT_EQ(failed["error"]["code"], "TASK_EXCEPTION");
    EXPECT_EQ(failed["error"]["message"], "ValueError: no tea");
    EXPECT_THAT(failed["error"]["data"]["traceback"].get<std::string>(), HasSubstr("shop.py"));
    const auto refused = run("shop.refuse", nullptr);
    EXPECT_EQ(refused["error"]["code"], "NOT_TODAY");
    EXPECT_EQ(refused["error"]["data"], nlohmann::json({{"days", 1}}));
}

TEST_P(CliRunner, RunsATaskWhoseProcessWasKilledAgainFromItsCheckpoint) {
    const RunningProgram worker(worker_command(python("shop")));
    const auto id = call("shop.report", nullptr, {"--on-crash", "requeue"});
    const auto task = ended(id);
    EXPECT_EQ(task["state"], "COMPLETED") << task.dump();
    EXPECT_EQ(task["result"], nlohmann::json::parse(R"({"seen": {"page": 7}, "attempt": 2})"));
    const std::string logs = holdfast({"tasks", "logs", id}).out;
    EXPECT_THAT(logs, AllOf(HasSubstr("a line"), HasSubstr("printed")));
}

TEST_P(CliRunner, TakesOnlyItsOwnRunWithItWhenTheProcessOfAFunctionIsKilled) {
    const RunningProgram worker(worker_command(python("shop"), {"--concurrency", "2"}));
    std::filesystem::create_directory(folder.path() + "/other");
    const auto killed = call("shop.hold", in_folder());
    const pid_t victim = pid_in("pid");
    const auto other = call("shop.hold", {{"folder", folder.path() + "/other"}});
    (void)pid_in("other/pid");
    kill(victim, SIGKILL);
    const auto crashed = ended(killed);
    EXPECT_EQ(crashed["error"]["code"], "WORKER_CRASHED");
    EXPECT_THAT(crashed["error"]["message"].get<std::string>(), HasSubstr("killed by SIGKILL"));
    folder.write("other/gate", "");
    EXPECT_EQ(ended(other)["state"], "COMPLETED");
}

TEST_P(CliRunner, ShowsAFunctionThatItsTaskWasCancelled) {
    const RunningProgram worker(worker_command(python("shop")));
    const auto id = call("shop.wait_for_stop", in_folder());
    wait_for_file("waits");
    (void)holdfast({"tasks", "cancel", id});
    const auto task = ended(id);
    EXPECT_EQ(task["state"], "CANCELLED") << task.dump();
    EXPECT_EQ(task["error"]["data"], nlohmann::json({{"returned", "tidied up"}}));
}

TEST_P(CliRunner, KillsAFunctionThatHangsWithTheLockOfItsInterpreterHeld) {
    folder.write("holdfast.yaml", "worker: {stop_grace: 200ms}\n");
    const RunningProgram worker(worker_command(python("shop")));
    const auto id = call("shop.hold_the_lock", in_folder(), {"--attempt-timeout", "1s"});
    wait_for_file("locked");
    EXPECT_EQ(ended(id)["error"]["code"], "TASK_TIMEOUT");
    EXPECT_EQ(run("shop.greet", {{"name", "Ada"}})["state"], "COMPLETED");
}

TEST_P(CliRunner, KillsWhatARunHasLeftBehind) {
    const RunningProgram worker(worker_command(python("shop")));
    const pid_t child = run("shop.leave_a_child", in_folder())["result"];
    EXPECT_FALSE(crew::is_alive(child));
}

TEST_P(CliRunner, LeavesNoProcessWhenTheWorkerIsKilled) {
    const RunningProgram worker(worker_command(python("shop")));
    const auto id = call("shop.hold", in_folder());
    const pid_t function = pid_in("pid");
    worker.send(SIGKILL);
    wait_until([&] { return !crew::is_alive(function); }, "the end of the function's process");
}

TEST_P(CliRunner, RunsAsyncFunctionsTogetherInOneProcess) {
    const RunningProgram worker(worker_command(python("crowd"), {"--concurrency", "50"}));
    std::vector<std::string> ids;
    for (int number = 0; number < 50; ++number)
        ids.push_back(call("crowd.meet", {{"folder", folder.path()}, {"number", number}}));
    for (int number = 0; number < 50; ++number) wait_for_file("here-" + std::to_string(number));
    open_gate();
    for (const std::string& id : ids) EXPECT_EQ(ended(id)["state"], "COMPLETED");
    EXPECT_EQ(run("crowd.in_a_thread", {{"value", 5}})["result"], 5);
}

TEST_P(CliRunner, CancelsAnAsyncFunctionAtItsNextAwait) {
    const RunningProgram worker(worker_command(python("crowd")));
    const auto id = call("crowd.wait_for_stop", in_folder());
    wait_for_file("waits");
    (void)holdfast({"tasks", "cancel", id});
    EXPECT_EQ(ended(id)["state"], "CANCELLED");
}

/// A task that always crashes ends by its own budget; the others pay nothing, however often it takes them along.
TEST_P(CliRunner, ChargesACrashOfASharedProcessToTheTaskThatCrashesAlone) {
    const RunningProgram worker(worker_command(python("crowd"), {"--concurrency", "20"}));
    std::vector<std::string> ids;
    for (int number = 0; number < 12; ++number)
        ids.push_back(call("crowd.meet", {{"folder", folder.path()}, {"number", number}}, {"--on-crash", "requeue"}));
    for (int number = 0; number < 12; ++number) wait_for_file("here-" + std::to_string(number));
    const auto poison = call("crowd.crash", in_folder(), {"--on-crash", "requeue", "--max-crashes", "1"});
    EXPECT_EQ(ended(poison)["error"]["code"], "POISON_TASK");
    EXPECT_GE(content_of(folder.path() + "/crashes").size(), 3U) << "in company, then alone twice";
    open_gate();
    for (const std::string& id : ids) {
        const auto task = ended(id);
        EXPECT_EQ(task["state"], "COMPLETED") << task.dump();
        EXPECT_EQ(task["crashes"], 0) << task.dump();
    }
}

TEST_P(CliRunner, RunsNewCodeAndNewTasksAsSoonAsTheFileHasChanged) {
    folder.write("changing.py", "import holdfast\napp = holdfast.App()\n@app.task\ndef version(): return 1\n");
    const RunningProgram worker(worker_command(python("changing")));
    EXPECT_EQ(run("version", nullptr)["result"], 1);
    const auto later = call("later", nullptr);
    folder.write("changing.py",
                 "import holdfast\napp = holdfast.App()\n@app.task\ndef version(): return 2\n"
                 "@app.task\ndef later(): return 'now'\n");
    EXPECT_EQ(ended(later)["result"], "now");
    EXPECT_EQ(run("version", nullptr)["result"], 2);
}

TEST_P(CliRunner, ServesSeveralProgramsAndScripts) {
    const RunningProgram worker(worker_command(python("shop"), {"--runner", python("crowd")}));
    EXPECT_EQ(run("shop.greet", {{"name", "Ada"}})["result"], "Hello Ada");
    EXPECT_EQ(run("crowd.in_a_thread", {{"value", 1}})["result"], 1);
    const auto script = ended(submit({"--script", "echo '{\"a\": 1}' > $HOLDFAST_RESULT"}));
    EXPECT_EQ(script["result"], nlohmann::json({{"a", 1}}));
}

TEST_P(CliRunner, RunsFunctionsOfNode) {
    const RunningProgram worker(worker_command(node("one")));
    const auto args = nlohmann::json::parse(R"({"text": "Zoë 🐈", "list": [1, null, 2.5]})");
    EXPECT_EQ(run("one.echo", args)["result"],
              nlohmann::json({{"args", args}, {"attempt", 1}, {"name", "one.echo"}}));
    const auto failed = run("one.fail", nullptr);
    EXPECT_EQ(failed["error"]["message"], "RangeError: no tea");
    EXPECT_THAT(failed["error"]["data"]["traceback"].get<std::string>(), HasSubstr("app.mjs"));
    EXPECT_EQ(run("one.refuse", nullptr)["error"]["code"], "NOT_TODAY");
    const auto id = call("one.crash_once", in_folder(), {"--on-crash", "requeue"});
    EXPECT_EQ(ended(id)["result"], nlohmann::json({{"page", 7}}));
    EXPECT_THAT(holdfast({"tasks", "logs", id}).out, HasSubstr("about to crash"));
}

TEST_P(CliRunner, StopsFunctionsOfNodeByTheirSignalAndKillsThoseThatSpin) {
    folder.write("holdfast.yaml", "worker: {stop_grace: 200ms}\n");
    const RunningProgram worker(worker_command(node("many")));
    const auto waits = call("many.wait_for_stop", in_folder());
    wait_for_file("waits");
    (void)holdfast({"tasks", "cancel", waits});
    EXPECT_EQ(ended(waits)["state"], "CANCELLED");
    const auto spins = call("many.spin", in_folder(), {"--attempt-timeout", "1s"});
    wait_for_file("spins");
    EXPECT_EQ(ended(spins)["error"]["code"], "TASK_TIMEOUT");
    EXPECT_EQ(run("many.echo", 5)["state"], "COMPLETED");
}

TEST_P(CliRunner, RunsFunctionsOfNodeTogether) {
    const RunningProgram worker(worker_command(node("many"), {"--concurrency", "50"}));
    std::vector<std::string> ids;
    for (int number = 0; number < 50; ++number)
        ids.push_back(call("many.meet", {{"folder", folder.path()}, {"number", number}}));
    for (int number = 0; number < 50; ++number) wait_for_file("here-" + std::to_string(number));
    open_gate();
    for (const std::string& id : ids) EXPECT_EQ(ended(id)["state"], "COMPLETED");
}

class CliRunnerInput : public SqliteProgramTest {};

TEST_F(CliRunnerInput, RefusesProgramsThatCannotSayHelloInOneSentence) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"/nowhere/program", "The runner program '/nowhere/program' ended without a hello"},
        {"true", "The runner program 'true' ended without a hello"},
        {"echo garbage >&$HOLDFAST_RUNNER_FD", "sent a line that is not a JSON object: \"garbage\""},
        {"echo '{\"type\":\"bye\"}' >&$HOLDFAST_RUNNER_FD", "sent another message before its hello"},
        {"echo '{\"type\":\"hello\",\"protocol\":2}' >&$HOLDFAST_RUNNER_FD", "sent protocol 2; this worker speaks 1"},
        {"echo '{\"type\":\"hello\",\"protocol\":1,\"tasks\":[{\"name\":\"a\"},{\"name\":\"a\"}]}' "
         ">&$HOLDFAST_RUNNER_FD",
         "sent the task \"a\" twice"},
    };
    for (const auto& [runner, complaint] : cases) {
        const Ran ran = holdfast({"worker", "--runner", runner});
        EXPECT_EQ(ran.exit_code, 2) << runner << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(complaint));
    }
    const std::string two =
        "echo '{\"type\":\"hello\",\"protocol\":1,\"tasks\":[{\"name\":\"a\"}]}' "
        ">&$HOLDFAST_RUNNER_FD";
    EXPECT_THAT(holdfast({"worker", "--runner", two, "--runner", two}).err, HasSubstr("and so has"));
    EXPECT_THAT(holdfast({"worker", "--runner", two, "--isolation", "thread"}).err,
                HasSubstr("needs isolation process"));
}

}  // namespace
}  // namespace holdfast::integration
