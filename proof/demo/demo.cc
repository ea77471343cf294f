#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "cli/session.h"
#include "cli/terminal/following.h"
#include "platform/files.h"
#include "proof/commands.h"
#include "proof/demo/play.h"

namespace holdfast::proof {

namespace {

using cli::ExitCode;

/// The folder of the demo, removed at its end unless it is kept.
class DemoFolder {
public:
    explicit DemoFolder(bool keep)
        : path_((std::filesystem::temp_directory_path() / "holdfast-demo-XXXXXX").string()), keep_(keep) {
        if (mkdtemp(path_.data()) == nullptr) throw BadInput("cannot make a directory in the temporary directory");
    }
    ~DemoFolder() {
        if (!keep_) platform::remove_folder(path_);
    }
    DemoFolder(const DemoFolder&) = delete;
    DemoFolder& operator=(const DemoFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool is_kept() const { return keep_; }
    void keep() { keep_ = true; }

private:
    std::string path_;
    bool keep_;
};

class Interrupted : public DemoFailed {
public:
    using DemoFailed::DemoFailed;
};

void check(const Io& io) {
    if (cli::SignalNotes::interrupted()) throw Interrupted("interrupted; the demo's processes are ended");
    if (!io.out) throw Interrupted("nobody reads on; the demo's processes are ended");
}

DemoCount play(const Session& session, const DemoFolder& folder, DemoView& view) {
    const bool for_people = session.io.terminal && !session.globals.json;
    DemoPlay demo({.place = {folder.path()},
                   .view = view,
                   .check = [&] { check(session.io); },
                   .pause = for_people ? std::chrono::seconds(3) : std::chrono::seconds(0)});
    return demo.run();
}

void complain(const Io& io, const std::string& sentence) {
    io.err << "holdfast: " << sentence << '\n';
}

/// Tells people where to look next.
void point_at_folder(const Session& session, const DemoFolder& folder) {
    if (!folder.is_kept() || session.globals.json) return;
    session.io.out << fmt::format(
        "kept in {0}: the store, the ledger, the workers' logs. Look around:\n"
        "  holdfast --store sqlite:{0}/demo.db tasks list\n",
        folder.path());
}

ExitCode judge(const Session& session, const DemoCount& count, DemoFolder& folder) {
    for (const std::string& complaint : count.complaints) complain(session.io, complaint);
    if (!count.is_right()) {
        folder.keep();
        complain(session.io, fmt::format("the counts are not right; all of it is kept in {}", folder.path()));
        return ExitCode::Failed;
    }
    return ExitCode::Done;
}

ExitCode run_demo(Session& session, bool keep) {
    if (!session.globals.store.empty() || !session.globals.config.empty())
        throw BadInput("the demo has a store and a configuration of its own: leave out --store and --config");
    const cli::SignalNotes signals;
    DemoFolder folder(keep);
    const auto view = make_demo_view(session);
    try {
        const DemoCount count = play(session, folder, *view);
        view->close();
        view->conclude(count);
        const ExitCode code = judge(session, count, folder);
        point_at_folder(session, folder);
        return code;
    } catch (const Interrupted& fault) {
        view->close();
        complain(session.io, fault.what());
    } catch (const DemoFailed& fault) {
        view->close();
        folder.keep();
        complain(session.io, fmt::format("{}; all of it is kept in {}", fault.what(), folder.path()));
    }
    return ExitCode::Failed;
}

}  // namespace

void add_demo(cli::Command& program) {
    auto [command, keep] = program.add(
        "demo", "Kill and freeze real workers under real tasks, and count what became of the tasks", run_demo);
    command.flag("--keep", keep, "Keep the demo's folder: its store, its ledger, its workers' logs");
}

}  // namespace holdfast::proof
