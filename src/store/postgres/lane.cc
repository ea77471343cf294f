#include "store/postgres/lane.h"

#include "base/text.h"

namespace holdfast::postgres {

namespace {

constexpr Duration rollback_limit = std::chrono::seconds(1);
constexpr std::string_view unique_violation = "23505";
constexpr Sql has_changed_something = "SELECT pg_current_xact_id_if_assigned() IS NOT NULL";

bool begins_with(const std::string& text, std::string_view prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

bool is_about_content(const Refusal& refusal) {
    const auto kind = refusal.state.substr(0, 2);
    return kind == "22" || kind == "23" || kind == "P0" || refusal.state == Overtaken::state;
}

Transaction::~Transaction() {
    if (!begun_ || !connection_.is_open()) return;
    try {
        connection_.limit_call(rollback_limit);
        connection_.run(std::vector<Command>{{"ROLLBACK", {}}});
    } catch (const std::exception&) {
        connection_.close();  // the server rolls back what it cannot be asked to
    }
}

void Transaction::append_beginning(std::vector<Command>& commands) {
    commands.push_back({"BEGIN", {}});
    if (auto limits = connection_.transaction_limits()) commands.push_back(std::move(*limits));
    if (clock_) commands.push_back(set_clock(*clock_));
    const auto expectation = incarnation_ ? incarnation_->expectation() : std::nullopt;
    if (expectation) commands.push_back(*expectation);
}

Rows Transaction::run(Command command) {
    std::vector<Command> commands;
    commands.push_back(std::move(command));
    return std::move(run(std::move(commands)).back());
}

std::vector<Rows> Transaction::run(std::vector<Command> commands) {
    std::vector<Command> all;
    if (!begun_) append_beginning(all);
    begun_ = true;
    auto postponed = std::exchange(postponed_, {});
    auto first = std::ssize(all);
    for (auto& each : postponed) all.push_back(std::move(each.command));
    std::move(commands.begin(), commands.end(), std::back_inserter(all));
    std::vector<Rows> answers;
    try {
        answers = connection_.run(all);
    } catch (const Refusal& refusal) {
        if (!postponed.empty() && is_about_content(refusal)) throw Overtaken(refusal.what());
        throw;
    }
    for (const auto& each : postponed) {
        auto& answer = answers[static_cast<std::size_t>(first++)];
        if (each.read) each.read(std::move(answer));
    }
    answers.erase(answers.begin(), answers.begin() + first);
    return answers;
}

void Transaction::later(Command command, std::function<void(Rows)> read) {
    if (!is_careful) return postponed_.push_back({std::move(command), std::move(read)});
    auto answer = run(std::move(command));
    if (read) read(std::move(answer));
}

void Transaction::run_script(const std::string& sql) {
    if (!begun_ || !postponed_.empty()) run("SELECT");
    connection_.run_script(sql);
}

void Transaction::commit() {
    if (begun_ || !postponed_.empty()) run(std::vector<Command>{{"COMMIT", {}}});
    end();
}

bool Transaction::commit_and_tell() {
    if (!begun_ && postponed_.empty()) return false;
    const auto answers = run(std::vector<Command>{{has_changed_something, {}}, {"COMMIT", {}}});
    end();
    return answers[0][0].boolean(0);
}

void Transaction::end() {
    begun_ = false;
    for (const auto& action : std::exchange(when_committed, {})) action();
}

std::vector<Rows> Lane::run(const std::vector<Command>& commands, Effect effect) {
    const Turn turn(*this);
    return retrying(effect, [&](bool& in_doubt) {
        in_doubt = effect == Effect::Writes;
        const auto doubts = connection_.primary().doubts();
        const bool has_to_confirm = effect == Effect::Writes && !connection_.primary().is_certain();
        auto all = beginning_of(effect);
        if (all.empty() && !has_to_confirm) return connection_.run(commands);
        const auto first = std::ssize(all);
        all.insert(all.end(), commands.begin(), commands.end());
        if (has_to_confirm) all.push_back({has_changed_something, {}});
        auto answers = connection_.run(all);
        if (has_to_confirm) {
            const bool changed_something = answers.back()[0].boolean(0);
            answers.pop_back();
            confirm(doubts, changed_something);
        }
        answers.erase(answers.begin(), answers.begin() + first);
        return answers;
    });
}

Lane::Turn::Turn(Lane& lane) : lane_(lane) {
    const auto& patience = lane.params_.patience.answer;
    std::unique_lock lock(lane.mutex_);
    const auto is_free = [&lane] { return !lane.is_taken_; };
    if (!patience)
        lane.turn_ended_.wait(lock, is_free);
    else if (!lane.turn_ended_.wait_for(lock, *patience, is_free))
        throw store::Unavailable(concat("other calls have kept the connection to ", mask_password(lane.params_.url),
                                        " busy for ", format_duration(*patience)));
    lane.is_taken_ = true;
}

Lane::Turn::~Turn() {
    // Calls that may take any time are rare: they keep no connection open in between.
    if (!lane_.params_.patience.answer) lane_.connection_.close();
    {
        const std::lock_guard lock(lane_.mutex_);
        lane_.is_taken_ = false;
    }
    lane_.turn_ended_.notify_one();
}

/// An empty message in the log of the database is the smallest commit that waits for the standby, and with it
/// everything that was committed before.
void Lane::confirm(std::uint64_t doubts, bool changed_something) {
    if (!changed_something)
        // (A standby refuses the first function as read-only, and the second with an internal error.)
        connection_.run(
            std::vector<Command>{{"SELECT pg_current_xact_id(), pg_logical_emit_message(true, 'holdfast', '')", {}}});
    connection_.primary().confirm(doubts);
}

std::vector<Command> Lane::beginning_of(Effect effect) const {
    std::vector<Command> beginning;
    if (auto limits = connection_.transaction_limits()) beginning.push_back(std::move(*limits));
    if (clock_) beginning.push_back(set_clock(*clock_));
    if (effect == Effect::Reads || !incarnation_) return beginning;
    if (auto expectation = incarnation_->expectation()) beginning.push_back(std::move(*expectation));
    return beginning;
}

core::Incarnation Lane::known() const {
    return incarnation_ ? incarnation_->known() : core::Incarnation();
}

void Lane::catch_up(std::string_view refused_state, const core::Incarnation& expected) {
    const bool went_back = refused_state == KnownIncarnation::went_back;
    if (!incarnation_ || (!went_back && refused_state != KnownIncarnation::other_history)) return;
    try {
        if (went_back) incarnation_->give_up(expected, connection_);
        incarnation_->meet(connection_);
    } catch (...) {
        connection_.leave();  // another host may have the newer history
        throw;
    }
}

bool Lane::is_worth_retrying(const Refusal& refusal) {
    return refusal.state == "40001" || refusal.state == "40P01" || refusal.state == KnownIncarnation::other_history ||
           refusal.state == KnownIncarnation::went_back;
}

void Lane::throw_for(const Refusal& refusal) {
    const auto& state = refusal.state;
    const std::string message = concat("the database says: ", refusal.what(), state.empty() ? "" : " (SQLSTATE ",
                                       state, state.empty() ? "" : ")");
    if (state == "53100" || state == "53200") throw store::Full(message);  // disk full, out of memory
    const bool passes = begins_with(state, "08") || begins_with(state, "53") || begins_with(state, "57") ||
                        begins_with(state, "40") || state == "55P03" || state == "25006" || state == "25P03" ||
                        state == KnownIncarnation::other_history || state == KnownIncarnation::went_back;
    if (state == "25006") connection_.leave();  // read-only: a failover
    if (passes) throw store::Unavailable(message);
    if (state == Overtaken::state || state == unique_violation) throw Overtaken(message);
    if (state == "3F000" || state == "42P01" || state == "42883")
        throw store::Unusable(message + "; the schema is missing or not up to date: run `holdfast migrate`");
    throw store::Unusable(message);
}

void Lane::throw_for(const ConnectionLost& lost, bool in_doubt) {
    if (in_doubt) throw_in_doubt(concat(lost.what(), "; it is not known whether the last change was made"));
    throw store::Unavailable(lost.what());
}

void Lane::throw_in_doubt(const std::string& why) {
    connection_.primary().doubt();
    throw store::CommitInDoubt(why);
}

}  // namespace holdfast::postgres
