#pragma once

#include <optional>
#include <string>

#include "platform/files.h"
#include "runner/executor.h"

namespace holdfast::runner {

/// The files of one run of a script, in a directory of their own, which the destructor removes.
class ScriptFiles {
public:
    /// Throws std::system_error.
    ScriptFiles(std::string folder, const std::string& script, const std::string& checkpoint);

    [[nodiscard]] const std::string& folder() const { return folder_.path(); }
    [[nodiscard]] std::string script() const { return folder() + "/script"; }
    [[nodiscard]] std::string work() const { return folder() + "/work"; }  ///< the empty working directory
    [[nodiscard]] std::string result() const { return folder() + "/result"; }
    [[nodiscard]] std::string socket() const { return folder() + "/socket"; }
    [[nodiscard]] std::string checkpoint() const { return folder() + "/checkpoint"; }

private:
    platform::FreshFolder folder_;
};

/// The result of a script that ended with exit code 0: the contents of the result file, else the rest of the last
/// printed line after "OUTPUT: ", else null. nullopt: the script gave none.
struct GivenResult {
    std::string text;
    bool is_too_large = false;
};
[[nodiscard]] std::optional<GivenResult> given_result(const std::string& result_file,
                                                      const std::string& last_line_of_stdout,
                                                      std::int64_t max_payload);
[[nodiscard]] Outcome outcome_of_result(const GivenResult& given, std::int64_t max_payload);

}  // namespace holdfast::runner
