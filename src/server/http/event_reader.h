#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace holdfast::http {

/// Parses the bytes of an event stream, in pieces of any size, into messages. Comments are skipped.
class EventReader {
public:
    /// Adds bytes and returns the messages that they complete. Throws Unusable when a message exceeds 16 MiB.
    std::vector<ServerSentEvent> feed(std::string_view bytes);

private:
    void read_line(std::string_view line, std::vector<ServerSentEvent>& complete);

    std::string rest_;  // the beginning of a line whose end has not arrived
    ServerSentEvent event_;
    bool has_data_ = false;
};

}  // namespace holdfast::http
