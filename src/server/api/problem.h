#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/message.h"

namespace holdfast::api {

/// One of several complaints about what was sent.
struct Fault {
    std::string where = {};   ///< "retry.max_attempts", "tasks[3].name", "?limit"
    std::string detail = {};  ///< goes on from there: "must be a whole number, not \"three\""

    friend bool operator==(const Fault&, const Fault&) = default;
};

/// A kind of answer that is no success: its code for programs, its status and title for everybody.
struct ProblemKind {
    std::string_view code;
    int status;
    std::string_view title;
};
/// Every one that the API answers with, as docs/api.md lists them.
[[nodiscard]] const std::vector<ProblemKind>& problem_kinds();

/// Ends the handling of a request; Api::handle answers with it (RFC 9457). Everything in it may be read by whoever
/// asked.
class Problem : public std::exception {
public:
    /// `code` is one of problem_kinds(). `detail` is a sentence that says what to do.
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

/// What the exception that is being handled means to whoever asked; nullopt: it is a defect, of which nothing is
/// told.
[[nodiscard]] std::optional<Problem> problem_of(const std::exception& failure);

}  // namespace holdfast::api
