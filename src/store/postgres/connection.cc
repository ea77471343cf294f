#include "store/postgres/connection.h"

#include <poll.h>

#include <optional>

#include "base/text.h"
#include "store/errors.h"

namespace holdfast::postgres {

namespace {

using ResultHandle = std::unique_ptr<PGresult, decltype(&PQclear)>;

/// The name under which a statement is prepared.
std::string name_of(Sql sql) {
    return concat("h", reinterpret_cast<std::uintptr_t>(sql.text()));
}

/// Keywords for libpq. Those before `dbname` are defaults that the URL may override; those after it are not.
struct Keywords {
    std::vector<const char*> names, values;
    void add(const char* name, const char* value) {
        names.push_back(name);
        values.push_back(value);
    }
};

Keywords keywords_of(const ConnectParams& params) {
    Keywords keywords;
    keywords.add("connect_timeout", params.notices_death_fast ? "3" : "10");
    keywords.add("keepalives_idle", "10");
    keywords.add("keepalives_interval", "5");
    keywords.add("keepalives_count", "3");
    keywords.add("tcp_user_timeout", "30000");
    keywords.add("fallback_application_name", params.purpose.c_str());
    keywords.add("dbname", params.url.c_str());
    keywords.add("client_encoding", "UTF8");
    if (params.notices_death_fast) {
        keywords.add("keepalives_idle", "2");
        keywords.add("keepalives_interval", "1");
        keywords.add("keepalives_count", "2");
        keywords.add("tcp_user_timeout", "4000");
    }
    keywords.add(nullptr, nullptr);
    return keywords;
}

/// Is a retry pointless until a person has acted? libpq gives no SQLSTATE for a refused connection.
bool needs_a_person(std::string_view message) {
    for (const std::string_view sign : {"authentication failed", "no pg_hba.conf entry", "does not exist", "invalid ",
                                        "no password supplied", "permission denied for database"})
        if (message.find(sign) != std::string_view::npos) return true;
    return false;
}

}  // namespace

void Connection::ensure_open() {
    if (handle_ && was_closed_by_server()) close();
    if (!handle_) connect();
}

void Connection::close() {
    handle_.reset();
    prepared_.clear();
    preparing_.clear();
}

bool Connection::was_closed_by_server() {
    pollfd socket{PQsocket(handle_.get()), POLLIN, 0};
    if (poll(&socket, 1, 0) <= 0) return PQstatus(handle_.get()) != CONNECTION_OK;
    return PQconsumeInput(handle_.get()) == 0 || PQstatus(handle_.get()) != CONNECTION_OK;
}

void Connection::connect() {
    const auto keywords = keywords_of(params_);
    handle_.reset(PQconnectdbParams(keywords.names.data(), keywords.values.data(), 1));
    if (PQstatus(handle_.get()) != CONNECTION_OK) {
        const auto message = concat("cannot connect to ", mask_password(params_.url), ": ",
                                    handle_ ? one_line(trimmed(PQerrorMessage(handle_.get()))) : "out of memory");
        close();
        if (needs_a_person(message)) throw store::Unusable(message);
        throw store::Unavailable(message);
    }
    refuse_other_encodings();
    ++generation_;
    PQsetNoticeProcessor(
        handle_.get(), [](void*, const char*) {}, nullptr);
    if (params_.notices_death_fast) ask_server_to_notice_death();
    PQenterPipelineMode(handle_.get());
}

/// Tasks hold any text: one character that the database cannot store would make its whole batch fail.
void Connection::refuse_other_encodings() {
    const char* encoding = PQparameterStatus(handle_.get(), "server_encoding");
    if (encoding == nullptr || std::string_view(encoding) == "UTF8") return;
    auto message = concat("the database of ", mask_password(params_.url), " has the encoding ", encoding,
                          "; holdfast needs UTF8: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'");
    close();
    throw store::Unusable(message);
}

/// Makes the server notice on its own end that the client's packets stop coming: it has to release the session's
/// locks. A setting that the server's platform does not support is refused; the others have to do.
void Connection::ask_server_to_notice_death() {
    for (const char* setting :
         {"SET client_connection_check_interval = 1000", "SET tcp_keepalives_idle = 2",
          "SET tcp_keepalives_interval = 1", "SET tcp_keepalives_count = 2", "SET tcp_user_timeout = 4000"})
        ResultHandle(PQexec(handle_.get(), setting), &PQclear);
}

/// A pipeline: all commands are sent before the first answer is read, so they cost one round trip.
std::vector<Rows> Connection::run(std::span<const Command> commands) {
    preparing_.clear();
    for (const auto& command : commands) send(command);
    if (PQpipelineSync(handle_.get()) == 0) lose("sending");
    return read_answers(commands);
}

/// A statement that this session has not met is prepared first, in the same pipeline; read_answers() has to know,
/// because that has an answer of its own. Behind a transaction-mode pooler the next transaction may have another
/// session, so nothing is prepared there.
void Connection::send(const Command& command) {
    const auto& params = command.params;
    const auto values = params.values();
    const auto lengths = params.lengths();
    const std::vector<int> formats(values.size(), 1);
    int sent = 0;
    if (!params_.prepares) {
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
        PGresult* result = next_result();
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

PGresult* Connection::next_result() {
    // A null separates the answers of two commands; two in a row can only come from a broken connection.
    for (int nulls = 0; nulls < 2; ++nulls) {
        if (PGresult* result = PQgetResult(handle_.get())) {
            if (PQstatus(handle_.get()) == CONNECTION_OK) return result;
            const std::string message = one_line(trimmed(PQresultErrorMessage(result)));
            const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
            const std::optional<std::string> sql_state = state ? std::optional<std::string>(state) : std::nullopt;
            PQclear(result);
            // The server told why it closes the connection (a shutdown, a kill), so it has rolled back.
            if (sql_state) {
                close();
                throw Refusal(*sql_state, message);
            }
            lose(message);
        }
    }
    lose("waiting for an answer");
}

void Connection::run_script(const std::string& sql) {
    PQexitPipelineMode(handle_.get());
    const ResultHandle result(PQexec(handle_.get(), sql.c_str()), &PQclear);
    if (PQstatus(handle_.get()) != CONNECTION_OK) lose("running a script");
    PQenterPipelineMode(handle_.get());
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) refuse(result.get());
}

void Connection::lose(const std::string& doing) {
    const std::string why = handle_ ? one_line(trimmed(PQerrorMessage(handle_.get()))) : "";
    close();
    throw ConnectionLost(concat("the connection to ", mask_password(params_.url), " was lost (", doing, "): ", why));
}

void Connection::refuse(const PGresult* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    throw Refusal(state ? state : "", message ? message : one_line(trimmed(PQresultErrorMessage(result))));
}

}  // namespace holdfast::postgres
