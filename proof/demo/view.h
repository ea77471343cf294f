#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/session.h"
#include "proof/demo/count.h"
#include "store/store.h"

namespace holdfast::proof {

using cli::Io;
using cli::Json;
using cli::Session;
using cli::Tone;

/// An event of the demo.
struct DemoFact {
    std::string kind;  ///< "running", "requeued", ...
    std::string text;  ///< a line, for people
    Json data = Json::object();
    Tone tone = Tone::Plain;
};

/// The current state of the demo.
struct DemoScene {
    struct Worker {
        std::string name;
        int pid = 0;
        std::string state;
        Tone tone = Tone::Plain;
        std::vector<std::string> tasks;  ///< its tasks, by the store
    };
    std::vector<Worker> workers;
    store::TaskCounts counts;
};

/// Shows a demo. `at` counts from its start.
class DemoView {
public:
    virtual ~DemoView() = default;
    virtual void tell(const DemoFact& fact, Duration at) = 0;
    /// Called several times a second.
    virtual void show(const DemoScene& scene, Duration at) = 0;
    /// Called after the last event.
    virtual void close() {}
    virtual void conclude(const DemoCount& count) = 0;
};

/// A live view on a terminal that can show it; else one line for each fact; with --json, JSON lines.
[[nodiscard]] std::unique_ptr<DemoView> make_demo_view(const Session& session);
[[nodiscard]] std::unique_ptr<DemoView> make_live_demo_view(const Io& io, int rows, int columns);

/// "  12.3s  ".
[[nodiscard]] std::string demo_time(Duration at);
/// The table that every demo for people ends with.
void print_demo_table(const Io& io, const DemoCount& count);

}  // namespace holdfast::proof
