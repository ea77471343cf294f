#include "store/postgres/dial.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "store/errors.h"
#include "store/postgres/lookup.h"

namespace holdfast::postgres {

namespace {

using namespace std::chrono_literals;

/// How long a host that has answered waits for the others.
constexpr Duration wait_for_others = 1s;

/// Is a retry pointless until a person has acted? libpq gives no SQLSTATE for a refused connection.
bool needs_a_person(std::string_view message) {
    for (const std::string_view sign : {"authentication failed", "no pg_hba.conf entry", "does not exist", "invalid ",
                                        "no password supplied", "permission denied for database"})
        if (message.find(sign) != std::string_view::npos) return true;
    return false;
}

/// What a host that could be connected to is asked, one query after the other. Those after the first may be refused.
constexpr const char* ask_for_writes =
    "SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off'";
constexpr const char* ask_for_timeline =
    "SELECT ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint";

}  // namespace

/// The way to one host: its name is looked up, its addresses are tried one after the other, then it is asked.
class Search::Call {
public:
    Call(const DialParams& params, std::size_t host)
        : params_(params), host_(host), deadline_(Deadline::in(params.limit)) {
        if (place().needs_lookup())
            lookup_.emplace(place().name);
        else
            addresses_ = {place().address}, start();
    }

    [[nodiscard]] bool is_over() const { return state_ == State::Ready || state_ == State::Failed; }
    [[nodiscard]] bool is_ready() const { return state_ == State::Ready; }
    [[nodiscard]] std::size_t host() const { return host_; }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }
    [[nodiscard]] const core::HostAnswer& answer() const { return answer_; }
    [[nodiscard]] Handle take() { return std::move(handle_); }
    [[nodiscard]] Deadline deadline() const { return Deadline::earlier(deadline_, address_deadline_); }

    /// What poll(2) has to watch for it.
    [[nodiscard]] pollfd source() const {
        if (is_over()) return {-1, 0, 0};
        if (lookup_) return {lookup_->descriptor(), POLLIN, 0};
        return {PQsocket(handle_.get()), events_, 0};
    }

    /// Goes on as far as it can without waiting.
    void go_on(short events) {
        if (is_over()) return;
        if (events != 0) step();
        if (is_over()) return;
        if (deadline_.has_passed())
            return fail(concat(place().described(), " did not answer within ", format_duration(params_.limit)));
        if (address_deadline_.has_passed()) next_address("did not answer");
    }

private:
    enum class State { Connecting, Asking, Ready, Failed };

    [[nodiscard]] const Host& place() const { return params_.url->hosts[host_]; }

    void step() {
        if (lookup_) {
            auto found = lookup_->found();
            lookup_.reset();
            if (found.addresses.empty()) return fail(found.complaint);
            addresses_ = std::move(found.addresses);
            return start();
        }
        if (state_ == State::Connecting) return connect_on();
        read_answer();
    }

    /// Every address has the same share of what is left of the time.
    void start() {
        const auto left = deadline_.left(params_.limit);
        const auto untried = static_cast<std::int64_t>(addresses_.size() - next_);
        address_deadline_ = untried > 1 ? Deadline::in(left / untried) : Deadline();
        handle_ = open_handle(addresses_[next_++]);
        if (!handle_) return fail("out of memory");
        PQsetNoticeProcessor(
            handle_.get(), [](void*, const char*) {}, nullptr);
        if (PQstatus(handle_.get()) == CONNECTION_BAD)
            return next_address(one_line(trimmed(PQerrorMessage(handle_.get()))));
        events_ = POLLOUT;
    }

    Handle open_handle(const std::string& address) {
        std::vector<std::pair<std::string, std::string>> all = params_.defaults;
        all.insert(all.end(), params_.url->options.begin(), params_.url->options.end());
        all.insert(all.end(), params_.settings.begin(), params_.settings.end());
        if (!place().name.empty()) all.emplace_back("host", place().name);
        if (!address.empty()) all.emplace_back("hostaddr", address);
        if (!place().port.empty()) all.emplace_back("port", place().port);
        std::vector<const char*> names;
        std::vector<const char*> values;
        for (const auto& [name, value] : all) {
            // Which host accepts writes is decided here, for all of them together.
            if (params_.asks && name == "target_session_attrs") continue;
            names.push_back(name.c_str());
            values.push_back(value.c_str());
        }
        names.push_back(nullptr);
        values.push_back(nullptr);
        return Handle(PQconnectStartParams(names.data(), values.data(), 0), &PQfinish);
    }

    void next_address(const std::string& why) {
        complaint_ = why;
        if (next_ < addresses_.size()) return start();
        fail(why);
    }

    void connect_on() {
        switch (PQconnectPoll(handle_.get())) {
            case PGRES_POLLING_READING:
                events_ = POLLIN;
                return;
            case PGRES_POLLING_WRITING:
                events_ = POLLOUT;
                return;
            case PGRES_POLLING_OK:
                address_deadline_ = Deadline();
                if (!params_.asks) return end(State::Ready);
                state_ = State::Asking;
                return ask(ask_for_writes);
            case PGRES_POLLING_FAILED:
            case PGRES_POLLING_ACTIVE:
                break;
        }
        next_address(one_line(trimmed(PQerrorMessage(handle_.get()))));
    }

    /// A query is far smaller than the buffer of a fresh socket: sending it does not wait.
    void ask(const char* query) {
        question_ = query;
        events_ = POLLIN;
        if (PQsetnonblocking(handle_.get(), 1) != 0 || PQsendQuery(handle_.get(), query) == 0)
            fail(one_line(trimmed(PQerrorMessage(handle_.get()))));
    }

    void read_answer() {
        if (PQconsumeInput(handle_.get()) == 0) return fail(one_line(trimmed(PQerrorMessage(handle_.get()))));
        while (PQisBusy(handle_.get()) == 0) {
            const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQgetResult(handle_.get()), &PQclear);
            if (!result) return ask_next();
            if (PQresultStatus(result.get()) == PGRES_TUPLES_OK && PQntuples(result.get()) == 1) {
                note(*result);
            } else if (question_ == ask_for_writes) {
                return fail(one_line(trimmed(PQresultErrorMessage(result.get()))));
            }
        }
    }

    void note(const PGresult& result) {
        const auto text = [&](int column) { return std::string(PQgetvalue(&result, 0, column)); };
        if (question_ == ask_for_writes) {
            answer_ = {place().described(), text(0) == "t", 0, {}};
        } else if (question_ == ask_for_timeline) {
            answer_.timeline = std::strtoll(text(0).c_str(), nullptr, 10);
        } else if (PQnfields(&result) == 2) {
            answer_.incarnation = {std::strtoll(text(0).c_str(), nullptr, 10), Uuid::parse(text(1)).value_or(Uuid())};
        }
    }

    void ask_next() {
        if (!answer_.accepts_writes) {
            handle_.reset();  // nobody uses it
            return end(State::Ready);
        }
        if (question_ == ask_for_writes) return ask(ask_for_timeline);
        if (question_ == ask_for_timeline && params_.about != nullptr) return ask(params_.about);
        end(State::Ready);
    }

    void end(State state) { state_ = state; }
    void fail(std::string why) {
        complaint_ = std::move(why);
        if (handle_ && PQsocket(handle_.get()) >= 0) shutdown(PQsocket(handle_.get()), SHUT_RDWR);
        handle_.reset();
        end(State::Failed);
    }

    const DialParams& params_;
    std::size_t host_;
    Deadline deadline_;
    std::optional<Lookup> lookup_;
    std::vector<std::string> addresses_;
    std::size_t next_ = 0;
    Deadline address_deadline_;
    Handle handle_{nullptr, &PQfinish};
    State state_ = State::Connecting;
    short events_ = POLLOUT;
    const char* question_ = nullptr;
    core::HostAnswer answer_;
    std::string complaint_;
};

Search::Search(DialParams params) : params_(std::move(params)), others_(Deadline::in(wait_for_others)) {
    for (const std::size_t host : params_.hosts) calls_.push_back(std::make_unique<Call>(params_, host));
}

Search::~Search() = default;

std::vector<pollfd> Search::sources() const {
    std::vector<pollfd> sources;
    for (const auto& call : calls_) sources.push_back(call->source());
    return sources;
}

Deadline Search::until() const {
    auto until = others_.has_passed() ? Deadline() : others_;
    for (const auto& call : calls_)
        if (!call->is_over()) until = Deadline::earlier(until, call->deadline());
    return until;
}

std::optional<Dialled> Search::go_on(std::span<const pollfd> seen) {
    for (std::size_t i = 0; i < seen.size(); ++i) calls_[i]->go_on(seen[i].revents);
    const bool all_over = std::all_of(calls_.begin(), calls_.end(), [](const auto& call) { return call->is_over(); });
    if (!all_over && !others_.has_passed() && !only_the_left_host_is_missing()) return std::nullopt;
    if (!params_.asks) {
        for (auto& call : calls_)
            if (call->is_ready()) return use(*call);
    } else if (auto* chosen = choose()) {
        return use(*chosen);
    }
    if (all_over) complain();
    return std::nullopt;
}

bool Search::only_the_left_host_is_missing() const {
    const auto is_waited_for = [this](const auto& call) {
        return !call->is_over() && params_.last.host != call->host();
    };
    if (!params_.asks || std::any_of(calls_.begin(), calls_.end(), is_waited_for)) return false;
    const auto* const chosen = choose();
    return chosen != nullptr && core::is_newer(chosen->answer(), params_.last);
}

Search::Call* Search::choose() const {
    std::vector<Call*> ready;
    std::vector<core::HostAnswer> answers;
    for (const auto& call : calls_) {
        if (!call->is_ready()) continue;
        ready.push_back(call.get());
        answers.push_back(call->answer());
    }
    const auto choice = core::choose_host(answers, params_.last.incarnation.nonce);
    if (!choice.refusal.empty())
        throw store::Unusable(concat(params_.shown_url, " cannot be used: ", choice.refusal));
    return choice.chosen ? ready[*choice.chosen] : nullptr;
}

Dialled Search::use(Call& call) const {
    return {call.take(), call.host(), call.answer().timeline, core::is_newer(call.answer(), params_.last)};
}

void Search::complain() const {
    std::vector<std::string> complaints;
    bool all_need_a_person = true;
    for (const auto& call : calls_) {
        const bool is_read_only = call->is_ready();
        complaints.push_back(is_read_only ? concat(call->answer().host, " does not accept writes")
                                          : call->complaint());
        all_need_a_person &= !is_read_only && needs_a_person(call->complaint());
    }
    const auto message = concat("cannot connect to ", params_.shown_url, ": ", join(complaints, "; "));
    if (all_need_a_person) throw store::Unusable(message);
    throw store::Unreachable(message);
}

Dialled dial(DialParams params) {
    Search search(std::move(params));
    std::vector<pollfd> seen;
    for (;;) {
        if (auto dialled = search.go_on(seen)) return std::move(*dialled);
        seen = search.sources();
        poll(seen.data(), seen.size(), milliseconds_of(search.until().left(1s)));
    }
}

}  // namespace holdfast::postgres
