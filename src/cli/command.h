#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/terminal/io.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace holdfast::cli {

// The command line as the commands describe it. Only command.cc knows the library that parses it.

struct Session;

/// The work of a command; runs after the whole line has been read.
using Action = std::function<ExitCode(Session&)>;

class Command;
/// Adds a command, or several, to the program or to a group.
using AddCommand = void (*)(Command&);

/// An option of a command. A handle: copies mean the same option.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option required() const;
    Option excludes(Option other) const;
    /// Taken from this variable of the environment when the line lacks it.
    Option environment(const char* variable) const;

private:
    CLI::Option* option_;
};

/// A command, or the program itself. A handle: copies mean the same command. The program outlives it.
class Command {
public:
    Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

    /// A command, and the values that its options fill in.
    template <typename Flags>
    struct Added;

    // ---- Commands below this one ------------------------------------------------------------------

    /// A command that only has commands of its own, each added by one of `members`.
    void group(const char* name, const char* help, const std::vector<AddCommand>& members);
    /// A command without options.
    Command add(const char* name, const char* help, Action act);
    /// A command that is given what its options say: `act(session, flags)`.
    template <typename Flags>
    Added<Flags> add(const char* name, const char* help, std::function<ExitCode(Session&, const Flags&)> act);
    template <typename Parameter>
    Added<std::remove_cvref_t<Parameter>> add(const char* name, const char* help,
                                              ExitCode (*act)(Session&, Parameter));
    /// Leaves it out of its parent's help.
    void hide();

    // ---- Options: `names` are "--file" or "-f,--file", `type` names the value in the help ------------

    Option flag(const char* names, bool& value, const char* help);
    Option text(const char* names, std::string& value, const char* type, const std::string& help);
    /// May be given several times, with one value each.
    Option texts(const char* names, std::vector<std::string>& values, const char* type, const char* help);
    Option comma_separated(const char* names, std::vector<std::string>& values, const char* type, const char* help);
    /// For int and std::optional<std::uint64_t>.
    template <typename Number>
    Option number(const char* names, Number& value, const char* type, const char* help);
    /// From `least` to `most`; for int, std::size_t and double.
    template <typename Number, typename Bound>
    Option number_within(const char* names, Number& value, Bound least, Bound most, const char* help);
    Option one_of(const char* names, std::string& value, const std::vector<std::string>& allowed, const char* help);

    // ---- Words without a dash -----------------------------------------------------------------------

    void argument(const char* name, std::string& value, const char* help);  ///< must be given
    void optional_argument(const char* name, std::string& value, const char* help);
    void arguments(const char* name, std::vector<std::string>& values, const char* help);  ///< at least one

    // ---- What there is ------------------------------------------------------------------------------

    [[nodiscard]] std::string name() const;
    [[nodiscard]] Command root() const;  ///< the program
    [[nodiscard]] std::vector<Command> commands() const;
    [[nodiscard]] std::vector<std::string> option_names() const;  ///< "--file"; those with two dashes only

private:
    CLI::App* app_;
    Action* chosen_;
};

template <typename Flags>
struct Command::Added {
    Command command;
    Flags& given;
};

/// A command line that has been read: an action to run, a text to print, or a fault.
struct Reading {
    Action action = {};
    std::string command = {};  ///< the first word of an action: "tasks"
    std::string help = {};
    std::string fault = {};  ///< one sentence, for the person who typed the line
};

/// The program with all its commands.
class Program {
public:
    Program(const std::string& name, const char* help);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] Command& root() { return root_; }
    /// `words` follow the program's name. Options of the root may also follow a command.
    [[nodiscard]] Reading read(std::vector<std::string> words);

private:
    std::unique_ptr<CLI::App> app_;
    Action chosen_;
    Command root_;
};

template <typename Flags>
Command::Added<Flags> Command::add(const char* name, const char* help,
                                   std::function<ExitCode(Session&, const Flags&)> act) {
    auto given = std::make_shared<Flags>();
    return {add(name, help, Action([given, act = std::move(act)](Session& session) { return act(session, *given); })),
            *given};
}

template <typename Parameter>
Command::Added<std::remove_cvref_t<Parameter>> Command::add(const char* name, const char* help,
                                                            ExitCode (*act)(Session&, Parameter)) {
    using Flags = std::remove_cvref_t<Parameter>;
    return add(name, help, std::function<ExitCode(Session&, const Flags&)>(act));
}

}  // namespace holdfast::cli
