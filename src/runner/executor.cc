#include "runner/executor.h"

#include "base/text.h"
#include "runner/texts.h"

namespace holdfast::runner {

Outcome completed_with(std::string result, std::int64_t max_payload) {
    if (static_cast<std::int64_t>(result.size()) > max_payload)
        return failed_with(error_code::result_too_large,
                           concat("the result has ", result.size(), " bytes; allowed are ", max_payload));
    return {.completed = true, .result = std::move(result), .error = {}};
}

Outcome failed_with(std::string_view code, const std::string& message, const std::string& data) {
    return {.result = {}, .error = {std::string(code), readable_text(message), readable_text(data)}};
}

Outcome interrupted() {
    return {.saw_stop = true, .result = {}, .error = {}};
}

}  // namespace holdfast::runner
