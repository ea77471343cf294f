#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "server/http/message_reader.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace holdfast::http;
using State = RequestReader::State;

constexpr std::size_t max_input_bytes = 4096;
const Limits limits = {.max_header_bytes = 600, .max_body_bytes = 300, .max_target_bytes = 200};

/// What became of the bytes: the request, or the status by which it was refused; neither: more is wanted.
struct Reading {
    std::optional<Request> request;
    bool head_only = false;
    bool keeps_alive = false;
    bool is_refused = false;
    std::size_t used = 0;
};

void check_text(const std::string& text) {
    require(!text_defect(text));
}

void check_request(const Request& request) {
    for (const std::string& segment : request.path) {
        check_text(segment);
        require(!segment.empty() && segment != "." && segment != "..");
    }
    for (const auto& [name, value] : request.query) {
        check_text(name);
        check_text(value);
    }
    for (const auto& [name, value] : request.headers) {
        check_text(value);
        require(!name.empty() &&
                std::ranges::none_of(name, [](char c) { return c <= ' ' || (c >= 'A' && c <= 'Z'); }));
        require(value.find_first_of("\r\n") == std::string::npos);
    }
    require(request.header("content-length").empty() || request.header("transfer-encoding").empty());
    require(request.body.size() <= limits.max_body_bytes);
    require(request.method != "HEAD" && !request.method.empty());
}

void check_refusal(const Problem& problem) {
    constexpr int statuses[] = {400, 413, 414, 417, 431};
    require(std::ranges::count(statuses, problem.status) == 1);
    require(!problem.code.empty() && !problem.detail.empty());
    check_text(to_response(problem).body);
}

/// Reads one request, given `step` bytes at a time.
Reading read(std::string_view bytes, std::size_t step) {
    RequestReader reader(limits);
    Reading reading;
    std::size_t given = 0;
    while (reader.state() == State::Head || reader.state() == State::Body) {
        if (given == bytes.size()) return reading;
        given = std::min(given + step, bytes.size());
        const std::size_t used = reader.feed(bytes.substr(reading.used, given - reading.used));
        require(used <= given - reading.used);
        reading.used += used;
    }
    reading.is_refused = reader.state() == State::Refused;
    if (reading.is_refused) {
        check_refusal(reader.problem());
        return reading;
    }
    reading.head_only = reader.wants_head_only();
    reading.keeps_alive = reader.keeps_alive();
    reading.request = reader.take();
    check_request(*reading.request);
    return reading;
}

void check_same(const Reading& left, const Reading& right) {
    require(left.is_refused == right.is_refused);
    require(left.request.has_value() == right.request.has_value());
    if (!left.request) return;
    require(left.used == right.used && left.head_only == right.head_only && left.keeps_alive == right.keeps_alive);
    require(left.request->method == right.request->method && left.request->path == right.request->path);
    require(left.request->query == right.request->query && left.request->headers == right.request->headers);
    require(left.request->body == right.request->body);
}

}  // namespace

/// Any bytes as what a client sends: requests one after the other, until one is refused. It must not matter how they
/// are cut, and what gets through keeps what message.h promises to handlers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view bytes(reinterpret_cast<const char*>(data), std::min(size, max_input_bytes));
    while (!bytes.empty()) {
        const Reading whole = read(bytes, bytes.size());
        check_same(whole, read(bytes, 1));
        check_same(whole, read(bytes, 7));
        if (!whole.request) break;
        bytes.remove_prefix(whole.used);
    }
    return 0;
}
