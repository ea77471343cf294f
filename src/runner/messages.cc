#include "runner/messages.h"

#include <array>
#include <utility>

#include "runner/codec.h"

namespace holdfast::runner {

namespace {

// The fields of each message, in the order of the wire; `M` is const when they are written.

template <typename T, typename M>
constexpr bool is = std::is_same_v<T, std::remove_const_t<M>>;

template <typename V, typename M>
requires is<Setup, M>
void visit(V& v, M& m) {
    v(m.worker), v(m.max_tasks), v(m.memory_limit), v(m.max_payload);
    v(m.containers.command), v(m.containers.run_options), v(m.pass_env);
}
template <typename V, typename M>
requires is<Run, M>
void visit(V& v, M& m) {
    auto& order = m.order;
    v(order.lease.task), v(order.lease.lease), v(order.name), v(order.args), v(order.spec), v(order.attempt);
    v(order.timeout), v(order.checkpoint), v(order.fenced), v(order.traceparent), v(m.fence);
}
template <typename V, typename M>
requires is<Ready, M>
void visit(V& v, M& m) {
    v(m.pid);
}
template <typename V, typename M>
requires is<Ended, M>
void visit(V& v, M& m) {
    v(m.lease), v(m.completed), v(m.saw_stop), v(m.threw_stop), v(m.leaves), v(m.result);
    v(m.error.code), v(m.error.message), v(m.error.data);
}
template <typename V, typename M>
requires is<Stop, M>
void visit(V& v, M& m) {
    v(m.lease), v.choice(m.cause, engine::StopCause::LeaseLost), v(m.grace);
}
template <typename V, typename M>
requires is<SetFence, M>
void visit(V& v, M& m) {
    v(m.deadline);
}
template <typename V, typename M>
requires is<Credit, M>
void visit(V& v, M& m) {
    v(m.bytes);
}
template <typename V, typename M>
requires is<Beat, M> || is<HoldOpen, M>
void visit(V& /*v*/, M& /*m*/) {}
template <typename V, typename M>
requires is<Progressed, M>
void visit(V& v, M& m) {
    v(m.lease), v(m.fraction), v(m.text), v(m.checkpoint);
}
template <typename V, typename M>
requires is<Printed, M>
void visit(V& v, M& m) {
    v(m.lease), v(m.stream), v(m.text), v(m.at);
}
template <typename V, typename M>
requires is<SpawnRunner, M>
void visit(V& v, M& m) {
    v(m.runner), v(m.worker);
}
template <typename V, typename M>
requires is<KillRunner, M>
void visit(V& v, M& m) {
    v(m.runner);
}
template <typename V, typename M>
requires is<GuardRunner, M>
void visit(V& v, M& m) {
    v(m.runner), v(m.is_fenced);
}
template <typename V, typename M>
requires is<RunnerDied, M>
void visit(V& v, M& m) {
    v(m.runner), v(m.status), v(m.reason), v(m.fenced);
}

void append_packet(std::string& out, const Message& message) {
    WireWriter writer(out);
    writer(static_cast<std::uint8_t>(message.index() + 1));
    std::visit([&](const auto& each) { visit(writer, each); }, message);
}

template <std::size_t Index>
std::optional<Message> parse_as(std::string_view fields) {
    std::optional<Message> message(std::in_place, std::in_place_index<Index>);
    WireReader reader(fields);
    visit(reader, std::get<Index>(*message));
    if (!reader.ok()) message.reset();
    return message;
}

using Parser = std::optional<Message> (*)(std::string_view);
template <std::size_t... Indices>
constexpr std::array<Parser, sizeof...(Indices)> make_parsers(std::index_sequence<Indices...>) {
    return {&parse_as<Indices>...};
}
constexpr auto parsers = make_parsers(std::make_index_sequence<std::variant_size_v<Message>>());

constexpr std::size_t prefix = 4;

std::uint32_t length_at(std::string_view bytes) {
    WireReader reader(bytes.substr(0, prefix));
    std::uint32_t length = 0;
    reader(length);
    return length;
}

}  // namespace

void append_frame(std::string& out, const Message& message) {
    const std::size_t start = out.size();
    out.append(prefix, '\0');
    append_packet(out, message);
    std::string length;
    WireWriter{length}(static_cast<std::uint32_t>(out.size() - start - prefix));
    out.replace(start, prefix, length);
}

std::string to_packet(const Message& message) {
    std::string packet;
    append_packet(packet, message);
    return packet;
}

std::optional<Message> parse_packet(std::string_view packet) {
    if (packet.empty()) return std::nullopt;
    const auto type = static_cast<std::size_t>(static_cast<unsigned char>(packet.front()));
    if (type == 0 || type > parsers.size()) return std::nullopt;
    return parsers[type - 1](packet.substr(1));
}

void FrameReader::feed(std::string_view bytes) {
    if (read_ == bytes_.size()) {
        bytes_.clear();
        read_ = 0;
    } else if (read_ > bytes_.size() / 2) {
        bytes_.erase(0, std::exchange(read_, 0));
    }
    bytes_.append(bytes);
}

std::optional<Message> FrameReader::next() {
    const std::string_view unread = std::string_view(bytes_).substr(read_);
    if (is_broken_ || unread.size() < prefix) return std::nullopt;
    const std::size_t length = length_at(unread);
    is_broken_ = length == 0 || length > largest_frame;
    if (is_broken_ || unread.size() - prefix < length) return std::nullopt;
    auto message = parse_packet(unread.substr(prefix, length));
    is_broken_ = !message;
    read_ += prefix + length;
    return message;
}

}  // namespace holdfast::runner
