#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace holdfast::http {

/// Makes messages of an event stream out of its bytes, however they are cut. Comments are left out.
class EventReader {
public:
    /// The messages that are complete now. Throws Unusable when one grows beyond 16 MiB.
    std::vector<ServerSentEvent> feed(std::string_view bytes);

private:
    void read_line(std::string_view line, std::vector<ServerSentEvent>& complete);

    std::string rest_;  // of a line
    ServerSentEvent event_;
    bool has_data_ = false;
};

}  // namespace holdfast::http
