#include "server/http/event_reader.h"

#include <utility>

#include "holdfast/errors.h"

namespace holdfast::http {

namespace {
constexpr std::size_t max_message_bytes = 16 << 20;
}

std::vector<ServerSentEvent> EventReader::feed(std::string_view bytes) {
    std::vector<ServerSentEvent> complete;
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
        std::string_view line = std::string_view(rest_).substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        read_line(line, complete);
        begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() + event_.data.size() > max_message_bytes)
        throw Unusable("the server's stream has a message that is too large");
    return complete;
}

void EventReader::read_line(std::string_view line, std::vector<ServerSentEvent>& complete) {
    if (line.empty()) {
        if (std::exchange(has_data_, false)) complete.push_back(std::move(event_));
        event_ = {};
        return;
    }
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") event_.event = value;
    if (name == "id") event_.id = value;
    if (name == "data") {
        if (std::exchange(has_data_, true)) event_.data += '\n';
        event_.data += value;
    }
}

}  // namespace holdfast::http
