#include "store/postgres/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <numeric>
#include <thread>

#include "base/text.h"
#include "store/errors.h"

namespace holdfast::postgres {

namespace {

using namespace std::chrono_literals;
using ResultHandle = std::unique_ptr<PGresult, decltype(&PQclear)>;
using OptionList = std::vector<std::pair<std::string, std::string>>;

constexpr Duration lock_limit = 5s;
constexpr Duration idle_limit = 10s;        // of a transaction whose client is silent
constexpr Duration look_at_others = 100ms;  // how often a waiting call looks whether the primary has moved
constexpr Duration usual_answer = 500ms;    // a call that waits longer looks for another primary itself,
constexpr Duration longest_pause = 2s;      // again and again, at most so long after the last time
constexpr Duration search_limit = 1s;       // for each host

/// The name under which a statement is prepared.
std::string name_of(Sql sql) {
    return concat("h", reinterpret_cast<std::uintptr_t>(sql.text()));
}

OptionList default_options(const ConnectParams& params) {
    return {{"keepalives_idle", "10"},
            {"keepalives_interval", "5"},
            {"keepalives_count", "3"},
            {"tcp_user_timeout", "30000"},
            {"fallback_application_name", params.purpose}};
}

OptionList fixed_options(const ConnectParams& params) {
    if (!params.notices_death_fast) return {{"client_encoding", "UTF8"}};
    return {{"client_encoding", "UTF8"},
            {"keepalives_idle", "2"},
            {"keepalives_interval", "1"},
            {"keepalives_count", "2"},
            {"tcp_user_timeout", "4000"}};
}

/// As a setting of the server, which counts in milliseconds; 0: none.
std::string milliseconds_text(std::optional<Duration> duration) {
    return concat(duration ? std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count() : 0);
}

/// The server gives up a statement a little before this process gives up waiting for it: then both know how it ended.
std::string statement_limit(const Patience& patience) {
    return milliseconds_text(patience.answer ? std::optional(*patience.answer * 9 / 10) : std::nullopt);
}

std::string lock_limit_of(const Patience& patience) {
    return milliseconds_text(patience.answer ? std::optional(lock_limit) : std::nullopt);
}

std::string_view error_field(const PGresult* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text != nullptr ? text : "";
}

/// Whether the connection ends with it. Poolers know no severity that is the same in every language.
bool is_last_word(const PGresult* result) {
    const auto severity = error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const auto shown = severity.empty() ? error_field(result, PG_DIAG_SEVERITY) : severity;
    return shown == "FATAL" || shown == "PANIC";
}

/// The warning of a commit that did not wait for the standby to the end. The name of the function is the same in
/// every language.
bool says_only_local(const PGresult* notice) {
    return error_field(notice, PG_DIAG_SOURCE_FUNCTION) == "SyncRepWaitForLSN" ||
           error_field(notice, PG_DIAG_MESSAGE_DETAIL).find("committed locally") != std::string_view::npos;
}

}  // namespace

Connection::Connection(ConnectParams params)
    : params_(std::move(params)), url_(read_url(params_.url)), primary_(Primary::of(params_.url)) {}

void Connection::ensure_open() {
    if (handle_ && (was_closed_by_server() || has_to_follow())) close();
    if (!handle_) connect();
}

void Connection::close() {
    handle_.reset();
    prepared_.clear();
    preparing_.clear();
    backend_.reset();
    is_pooled_ = true;
    is_settled_ = false;
    is_only_local_ = false;
}

void Connection::leave() {
    primary_->suspect(host_);
    close();
}

bool Connection::was_closed_by_server() {
    pollfd socket{PQsocket(handle_.get()), POLLIN, 0};
    if (poll(&socket, 1, 0) <= 0) return PQstatus(handle_.get()) != CONNECTION_OK;
    return PQconsumeInput(handle_.get()) == 0 || PQstatus(handle_.get()) != CONNECTION_OK;
}

bool Connection::has_to_follow() const {
    return is_settled_ && primary_->has_left(host_);
}

void Connection::connect() {
    pause_after_failures();
    const int failures_before = failures_;
    const auto moves_before = primary_->moves();
    try {
        take_over(find_primary());
        set_up_session();
        if (primary_->moves() != moves_before && primary_->has_left(host_))
            throw store::Unavailable(concat("the primary of ", mask_password(params_.url), " has moved meanwhile"));
        primary_->found(host_, timeline_);
        is_settled_ = true;
    } catch (...) {
        if (handle_) leave();
        failures_ = failures_before + 1;
        last_failure_ = std::chrono::steady_clock::now();
        throw;
    }
    failures_ = failures_before;
}

/// A caller that tries again at once must not open connections as fast as it can. One that comes back later does not
/// wait.
void Connection::pause_after_failures() {
    if (failures_ == 0) return;
    std::this_thread::sleep_until(last_failure_ + core::pause_before_connect(failures_, random_()));
}

/// Follows the connection of this process that found the primary last; else asks all hosts.
Dialled Connection::find_primary() {
    if (url_.hosts.size() == 1) return dial(search_among(all_hosts()));
    if (const auto known = primary_->host()) {
        try {
            return dial(search_among({*known}));
        } catch (const store::StoreError&) {
            primary_->suspect(*known);
        }
    }
    return dial(search_among(all_hosts()));
}

std::vector<std::size_t> Connection::all_hosts() const {
    std::vector<std::size_t> all(url_.hosts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

DialParams Connection::search_among(std::vector<std::size_t> hosts) const {
    const auto& patience = params_.patience;
    const bool obeys = patience.obeys_url && url_.connect_timeout;
    return {.url = &url_,
            .shown_url = mask_password(params_.url),
            .defaults = default_options(params_),
            .settings = fixed_options(params_),
            .hosts = std::move(hosts),
            .limit = obeys ? *url_.connect_timeout : patience.connect,
            .asks = url_.hosts.size() > 1,
            .last = primary_->last_use(),
            .about = params_.about_host ? params_.about_host->text() : nullptr};
}

void Connection::take_over(Dialled dialled) {
    handle_ = std::move(dialled.handle);
    host_ = dialled.host;
    timeline_ = dialled.timeline;
    refuse_other_encodings();
    PQsetNoticeReceiver(handle_.get(), &Connection::receive_notice, this);
    PQsetnonblocking(handle_.get(), 1);
    PQenterPipelineMode(handle_.get());
}

void Connection::set_up_session() {
    begin_call();
    introduce();
    if (is_pooled_) {
        refuse_statement_pooling();
    } else {
        end_abandoned_backend();
        ask_server_to_notice_death();
    }
    ++generation_;
    if (params_.on_connected) params_.on_connected(*this);
}

/// Tasks hold any text: one character that the database cannot store would make its whole batch fail.
void Connection::refuse_other_encodings() {
    const char* encoding = PQparameterStatus(handle_.get(), "server_encoding");
    if (encoding == nullptr || std::string_view(encoding) == "UTF8") return;
    throw store::Unusable(concat("the database of ", mask_password(params_.url), " has the encoding ", encoding,
                                 "; holdfast needs UTF8: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'"));
}

/// Behind a pooler the backend has another number than the one that this process was told. There nothing is set: the
/// session belongs to others in the next moment.
void Connection::introduce() {
    const auto rows =
        run(std::vector<Command>{{R"sql(SELECT pg_backend_pid() = $1,
                 (SELECT a.backend_start FROM pg_stat_get_activity(pg_backend_pid()) a),
                 CASE WHEN pg_backend_pid() = $1 THEN
                   set_config('statement_timeout', $2, false) || set_config('lock_timeout', $3, false)
                   || set_config('idle_in_transaction_session_timeout', $4, false) END)sql",
                                  Params(PQbackendPID(handle_.get()), statement_limit(params_.patience),
                                         lock_limit_of(params_.patience), milliseconds_text(idle_limit))}});
    const auto row = rows[0][0];
    is_pooled_ = !row.boolean(0);
    if (const auto started = row.optional_time(1); started && !is_pooled_)
        backend_ = {PQbackendPID(handle_.get()), *started};
}

std::optional<Command> Connection::transaction_limits() const {
    if (!is_pooled_ || !params_.patience.answer) return std::nullopt;
    return Command{
        R"sql(SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
                           set_config('idle_in_transaction_session_timeout', $3, true))sql",
        Params(statement_limit(params_.patience), lock_limit_of(params_.patience), milliseconds_text(idle_limit))};
}

/// A pooler that gives every statement another session cannot carry transactions.
void Connection::refuse_statement_pooling() {
    const auto complain_about = [this](std::string_view message) {
        if (message.find("statement pooling mode") == std::string_view::npos) return;
        throw store::Unusable(concat("the pooler at ", mask_password(params_.url),
                                     " gives every statement another session (pool_mode = statement), and holdfast "
                                     "needs transactions: set pool_mode = transaction"));
    };
    try {
        run(std::vector<Command>{{"BEGIN", {}}});
        run(std::vector<Command>{{"COMMIT", {}}});
    } catch (const Refusal& refusal) {
        complain_about(refusal.what());
        throw;
    } catch (const ConnectionLost& lost) {
        complain_about(lost.what());
        throw;
    }
}

/// A backend that did not answer in time may hold locks, or wait for a standby that is gone, for ever: it does not
/// notice that nobody listens any more. Only this connection knows that it was its own.
void Connection::end_abandoned_backend() {
    if (!abandoned_) return;
    const auto backend = *std::exchange(abandoned_, std::nullopt);
    try {
        run(std::vector<Command>{{R"sql(SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                                        WHERE pid = $1 AND backend_start = $2 AND pid <> pg_backend_pid())sql",
                                  Params(backend.pid, backend.started)}});
    } catch (const Refusal&) {
        // It is not ours to end: then it ends by itself.
    }
}

/// Makes the server notice on its own end that the client is gone: it has to release what the session holds. A
/// setting that the server's platform does not support is refused; the others have to do.
void Connection::ask_server_to_notice_death() {
    std::vector<Command> settings{{"SELECT set_config('client_connection_check_interval', '1000', false)", {}}};
    if (params_.notices_death_fast)
        settings.insert(settings.end(), {{"SELECT set_config('tcp_keepalives_idle', '2', false)", {}},
                                         {"SELECT set_config('tcp_keepalives_interval', '1', false)", {}},
                                         {"SELECT set_config('tcp_keepalives_count', '2', false)", {}},
                                         {"SELECT set_config('tcp_user_timeout', '4000', false)", {}}});
    try {
        run(settings);
    } catch (const Refusal&) {
        for (const auto& setting : settings) {
            try {
                run(std::vector<Command>{setting});
            } catch (const Refusal&) {
                continue;
            }
        }
    }
}

void Connection::receive_notice(void* self, const PGresult* notice) {
    if (says_only_local(notice)) static_cast<Connection*>(self)->is_only_local_ = true;
}

void Connection::throw_if_only_local() {
    if (!std::exchange(is_only_local_, false)) return;
    throw OnlyLocal("the server has committed, but stopped waiting for its synchronous standby");
}

/// A pipeline: all commands are sent before the first answer is read, so they cost one round trip.
std::vector<Rows> Connection::run(std::span<const Command> commands) {
    deadline_ = Deadline::earlier(call_, Deadline::in(params_.patience.answer));
    preparing_.clear();
    for (const auto& command : commands) send(command);
    if (PQpipelineSync(handle_.get()) == 0) lose("sending");
    flush();
    auto answers = read_answers(commands);
    failures_ = 0;
    throw_if_only_local();
    return answers;
}

/// A statement that this session has not met is prepared first, in the same pipeline; read_answers() has to know,
/// because that has an answer of its own. Behind a pooler the next transaction may have another session, so nothing
/// is prepared there.
void Connection::send(const Command& command) {
    const auto& params = command.params;
    const auto values = params.values();
    const auto lengths = params.lengths();
    const std::vector<int> formats(values.size(), 1);
    int sent = 0;
    if (!params_.prepares || is_pooled_) {
        sent = PQsendQueryParams(handle_.get(), command.sql.text(), params.count(), params.types(), values.data(),
                                 lengths.data(), formats.data(), 1);
    } else {
        const auto name = name_of(command.sql);
        const bool is_new = !prepared_.contains(command.sql) &&
                            std::find(preparing_.begin(), preparing_.end(), command.sql) == preparing_.end();
        if (is_new) {
            preparing_.push_back(command.sql);
            if (PQsendPrepare(handle_.get(), name.c_str(), command.sql.text(), params.count(), params.types()) == 0)
                lose("sending");
        }
        sent = PQsendQueryPrepared(handle_.get(), name.c_str(), params.count(), values.data(), lengths.data(),
                                   formats.data(), 1);
    }
    if (sent == 0) lose("sending");
}

void Connection::flush() {
    for (;;) {
        const int unsent = PQflush(handle_.get());
        if (unsent < 0) lose("sending");
        if (unsent == 0) return;
        wait(POLLIN | POLLOUT);
        if (PQconsumeInput(handle_.get()) == 0) lose("sending");
    }
}

void Connection::wait(short events) {
    std::unique_lock<std::mutex> search_turn;
    std::unique_ptr<Search> search;
    auto pause = usual_answer;
    auto search_after = Deadline::in(pause);
    for (;;) {
        std::vector<pollfd> sources;
        if (search) sources = search->sources();
        sources.push_back({PQsocket(handle_.get()), events, 0});
        poll(sources.data(), sources.size(), milliseconds_of(deadline_.left(look_at_others)));
        if (sources.back().revents != 0) return;
        const auto& limit = params_.patience.answer;
        if (deadline_.has_passed())
            give_up(limit ? concat("did not answer within ", format_duration(*limit)) : "did not answer in time");
        if (has_to_follow()) give_up("does not answer, and the primary is at another host now");
        const bool may_search = is_settled_ && url_.hosts.size() > 1 && search_after.has_passed();
        if (!search && may_search) search_turn = primary_->try_to_search();
        if (!search_turn) continue;
        if (look_around(search, {sources.data(), sources.size() - 1})) continue;
        search.reset();
        search_turn = {};
        pause = std::min(2 * pause, longest_pause);
        search_after = Deadline::in(pause);
    }
}

/// Begins a search, or goes on with it; false: it is over. All connections follow the one that has found a newer
/// primary. The host of this one is not asked: it is waited for anyway.
bool Connection::look_around(std::unique_ptr<Search>& search, std::span<const pollfd> seen) {
    try {
        if (!search) {
            auto others = all_hosts();
            std::erase(others, host_);
            auto params = search_among(std::move(others));
            params.limit = search_limit;
            search = std::make_unique<Search>(std::move(params));
            return true;
        }
        const auto found = search->go_on(seen);
        if (found && found->is_newer) primary_->found(found->host, found->timeline);
        return !found;
    } catch (const std::exception&) {
        return false;  // nobody else is the primary: the one that does not answer is waited for
    }
}

/// Answers come in the order of what was sent: of a new statement first that of its preparation, which is not passed
/// on. Once the server has refused something, it answers the rest of the pipeline with PGRES_PIPELINE_ABORTED up to
/// the synchronisation point. All of it has to be read, or the next call would take these answers for its own.
std::vector<Rows> Connection::read_answers(std::span<const Command> commands) {
    std::vector<Rows> answers;
    answers.reserve(commands.size());
    ResultHandle refused(nullptr, &PQclear);
    std::size_t prepares_read = 0;
    const auto is_prepare = [&](std::size_t answered) {
        return prepares_read < preparing_.size() && answered < commands.size() &&
               preparing_[prepares_read] == commands[answered].sql;
    };
    std::size_t answered = 0;
    for (;;) {
        PGresult* result = next_result(!refused && answered == commands.size());
        const auto status = PQresultStatus(result);
        if (status == PGRES_PIPELINE_SYNC) {
            PQclear(result);
            break;
        }
        if (is_prepare(answered)) {
            if (status == PGRES_COMMAND_OK) prepared_.insert(preparing_[prepares_read]);
            ++prepares_read;
            if (status == PGRES_COMMAND_OK || refused) {
                PQclear(result);
                continue;
            }
        }
        ++answered;
        if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
            answers.emplace_back(result);
        } else if (!refused && status != PGRES_PIPELINE_ABORTED) {
            refused.reset(result);
        } else {
            PQclear(result);
        }
    }
    if (refused) refuse(refused.get());
    return answers;
}

/// Waits until an answer can be taken. False: the connection broke.
bool Connection::await_result() {
    while (PQisBusy(handle_.get()) != 0) {
        wait(POLLIN);
        if (PQconsumeInput(handle_.get()) == 0) return false;
    }
    return true;
}

PGresult* Connection::next_result(bool may_be_done) {
    // A null separates the answers of two commands; two in a row can only come from a broken connection.
    for (int nulls = 0; nulls < 2; ++nulls) {
        // The last words of a server that closes the connection can be taken even then.
        (void)await_result();
        PGresult* result = PQgetResult(handle_.get());
        if (result == nullptr) continue;
        if (PQstatus(handle_.get()) == CONNECTION_OK && !is_last_word(result)) return result;
        const std::string message = one_line(trimmed(PQresultErrorMessage(result)));
        const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        const std::optional<std::string> sql_state = state ? std::optional<std::string>(state) : std::nullopt;
        PQclear(result);
        // A server that told why it closes the connection (a shutdown, a kill) has rolled back, unless it had
        // answered everything already. A pooler only tells that it lost the server.
        if (sql_state && !may_be_done && !is_pooled_ && !sql_state->starts_with("08")) {
            leave();
            throw Refusal(*sql_state, message);
        }
        lose(message);
    }
    lose("waiting for an answer");
}

void Connection::run_script(const std::string& sql) {
    deadline_ = Deadline::earlier(call_, Deadline::in(params_.patience.answer));
    PQexitPipelineMode(handle_.get());
    if (PQsendQuery(handle_.get(), sql.c_str()) == 0) lose("running a script");
    flush();
    ResultHandle last(nullptr, &PQclear);
    ResultHandle refused(nullptr, &PQclear);
    while (await_result()) {
        last.reset(PQgetResult(handle_.get()));
        if (!last) break;
        const auto status = PQresultStatus(last.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && !refused) refused = std::move(last);
    }
    if (PQstatus(handle_.get()) != CONNECTION_OK) lose("running a script");
    PQenterPipelineMode(handle_.get());
    if (refused) refuse(refused.get());
    throw_if_only_local();
}

void Connection::lose(const std::string& doing) {
    const std::string why = handle_ ? one_line(trimmed(PQerrorMessage(handle_.get()))) : "";
    leave();
    throw ConnectionLost(ConnectionLost::Why::Broke,
                         concat("the connection to ", mask_password(params_.url), " was lost (", doing, "): ", why));
}

/// The server may be at it still. The socket is shut down, because closing a connection in order waits for the
/// server, and so does PQcancel.
void Connection::give_up(const std::string& why) {
    shutdown(PQsocket(handle_.get()), SHUT_RDWR);
    if (backend_) abandoned_ = backend_;
    leave();
    throw ConnectionLost(ConnectionLost::Why::Unanswered,
                         concat("the server of ", mask_password(params_.url), " ", why));
}

void Connection::refuse(const PGresult* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    throw Refusal(state ? state : "", message ? message : one_line(trimmed(PQresultErrorMessage(result))));
}

}  // namespace holdfast::postgres
