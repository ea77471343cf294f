#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/message.h"
#include "views/members.h"

namespace holdfast::api {

using views::Json;

// ---- Answers ------------------------------------------------------------------------------------

[[nodiscard]] http::Response answer(const Json& body, int status = 200);
/// Answers with a record that views/ describes by a table of members.
template <typename Record>
requires(requires { table(views::Of<Record>()); }) [[nodiscard]] http::Response
    answer(const Record& record, int status = 200) {
    return answer(views::to_json_shape(record), status);
}

/// Answers {"items": [...], "next": CURSOR | null}.
[[nodiscard]] http::Response answer_list(Json items, Json next = nullptr);
template <typename Record>
[[nodiscard]] http::Response answer_list(const std::vector<Record>& records, Json next = nullptr) {
    return answer_list(views::array_of(records), std::move(next));
}

/// Answers an order about a task, job or worker: {"id", "status"}.
[[nodiscard]] http::Response steered(const Uuid& id, std::string_view status);

// ---- Problems -----------------------------------------------------------------------------------

/// One fault of a request; an answer may list several.
struct Fault {
    std::string where = {};   ///< "retry.max_attempts", "tasks[3].name", "?limit"
    std::string detail = {};  ///< continues the sentence: "must be a whole number, not \"three\""

    friend bool operator==(const Fault&, const Fault&) = default;
};

/// A kind of error answer: a code for programs, an HTTP status, and a title for people.
struct ProblemKind {
    std::string_view code;
    int status;
    std::string_view title;
};
/// Returns every kind that the API answers with, as docs/api.md lists them.
[[nodiscard]] const std::vector<ProblemKind>& problem_kinds();

/// Ends the handling of a request; Api::handle turns it into the answer (RFC 9457). The client sees all of it.
class Problem : public std::exception {
public:
    /// `code` is one of problem_kinds(). `detail` is a sentence that tells the client what to do.
    explicit Problem(std::string_view code, std::string detail, std::vector<Fault> faults = {});

    [[nodiscard]] const char* what() const noexcept override { return detail_.c_str(); }
    [[nodiscard]] Problem with_header(std::string name, std::string value) && {
        headers_.emplace_back(std::move(name), std::move(value));
        return std::move(*this);
    }
    [[nodiscard]] http::Response response() const;

private:
    ProblemKind kind_;
    std::string detail_;
    std::vector<Fault> faults_;
    std::vector<std::pair<std::string, std::string>> headers_;
};

/// Returns the answer to the client for an exception; nullopt: a defect, whose details go only to the log.
[[nodiscard]] std::optional<Problem> problem_of(const std::exception& failure);

/// Throws NOT_FOUND for a task, job or worker (`kind`) that was removed while the request was handled.
[[noreturn]] void refuse_gone(std::string_view kind, const Uuid& id);
/// Throws CONFLICT for a task or job that had ended before the order.
[[noreturn]] void refuse_ended(std::string_view kind, const Uuid& id);
/// Throws one of these when the order had no effect for that reason.
template <typename Status>
void require_steered(Status status, std::string_view kind, const Uuid& id) {
    if (status == Status::NotFound) refuse_gone(kind, id);
    if (status == Status::Finished) refuse_ended(kind, id);
}

/// Returns "; did you mean NAME?" with the most similar name; empty: none is similar.
[[nodiscard]] std::string suggestion(const std::string& name, const std::vector<std::string>& known);
/// Returns the fault of an unknown name: "is not known; ..." with a suggestion, or with all known names.
[[nodiscard]] std::string unknown(const std::string& name, const std::vector<std::string>& known);

}  // namespace holdfast::api
