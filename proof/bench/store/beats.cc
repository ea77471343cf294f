#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <utility>

#include "platform/task_ids.h"
#include "proof/bench/store/measures.h"

namespace holdfast::bench {

namespace {

/// Submits without end or pause; writes a byte to `ready` once it has begun.
[[noreturn]] void write_flat_out(const std::string& url, std::size_t batch, int ready) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        const auto store = open_store(url);
        while (true) {
            std::vector<store::NewTask> tasks(batch);
            for (auto& task : tasks) task = noop_task(platform::new_task_id());
            store->submit(tasks);
            if (ready >= 0 && write(ready, "w", 1) == 1) close(std::exchange(ready, -1));
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "a writer failed: %s\n", error.what());
    }
    _exit(1);
}

/// Processes that write at full speed, from the constructor to the destructor. Created while no store is open here,
/// so that they inherit no connection.
class Writers {
public:
    Writers(const std::string& url, const BeatsParams& params) {
        std::array<int, 2> ready{};
        if (pipe2(ready.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
        for (std::size_t i = 0; i < params.writers; ++i) {
            const pid_t pid = fork();
            if (pid == 0) write_flat_out(url, params.batch, ready[1]);
            if (pid > 0) pids_.push_back(pid);
        }
        close(ready[1]);
        std::size_t writing = 0;
        for (char byte = 0; read(ready[0], &byte, 1) == 1;) ++writing;
        close(ready[0]);
        if (writing != params.writers) {
            stop();
            throw std::runtime_error("not every writer began");
        }
    }
    ~Writers() { stop(); }
    Writers(const Writers&) = delete;
    Writers& operator=(const Writers&) = delete;

    /// Throws when one has failed meanwhile.
    void check() const {
        for (const pid_t pid : pids_)
            if (waitpid(pid, nullptr, WNOHANG) != 0) throw std::runtime_error("a writer ended");
    }

private:
    void stop() {
        for (const pid_t pid : pids_) kill(pid, SIGKILL);
        for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
        pids_.clear();
    }

    std::vector<pid_t> pids_;
};

/// Milliseconds, in growing order.
std::vector<double> time_beats(const std::string& url, const BeatsParams& params) {
    const auto store = open_store(url);
    const auto worker = noop_worker(1);
    store->register_worker(worker);
    store::BeatParams beat;
    beat.worker = worker.id;
    std::vector<double> times;
    while (times.size() < params.beats) {
        const auto begin = std::chrono::steady_clock::now();
        store->beat(beat);
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        std::this_thread::sleep_for(params.pause);
    }
    std::sort(times.begin(), times.end());
    return times;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted.at(static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1)));
}

}  // namespace

std::vector<Figure> measure_beats(const Subject& subject, const BeatsParams& params) {
    const auto database = subject.make_database();
    const auto alone = time_beats(database->url(), params);
    const Writers writers(database->url(), params);
    const auto beside = time_beats(database->url(), params);
    writers.check();

    const auto settings = std::to_string(params.writers) + " processes submit " + std::to_string(params.batch) +
                          " at a time, " + std::to_string(params.beats) + " beats";
    const auto figure = [&](const char* measure, double share) {
        return Figure{subject.store, measure, settings, quantile(beside, share), "ms", quantile(alone, share)};
    };
    return {figure("beat, p50", 0.5), figure("beat, p99", 0.99), figure("beat, longest", 1.0)};
}

}  // namespace holdfast::bench
