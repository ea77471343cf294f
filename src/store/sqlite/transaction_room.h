#pragma once

#include <cstddef>

#include "store/store.h"

namespace holdfast::sqlite {

/// Limits the payloads of one transaction: all other writers wait until it is on disk, beats too.
inline constexpr std::size_t max_transaction_bytes = 4 << 20;

/// The payload of an item of a batch; 0 but for the types below.
template <typename Item>
[[nodiscard]] std::size_t payload_bytes(const Item&) {
    return 0;
}
[[nodiscard]] inline std::size_t payload_bytes(const store::NewTask& task) {
    return task.args.size() + task.spec.size();
}
[[nodiscard]] inline std::size_t payload_bytes(const store::FinishedRun& run) {
    return run.result.size() + run.error.message.size() + run.error.data.size();
}
[[nodiscard]] inline std::size_t payload_bytes(const store::ProgressReport& report) {
    return report.text.size() + (report.checkpoint ? report.checkpoint->size() : 0);
}
[[nodiscard]] inline std::size_t payload_bytes(const store::LogChunk& chunk) {
    return chunk.text.size();
}

/// What one transaction of a batch has room for: max_batch_rows items with payloads of max_transaction_bytes, or one
/// larger payload.
class TransactionRoom {
public:
    /// Whether the item fits in; if so, counts it.
    template <typename Item>
    [[nodiscard]] bool takes(const Item& item) {
        const auto bytes = payload_bytes(item);
        const bool is_too_much = bytes > 0 && bytes_ > 0 && bytes_ + bytes > max_transaction_bytes;
        if (rows_ == store::max_batch_rows || is_too_much) return false;
        ++rows_;
        bytes_ += bytes;
        return true;
    }
    [[nodiscard]] bool is_empty() const { return rows_ == 0; }
    [[nodiscard]] bool has_rows(std::size_t count) const { return rows_ + count <= store::max_batch_rows; }

private:
    std::size_t rows_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace holdfast::sqlite
