#include "views/members.h"

#include <stdexcept>

#include "base/text.h"

namespace holdfast::views {

void misfit(std::string_view what, const Json& found) {
    throw std::invalid_argument(concat(found.dump(), " is not a ", what));
}

void Form<Uuid>::read(const Json& shape, Uuid& id) {
    const auto parsed = Uuid::parse(shape.get<std::string>());
    if (!parsed) misfit("UUID", shape);
    id = *parsed;
}

Json Form<Timestamp>::write(Timestamp at) {
    return format_timestamp(at);
}
void Form<Timestamp>::read(const Json& shape, Timestamp& at) {
    const auto parsed = parse_timestamp(shape.get<std::string>());
    if (!parsed) misfit("time", shape);
    at = *parsed;
}

Json Form<Duration>::write(Duration length) {
    return format_duration(length);
}
void Form<Duration>::read(const Json& shape, Duration& length) {
    const auto parsed = parse_duration(shape.get<std::string>(), std::chrono::seconds(1));
    if (!parsed) misfit("duration", shape);
    length = *parsed;
}

}  // namespace holdfast::views
