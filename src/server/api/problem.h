#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/message.h"

namespace holdfast::api {

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
    [[nodiscard]] const ProblemKind& kind() const { return kind_; }
    [[nodiscard]] const std::string& detail() const { return detail_; }
    [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }

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

}  // namespace holdfast::api
