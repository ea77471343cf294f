#include "runner/messages.h"

#include <errno.h>
#include <sys/socket.h>

#include <array>
#include <bit>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace holdfast::runner {

namespace {

// ---- The members of each record, in the order of the wire ---------------------------------------------------------
// The member `runner` of an event is not sent: the pool knows by its socket which runner it is.

template <typename Record>
constexpr auto members = nullptr;  // a record without a row does not compile

template <>
constexpr auto members<ContainerTool> = std::tuple(&ContainerTool::command, &ContainerTool::run_options);
template <>
constexpr auto members<PoolLimits> = std::tuple(&PoolLimits::max_tasks_per_runner, &PoolLimits::memory_bytes,
                                                &PoolLimits::max_payload, &PoolLimits::containers,
                                                &PoolLimits::pass_env, &PoolLimits::max_processes,
                                                &PoolLimits::scratch_bytes, &PoolLimits::secret_sources);
template <>
constexpr auto members<platform::Identity> = std::tuple(&platform::Identity::user, &platform::Identity::group,
                                                        &platform::Identity::groups, &platform::Identity::home,
                                                        &platform::Identity::is_exclusive);
template <>
constexpr auto members<Setup> = std::tuple(&Setup::worker, &Setup::limits, &Setup::identity, &Setup::program);
template <>
constexpr auto members<store::TaskLease> = std::tuple(&store::TaskLease::task, &store::TaskLease::lease);
template <>
constexpr auto members<engine::RunOrder> = std::tuple(&engine::RunOrder::lease, &engine::RunOrder::name,
                                                      &engine::RunOrder::args, &engine::RunOrder::spec,
                                                      &engine::RunOrder::attempt, &engine::RunOrder::timeout,
                                                      &engine::RunOrder::checkpoint, &engine::RunOrder::fenced,
                                                      &engine::RunOrder::traceparent);
template <>
constexpr auto members<Run> = std::tuple(&Run::order, &Run::fence);
template <>
constexpr auto members<engine::RunnerReady> = std::tuple(&engine::RunnerReady::pid);
template <>
constexpr auto members<TaskError> = std::tuple(&TaskError::code, &TaskError::message, &TaskError::data);
template <>
constexpr auto members<engine::RunEnded> = std::tuple(&engine::RunEnded::lease, &engine::RunEnded::completed,
                                                      &engine::RunEnded::saw_stop, &engine::RunEnded::threw_stop,
                                                      &engine::RunEnded::leaves, &engine::RunEnded::result,
                                                      &engine::RunEnded::error);
template <>
constexpr auto members<Stop> = std::tuple(&Stop::lease, &Stop::cause, &Stop::grace);
template <>
constexpr auto members<SetFence> = std::tuple(&SetFence::deadline);
template <>
constexpr auto members<Credit> = std::tuple(&Credit::bytes, &Credit::lease);
template <>
constexpr auto members<engine::RunnerBeat> = std::tuple();
template <>
constexpr auto members<engine::RunProgress> = std::tuple(&engine::RunProgress::lease, &engine::RunProgress::fraction,
                                                         &engine::RunProgress::text,
                                                         &engine::RunProgress::checkpoint);
template <>
constexpr auto members<engine::RunLog> = std::tuple(&engine::RunLog::lease, &engine::RunLog::stream,
                                                    &engine::RunLog::text, &engine::RunLog::at);
template <>
constexpr auto members<SpawnRunner> = std::tuple(&SpawnRunner::runner, &SpawnRunner::worker, &SpawnRunner::identity);
template <>
constexpr auto members<KillRunner> = std::tuple(&KillRunner::runner);
template <>
constexpr auto members<GuardRunner> = std::tuple(&GuardRunner::runner, &GuardRunner::is_fenced);
template <>
constexpr auto members<HoldOpen> = std::tuple();
template <>
constexpr auto members<SetWitness> = std::tuple();
template <>
constexpr auto members<RunnerDied> = std::tuple(&RunnerDied::runner, &RunnerDied::status, &RunnerDied::reason,
                                                &RunnerDied::fenced);
template <>
constexpr auto members<Retire> = std::tuple();
template <>
constexpr auto members<ProgramTask> = std::tuple(&ProgramTask::name, &ProgramTask::schema);
template <>
constexpr auto members<ProgramHello> = std::tuple(&ProgramHello::sdk, &ProgramHello::tasks,
                                                  &ProgramHello::concurrency, &ProgramHello::code);
template <>
constexpr auto members<ProgramReady> = std::tuple(&ProgramReady::pid, &ProgramReady::hello);
template <>
constexpr auto members<ProgramLeaves> = std::tuple(&ProgramLeaves::why);
template <>
constexpr auto members<ProgramDied> = std::tuple(&ProgramDied::how);
template <>
constexpr auto members<ProgramSaid> = std::tuple(&ProgramSaid::text);

constexpr auto last_stop_cause = static_cast<std::uint8_t>(engine::StopCause::LeaseLost);

// ---- Values as bytes, little-endian -------------------------------------------------------------------------------

/// Appends values to a text. Its counterpart is WireReader.
class WireWriter {
public:
    explicit WireWriter(std::string& out) : out_(out) {}

    template <std::integral Number>
    void operator()(Number value) {
        for (std::size_t i = 0; i < sizeof value; ++i) out_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    }
    void operator()(double value) { (*this)(std::bit_cast<std::uint64_t>(value)); }
    void operator()(engine::StopCause value) { (*this)(static_cast<std::uint8_t>(value)); }
    void operator()(Duration value) { (*this)(static_cast<std::int64_t>(value.count())); }
    void operator()(Timestamp value) { (*this)(value.time_since_epoch()); }
    void operator()(const Uuid& value) {
        for (const std::uint8_t byte : value.bytes()) (*this)(byte);
    }
    void operator()(const std::string& text) {
        (*this)(static_cast<std::uint32_t>(text.size()));
        out_.append(text);
    }
    template <typename Value>
    void operator()(const std::vector<Value>& values) {
        (*this)(static_cast<std::uint32_t>(values.size()));
        for (const Value& value : values) (*this)(value);
    }
    template <typename Value>
    void operator()(const std::optional<Value>& value) {
        (*this)(value.has_value());
        if (value) (*this)(*value);
    }
    template <typename Record>
    requires std::is_class_v<Record>
    void operator()(const Record& record) {
        std::apply([&](auto... member) { ((*this)(record.*member), ...); }, members<Record>);
    }

private:
    std::string& out_;
};

/// Reads back what a WireWriter wrote. Safe for any bytes: it never reads past their end, and ok() tells
/// whether they were a message. Values read after the first defect are empty.
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : left_(bytes) {}

    /// Every value was present and valid, and no byte is left over.
    [[nodiscard]] bool ok() const { return ok_ && left_.empty(); }

    template <std::integral Number>
    void operator()(Number& value) {
        value = static_cast<Number>(number<std::make_unsigned_t<Number>>());
    }
    void operator()(bool& value) { value = choice(1) == 1; }
    void operator()(double& value) { value = std::bit_cast<double>(number<std::uint64_t>()); }
    void operator()(engine::StopCause& value) { value = static_cast<engine::StopCause>(choice(last_stop_cause)); }
    void operator()(Duration& value) { value = Duration(static_cast<std::int64_t>(number<std::uint64_t>())); }
    void operator()(Timestamp& value) {
        Duration since{};
        (*this)(since);
        value = Timestamp(since);
    }
    void operator()(Uuid& value) {
        Uuid::Bytes bytes{};
        for (std::uint8_t& byte : bytes) (*this)(byte);
        value = Uuid(bytes);
    }
    void operator()(std::string& text) { text = take(number<std::uint32_t>()); }
    template <typename Value>
    void operator()(std::vector<Value>& values) {
        constexpr std::uint32_t most = 10'000;  // an empty text takes more memory than it takes bytes of a message
        values.clear();
        auto count = number<std::uint32_t>();
        if (count > most) ok_ = false;
        for (; count > 0 && ok_; --count) (*this)(values.emplace_back());
    }
    template <typename Value>
    void operator()(std::optional<Value>& value) {
        bool is_there = false;
        (*this)(is_there);
        value.reset();
        if (is_there) (*this)(value.emplace());
    }
    template <typename Record>
    requires std::is_class_v<Record>
    void operator()(Record& record) {
        std::apply([&](auto... member) { ((*this)(record.*member), ...); }, members<Record>);
    }

private:
    std::string_view take(std::size_t size) {
        if (size > left_.size()) ok_ = false;
        if (!ok_) return {};
        const std::string_view taken = left_.substr(0, size);
        left_.remove_prefix(size);
        return taken;
    }
    template <typename Number>
    Number number() {
        const std::string_view bytes = take(sizeof(Number));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
        return static_cast<Number>(value);
    }
    /// A byte from 0 to `last`; 0 when it is another one.
    std::uint8_t choice(std::uint8_t last) {
        const auto byte = number<std::uint8_t>();
        if (byte > last) ok_ = false;
        return ok_ ? byte : 0;
    }

    std::string_view left_;
    bool ok_ = true;
};

void append_packet(std::string& out, const Message& message) {
    WireWriter writer(out);
    writer(static_cast<std::uint8_t>(message.index() + 1));
    std::visit(writer, message);
}

template <std::size_t Index>
std::optional<Message> parse_as(std::string_view fields) {
    std::optional<Message> message(std::in_place, std::in_place_index<Index>);
    WireReader reader(fields);
    reader(std::get<Index>(*message));
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

bool Outbox::send(int socket, const Message& message) {
    append_frame(unsent_, message);
    return flush(socket);
}

bool Outbox::flush(int socket) {
    while (size() > 0) {
        const ssize_t sent = ::send(socket, unsent_.data() + sent_, size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        sent_ += static_cast<std::size_t>(sent);
    }
    unsent_.clear();
    sent_ = 0;
    return true;
}

}  // namespace holdfast::runner
