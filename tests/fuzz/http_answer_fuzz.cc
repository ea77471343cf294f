#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/errors.h"
#include "server/http/message_reader.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace holdfast::http;

constexpr std::size_t max_body_bytes = 1000;

struct Reading {
    int status = 0;
    bool is_complete = false;
    std::string body = {};
};

/// nullopt when the bytes are not an answer.
std::optional<Reading> read(std::string_view bytes, std::size_t step) {
    ResponseReader reader(false, max_body_bytes);
    std::size_t used = 0;
    try {
        for (std::size_t given = 0; given < bytes.size() && !reader.is_complete();) {
            given = std::min(given + step, bytes.size());
            used += reader.feed(bytes.substr(used, given - used));
            require(used <= given);
        }
    } catch (const Unusable&) {
        return std::nullopt;
    }
    const bool is_complete = reader.is_complete() || reader.end();
    return Reading{reader.has_head() ? reader.status() : 0, is_complete, reader.body()};
}

std::vector<std::string> events_in(std::string_view bytes, std::size_t step) {
    EventReader reader;
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < bytes.size(); at += step)
        for (const ServerSentEvent& event : reader.feed(bytes.substr(at, step)))
            texts.push_back(event.event + "\n" + event.id + "\n" + event.data);
    return texts;
}

}  // namespace

/// Any bytes as what a server answers to the client, and as an event stream: it must not matter how they are cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 4096));
    const auto whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
    if (const auto pieces = read(bytes, 3); whole && pieces) require(whole->body == pieces->body);
    require(events_in(bytes, std::max<std::size_t>(bytes.size(), 1)) == events_in(bytes, 1));
    return 0;
}
