#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runner/messages.h"

/// Any bytes: read as a stream in two pieces, and as one packet. What is accepted must be written back as it came.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::runner;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    FrameReader reader;
    std::string written;
    for (const std::string_view piece : {bytes.substr(0, size / 2), bytes.substr(size / 2)}) {
        reader.feed(piece);
        while (const auto message = reader.next()) append_frame(written, *message);
    }
    if (!bytes.starts_with(written)) std::abort();
    if (const auto message = parse_packet(bytes); message && to_packet(*message) != bytes) std::abort();
    return 0;
}
