#include "runner/run_update.h"

#include "base/text.h"

namespace holdfast::runner {

namespace {
constexpr std::size_t longest_text = 4096;
}

std::optional<std::string> update_defect(const RunUpdate& update, std::int64_t max_payload) {
    if (update.fraction && !(*update.fraction >= 0 && *update.fraction <= 1))
        return concat("progress must be a fraction from 0 to 1, not ", *update.fraction);
    if (update.text.size() > longest_text)
        return concat("the text of a progress may have ", longest_text, " bytes, not ", update.text.size());
    if (const auto defect = text_defect(update.text)) return "the text of the progress " + *defect;
    const auto size = static_cast<std::int64_t>(update.checkpoint ? update.checkpoint->size() : 0);
    if (size > max_payload) return concat("the checkpoint has ", size, " bytes; allowed are ", max_payload);
    return std::nullopt;
}

}  // namespace holdfast::runner
