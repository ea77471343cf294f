#include "proof/demo/view.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/terminal/live_frame.h"

namespace holdfast::proof {

namespace {

using cli::Cell;

constexpr int least_rows = 20;
constexpr int least_columns = 60;

class PlainDemoView : public DemoView {
public:
    explicit PlainDemoView(const Io& io) : io_(io) {}

    void tell(const DemoFact& fact, Duration at) override {
        io_.out << demo_time(at) << paint(io_, fact.tone, fact.text) << std::endl;
    }
    void show(const DemoScene&, Duration) override {}
    void conclude(const DemoCount& count) override { print_demo_table(io_, count); }

private:
    const Io& io_;
};

class JsonDemoView : public DemoView {
public:
    explicit JsonDemoView(const Io& io) : io_(io) {}

    void tell(const DemoFact& fact, Duration at) override {
        Json line = {{"at_ms", at / std::chrono::milliseconds(1)}, {"fact", fact.kind}, {"text", fact.text}};
        line.update(fact.data);
        io_.out << line.dump() << std::endl;
    }
    void show(const DemoScene&, Duration) override {}
    void conclude(const DemoCount& count) override {
        const Json line = {{"fact", "count"},
                           {"submitted", count.submitted},
                           {"completed", count.completed},
                           {"rerun", count.rerun},
                           {"failed_by_policy", count.failed_by_policy},
                           {"lost", count.lost},
                           {"run_twice_against_policy", count.run_twice},
                           {"right", count.is_right()},
                           {"complaints", count.complaints}};
        io_.out << line.dump() << std::endl;
    }

private:
    const Io& io_;
};

Cell number_cell(int number, Tone tone) {
    return {fmt::format("{}", number), tone};
}

}  // namespace

std::string demo_time(Duration at) {
    return fmt::format("{:6.1f}s  ", std::chrono::duration<double>(at).count());
}

void print_demo_table(const Io& io, const DemoCount& count) {
    const auto wrong_unless_zero = [](int number) { return number == 0 ? Tone::Good : Tone::Bad; };
    io.out << '\n';
    print_table(
        io, {"WHAT", "TASKS", "HOW IT IS KNOWN"},
        {{{"submitted"}, number_cell(count.submitted, Tone::Plain), {"each was on disk before it was counted"}},
         {{"completed"},
          number_cell(count.completed, Tone::Good),
          {fmt::format("its run wrote its end; {} ran again after a crash, as their policy says", count.rerun)}},
         {{"failed by policy"},
          number_cell(count.failed_by_policy, Tone::Busy),
          {"cut short, and on_crash: fail says: not again"}},
         {{"lost"}, number_cell(count.lost, wrong_unless_zero(count.lost)), {"submitted, but without an end"}},
         {{"run twice against policy"},
          number_cell(count.run_twice, wrong_unless_zero(count.run_twice)),
          {"more beginnings than its policy allows"}}});
}

std::unique_ptr<DemoView> make_demo_view(const Session& session) {
    if (session.globals.json) return std::make_unique<JsonDemoView>(session.io);
    const auto screen = screen_of(session.io);
    const bool has_room = screen && screen->rows >= least_rows && screen->columns >= least_columns;
    if (!has_room) return std::make_unique<PlainDemoView>(session.io);
    return make_live_demo_view(session.io, screen->rows, screen->columns);
}

}  // namespace holdfast::proof
