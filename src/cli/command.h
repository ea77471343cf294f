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

// The command line as the commands describe it. Only command.cc depends on the library that parses it.

struct Session;

/// The work of a command; called after the whole line has been parsed.
using Action = std::function<ExitCode(Session&)>;

class Command;
/// Adds one or more commands to the program or to a group.
using AddCommand = void (*)(Command&);

/// An option of a command. A handle: copies refer to the same option.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option required() const;
    Option excludes(Option other) const;
    /// Reads the value from this environment variable when the line lacks the option.
    Option environment(const char* variable) const;

private:
    CLI::Option* option_;
};

/// A command, or the program itself. A handle: copies refer to the same command. The program must outlive it.
class Command {
public:
    Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

    /// A command together with the values that its options set.
    template <typename Flags>
    struct Added;

    // ---- Commands below this one ------------------------------------------------------------------

    /// Adds a command that only groups others; each of `members` adds one.
    void group(const char* name, const char* help, const std::vector<AddCommand>& members);
    /// Adds a command without options.
    Command add(const char* name, const char* help, Action act);
    /// Adds a command that receives the values of its options: `act(session, flags)`.
    template <typename Flags>
    Added<Flags> add(const char* name, const char* help, std::function<ExitCode(Session&, const Flags&)> act);
    template <typename Parameter>
    Added<std::remove_cvref_t<Parameter>> add(const char* name, const char* help,
                                              ExitCode (*act)(Session&, Parameter));
    /// Hides the command in the help of its parent.
    void hide();
    /// Ends the help with whole command lines that a person can copy.
    void examples(std::vector<std::string> lines);

    // ---- Options: `names` are "--file" or "-f,--file", `type` names the value in the help ------------

    Option flag(const char* names, bool& value, const char* help);
    Option text(const char* names, std::string& value, const char* type, const std::string& help);
    /// Adds an option that may be repeated, with one value each.
    Option texts(const char* names, std::vector<std::string>& values, const char* type, const char* help);
    Option comma_separated(const char* names, std::vector<std::string>& values, const char* type, const char* help);
    /// Adds an option with a number; for int and std::optional<std::uint64_t>.
    template <typename Number>
    Option number(const char* names, Number& value, const char* type, const char* help);
    /// Adds an option with a number from `least` to `most`; for int, std::size_t and double.
    template <typename Number, typename Bound>
    Option number_within(const char* names, Number& value, Bound least, Bound most, const char* help);
    Option one_of(const char* names, std::string& value, const std::vector<std::string>& allowed, const char* help);

    // ---- Words without a dash -----------------------------------------------------------------------

    void argument(const char* name, std::string& value, const char* help);  ///< required
    void optional_argument(const char* name, std::string& value, const char* help);
    void arguments(const char* name, std::vector<std::string>& values, const char* help);  ///< at least one

    // ---- Queries ------------------------------------------------------------------------------------

    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string help() const;  ///< its one sentence
    [[nodiscard]] std::vector<std::string> examples() const;
    [[nodiscard]] Command root() const;  ///< the program
    [[nodiscard]] std::vector<Command> commands() const;
    [[nodiscard]] std::vector<std::string> option_names() const;  ///< "--file"; only those with two dashes
    [[nodiscard]] std::string option_help(const std::string& name) const;

private:
    CLI::App* app_;
    Action* chosen_;
};

template <typename Flags>
struct Command::Added {
    Command command;
    Flags& given;
};

/// The result of parsing a command line: an action to run, a text to print, or a fault.
struct Reading {
    Action action = {};
    std::string command = {};  ///< the first word of an action: "tasks"
    std::string text = {};     ///< the help, or the version
    std::string fault = {};    ///< one sentence, for the person who typed the line
};

/// The program with all its commands.
class Program {
public:
    /// `version` is what --version prints.
    Program(const std::string& name, const char* help, const std::string& version);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] Command& root() { return root_; }
    /// Parses the words after the program's name. Options of the root may also follow a command.
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
