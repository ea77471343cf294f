#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace std::chrono_literals;

void check_duration(std::string_view text, Duration plain_unit) {
    const auto length = parse_duration(text, plain_unit);
    if (!length) return;
    require(*length >= 0us);
    require(parse_duration(format_duration(*length), 1h) == length);
}

void check_timestamp(std::string_view text) {
    const auto at = parse_timestamp(text);
    if (at) require(parse_timestamp(format_timestamp(*at)) == at);
}

}  // namespace

/// Any text: what is read as a length or a point in time is written so that it is read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Duration plain_unit : {Duration(1us), Duration(1ms), Duration(1s), Duration(1h)})
        check_duration(text, plain_unit);
    check_timestamp(text);
    return 0;
}
