#include "runner/program_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/text.h"
#include "platform/programs.h"
#include "platform/service_loop.h"
#include "platform/sockets.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

constexpr Duration patience_after_hello = std::chrono::seconds(2);

/// One command, which can take the place of the shell: then its death is seen as what it is.
bool is_simple(std::string_view command) {
    const std::string_view first = command.substr(0, command.find(' '));
    return first != "exec" && command.find_first_of(";&|<>()\n") == std::string_view::npos &&
           first.find('=') == std::string_view::npos;
}

/// The first line, or why there is none.
Result<std::string, std::string> first_line(const ProgramProcess& program, std::size_t longest, Duration patience) {
    LineReader lines(longest);
    std::array<char, 64 * 1024> buffer;
    for (const Duration until = platform::machine_time() + patience;;) {
        if (const auto line = lines.next()) return std::string(*line);
        if (lines.is_over()) return Failure{concat("sent a line of more than ", longest, " bytes")};
        const Duration left = until - platform::machine_time();
        pollfd readable{program.socket.get(), POLLIN, 0};
        if (left <= Duration::zero() || poll(&readable, 1, platform::poll_timeout(left)) == 0)
            return Failure{concat("sent no hello within ", format_duration(patience))};
        const ssize_t got = recv(program.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got > 0) lines.feed({buffer.data(), static_cast<std::size_t>(got)});
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return Failure{std::string("ended without a hello; what it printed on stderr says why")};
    }
}

}  // namespace

Result<ProgramProcess, std::string> start_program(const ProgramParams& params) {
    auto [ours, its] = platform::socket_pair(SOCK_STREAM);
    platform::set_nonblocking(ours.get());
    fcntl(its.get(), F_SETFD, 0);
    platform::LaunchParams launch;
    launch.file = "/bin/sh";
    launch.arguments = {"sh", "-c", is_simple(params.command) ? "exec " + params.command : params.command};
    launch.environment = params.environment;
    launch.environment.push_back(concat(program_socket_variable, "=", its.get()));
    launch.environment.push_back(concat(program_payload_variable, "=", params.max_payload));
    launch.directory = ".";
    launch.identity = params.identity;
    const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    launch.input = nothing.get();
    const auto pid = platform::launch(launch);
    if (!pid) return Failure{pid.error()};
    return ProgramProcess{*pid, std::move(ours)};
}

void LineReader::feed(std::string_view bytes) {
    if (read_ > 0) {
        bytes_.erase(0, read_);
        searched_ -= std::min(searched_, read_);
        read_ = 0;
    }
    bytes_.append(bytes);
}

std::optional<std::string_view> LineReader::next() {
    const std::size_t end = bytes_.find('\n', std::max(searched_, read_));
    if (end == std::string::npos) {
        searched_ = bytes_.size();
        return std::nullopt;
    }
    const std::size_t begin = read_;
    if (end - begin > longest_) return std::nullopt;
    read_ = searched_ = end + 1;
    return std::string_view(bytes_).substr(begin, end - begin);
}

bool LineReader::is_over() const {
    return bytes_.size() - read_ > longest_ && std::min(bytes_.find('\n', read_), bytes_.size()) - read_ > longest_;
}

Result<ProgramHello, std::string> ask_program(const ProgramParams& params, Duration patience) {
    const auto failed = [&](const std::string& why) {
        return Failure{concat("The runner program '", params.command, "' ", why)};
    };
    auto program = start_program(params);
    if (!program) return failed("cannot be started: " + program.error());
    const auto line = first_line(program.value(), longest_program_line(params.max_payload), patience);
    program.value().socket.close();  // it ends
    const bool ended_well =
        platform::status_within(program.value().pid, line ? patience_after_hello : Duration{1}) == 0;
    (void)ended_well;  // a program that does not leave is killed
    if (!line) return failed(line.error());
    const auto message = parse_program_line(*line, params.max_payload);
    if (!message) return failed("sent " + message.error());
    const auto* hello = std::get_if<ProgramHello>(&message.value());
    if (hello == nullptr) return failed("sent another message before its hello");
    return *hello;
}

}  // namespace holdfast::runner
