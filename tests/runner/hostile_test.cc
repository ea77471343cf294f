// Hostile scripts beside honest ones on one worker, each on the user of its slot: nothing of the honest ones changes.
// Runs for HOLDFAST_HOSTILE_SECONDS, or for some seconds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/files.h"
#include "platform/identity.h"
#include "platform/service_loop.h"
#include "tests/runner/pool_bench.h"
#include "tests/runner/slot_users_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;
using engine::RunnerGone;
using engine::RunnerId;
using engine::RunProgress;

// Each prints a line for everything that it achieves. MARKER is a file that none may be able to create.
constexpr const char* prelude = R"(#!/usr/bin/env python3
import ctypes, glob, os, re, signal, socket, subprocess, sys, time
own = os.environ['HOLDFAST_RESULT']
marker = os.environ['MARKER']
libc = ctypes.CDLL(None, use_errno=True)
def pids(): return [int(p) for p in os.listdir('/proc') if p.isdigit()]
def is_own(pid):
    try: return re.search(r'\nUid:\t(\d+)', open(f'/proc/{pid}/status').read()).group(1) == str(os.getuid())
    except OSError: return True
def places():
    runs = os.path.dirname(os.path.dirname(os.path.dirname(own)))
    return [p for p in (f'{runs}/{i}/run' for i in range(1, 60)) if not own.startswith(p + '/')]
def attempt(what, action):
    try:
        action()
        print('ACHIEVED', what, flush=True)
    except OSError: pass
def put(path, text):
    with open(path, 'w') as file: file.write(text)
)";

constexpr std::array hostile_scripts = {
    // Kill and stop what it sees.
    R"(
for pid in pids():
    if not is_own(pid):
        for sig in (signal.SIGSTOP, signal.SIGKILL): attempt(f'kill {pid}', lambda: os.kill(pid, sig))
os.kill(-1, signal.SIGKILL)
)",
    // Read and change other processes.
    R"(
def trace(pid):
    if libc.ptrace(16, pid, 0, 0) != 0: raise OSError()
for pid in pids():
    if is_own(pid): continue
    attempt(f'ptrace {pid}', lambda: trace(pid))
    for name in ('mem', 'environ', 'fd/0', 'cwd/x', 'root/root/x'): attempt(f'{name} of {pid}', lambda: open(f'/proc/{pid}/{name}', 'rb').read(1))
    attempt(f'oom of {pid}', lambda: put(f'/proc/{pid}/oom_score_adj', '1000'))
)",
    // Forge results, checkpoints and scripts of others, and speak on their sockets.
    R"(
def speak(path):
    s = socket.socket(socket.AF_UNIX); s.connect(path)
    s.sendall(b'{"checkpoint": "forged"}\n')
    if not s.recv(10): raise OSError()
until = time.time() + 0.5
while time.time() < until:
    for place in places():
        for name in ('result', 'checkpoint', 'script', 'work/file', '../container'): attempt(f'{place}/{name}', lambda: put(f'{place}/{name}', '"forged"'))
        attempt(f'{place}/socket', lambda: speak(f'{place}/socket'))
        attempt(f'list {place}', lambda: os.listdir(place))
)",
    // Links in its result and folder, and a note that makes a keeper run a command.
    R"(
os.symlink('/etc/shadow', own)
os.rmdir(os.getcwd()); os.symlink('/etc', os.path.dirname(own) + '/work')
for name in ('container', '../container'):
    attempt(name, lambda: put(os.path.dirname(own) + '/../' + name, f'x\0001\0sh\0-c\0touch {marker}\0'))
put(os.path.dirname(own) + '/container', f'x\0001\0touch\0{marker}\0')
)",
    // A fork bomb that leaves its session and kills.
    R"(
while True:
    try:
        if os.fork() == 0: os.setsid()
        for pid in pids()[-20:]:
            if not is_own(pid): attempt(f'kill {pid}', lambda: os.kill(pid, signal.SIGKILL))
    except OSError: pass
    if os.getpid() == os.getsid(0) and time.time() % 1 < 0.02: os._exit(0)
)",
    // Leave processes behind that go on.
    R"(
for i in range(5):
    if os.fork() == 0:
        os.setsid()
        while True:
            for place in places(): attempt(place, lambda: put(f'{place}/result', '"forged"'))
)",
    // Fill its disk and its output, and change what it shares with the next run.
    R"(
os.set_blocking(1, False)
try:
    with open('file', 'wb') as file:
        for i in range(64): file.write(bytes(1 << 20))
except OSError: pass
)",
    // Become root, and change limits and control groups.
    R"(
attempt('setuid', lambda: os.setuid(0))
attempt('su', lambda: subprocess.run(['su', '-c', f'touch {marker}'], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0 or put('/root/x', ''))
for line in open('/proc/self/cgroup'):
    controllers, path = line.strip().split(':')[1:]
    for name in ('tasks', 'cgroup.procs'): attempt(name, lambda: put(f'/sys/fs/cgroup/{controllers}/{name}', str(os.getpid())))
attempt('mount', lambda: subprocess.run(['mount', '-t', 'tmpfs', 'x', '/mnt'], stderr=subprocess.DEVNULL).returncode == 0 or put('/mnt/x', ''))
)",
};

constexpr const char* honest_script = R"(#!/usr/bin/env python3
import json, os, socket, sys, time
n = json.load(sys.stdin)
print('begins', n, flush=True)
s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HOLDFAST_SOCKET'])
s.sendall(json.dumps({'checkpoint': n}).encode() + b'\n'); s.recv(100)
open('file', 'w').write(str(n))
time.sleep(0.1)
assert open('file').read() == str(n) and os.listdir('.') == ['file']
json.dump(n, open(os.environ['HOLDFAST_RESULT'], 'w'))
print('ends', n)
)";

Duration length() {
    const char* given = std::getenv("HOLDFAST_HOSTILE_SECONDS");
    return std::chrono::seconds(given != nullptr ? std::atoi(given) : 8);
}

class HostileScripts : public ::testing::Test {
protected:
    void SetUp() override {
        if (!may_change_users()) GTEST_SKIP() << "needs root, or the capabilities that run_as needs";
        chmod(folder.path().c_str(), 0711);
    }
    void begin_honest(PoolBench& bench, RunnerId runner) {
        engine::RunOrder order;
        core::TaskSpec spec;
        spec.script = honest_script;
        order.spec = core::to_json_text(spec);
        order.args = concat(++number);
        honest[runner] = number;
        expected[runner] += concat("begins ", number, "\nends ", number, "\n");
        bench.begin(runner, order);
    }
    void begin_hostile(PoolBench& bench, RunnerId runner) {
        engine::RunOrder order;
        core::TaskSpec spec;
        spec.script = concat(prelude, hostile_scripts.at(attacks++ % hostile_scripts.size()));
        spec.env = {{"MARKER", marker()}};
        spec.max_processes = 1'000'000;
        order.spec = core::to_json_text(spec);
        bench.begin(runner, order);
    }
    void check_honest(PoolBench& bench, RunnerId runner, const RunEnded& ended) {
        EXPECT_TRUE(ended.completed) << ended.error.message << bench.printed(runner, "stderr");
        EXPECT_EQ(ended.result, concat(honest[runner]));
        for (const auto& progress : bench.told<RunProgress>(runner))
            EXPECT_THAT(progress.checkpoint, testing::Optional(testing::ContainsRegex("^[0-9]+$")));
    }
    [[nodiscard]] std::string marker() const { return folder.path() + "/marker"; }

    platform::PrivateFolder folder{"holdfast-hostile-test."};
    std::map<RunnerId, int> honest;
    std::map<RunnerId, std::string> expected;  // what its runs print
    int number = 0;
    std::size_t attacks = 0;
};

TEST_F(HostileScripts, ChangeNothingOfHonestOnesBesideThem) {
    const TestUsers users(4);
    PoolLimits limits{.max_processes = 12, .run_as = users.run_as()};
    if (platform::missing_capabilities(true).empty()) limits.scratch_bytes = 8 * 1024 * 1024;
    PoolBench bench(limits);
    const std::array honest_runners = {bench.spawn(), bench.spawn()};
    const std::array hostile_runners = {bench.spawn(), bench.spawn()};
    for (const RunnerId each : honest_runners) begin_honest(bench, each);
    for (const RunnerId each : hostile_runners) begin_hostile(bench, each);
    const Duration until = platform::machine_time() + length();
    std::map<RunnerId, std::size_t> ends;
    while (platform::machine_time() < until || attacks < hostile_scripts.size() + 2) {
        bench.turn_until([&] {
            for (const auto* runners : {&honest_runners, &hostile_runners})
                for (const RunnerId each : *runners)
                    if (bench.told<RunEnded>(each).size() > ends[each]) return true;
            return bench.has_lost_keeper();
        });
        ASSERT_FALSE(bench.has_lost_keeper());
        for (const RunnerId each : honest_runners) {
            const auto told = bench.told<RunEnded>(each);
            if (told.size() == ends[each]) continue;
            check_honest(bench, each, told.back());
            ends[each] = told.size();
            begin_honest(bench, each);
        }
        for (const RunnerId each : hostile_runners) {
            const auto told = bench.told<RunEnded>(each);
            if (told.size() == ends[each]) continue;
            ends[each] = told.size();
            begin_hostile(bench, each);
        }
        if (testing::Test::HasFailure()) break;
    }
    for (const RunnerId each : honest_runners) {
        bench.turn_until([&] { return bench.told<RunEnded>(each).size() > ends[each]; });
        check_honest(bench, each, bench.told<RunEnded>(each).back());
        EXPECT_THAT(bench.told<RunnerGone>(each), testing::IsEmpty());
        EXPECT_EQ(bench.printed(each, "stdout"), expected[each]);
        EXPECT_GT(ends[each], 2U);
    }
    for (const RunnerId each : hostile_runners) {
        EXPECT_THAT(bench.told<RunnerGone>(each), testing::IsEmpty());
        EXPECT_EQ(bench.printed(each, "stdout"), "");
    }
    EXPECT_FALSE(std::filesystem::exists(marker()));
    bench.close();
    EXPECT_EQ(platform::find_process_of_users(users.first(), users.first() + 3).pid, 0);
}

}  // namespace
}  // namespace holdfast::runner
