#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

constexpr std::string_view examples_heading = "Examples:\n  ";
constexpr std::string_view examples_separator = "\n  ";

bool any(const CLI::App* /*command*/) {
    return true;
}

// ---- Bad usage ----------------------------------------------------------------------------------

/// The deepest command that was parsed: "tasks" when the word after it is unknown.
const CLI::App& deepest_command(const CLI::App& program) {
    const auto parsed = program.get_subcommands();
    return parsed.empty() ? program : deepest_command(*parsed.back());
}

std::string path_of(const CLI::App& command) {
    if (command.get_parent() == nullptr) return command.get_name();
    return path_of(*command.get_parent()) + " " + command.get_name();
}

std::vector<std::string> commands_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* child : command.get_subcommands(any)) names.push_back(child->get_name());
    return names;
}

void add_options_of(const CLI::App& command, std::vector<std::string>& names) {
    for (const auto* option : command.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
}

/// The options of the command and of all commands above it.
std::vector<std::string> known_options(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* level = &command; level != nullptr; level = level->get_parent())
        add_options_of(*level, names);
    return names;
}

std::string unexpected_word(const CLI::App& program, const std::string& word) {
    const CLI::App& command = deepest_command(program);
    const std::string shown = mask_password(word);
    const std::string path = path_of(command);
    if (word.starts_with('-'))
        return fmt::format("'{}' has no option {}{}; see '{} --help'", path, shown,
                           suggestion(word, known_options(command)), path);
    const auto commands = commands_of(command);
    if (commands.empty()) return fmt::format("'{}' does not take '{}'; see '{} --help'", path, shown, path);
    return fmt::format("'{}' is not a command of '{}'{}; see '{} --help'", shown, path, suggestion(word, commands),
                       path);
}

std::string missing_word(const CLI::App& program, const CLI::RequiredError& fault) {
    const CLI::App& command = deepest_command(program);
    const std::string path = path_of(command);
    const auto commands = commands_of(command);
    if (!commands.empty())
        return fmt::format("'{}' needs one of: {}; see '{} --help'", path, join(commands, ", "), path);
    return fmt::format("'{}': {}; see '{} --help'", path, fault.what(), path);
}

std::string fault_text(const CLI::App& program, const CLI::ParseError& fault) {
    const auto extras = program.remaining(/*recurse=*/true);
    if (!extras.empty()) return unexpected_word(program, extras.front());
    if (const auto* missing = dynamic_cast<const CLI::RequiredError*>(&fault)) return missing_word(program, *missing);
    return fmt::format("{}; see '{} --help'", fault.what(), path_of(deepest_command(program)));
}

}  // namespace

// ---- Options ------------------------------------------------------------------------------------

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::excludes(Option other) const {
    option_->excludes(other.option_);
    return *this;
}

Option Option::environment(const char* variable) const {
    option_->envname(variable);
    return *this;
}

Option Command::flag(const char* names, bool& value, const char* help) {
    return Option(app_->add_flag(names, value, help));
}

Option Command::text(const char* names, std::string& value, const char* type, const std::string& help) {
    return Option(app_->add_option(names, value, help)->type_name(type));
}

Option Command::texts(const char* names, std::vector<std::string>& values, const char* type, const char* help) {
    return Option(app_->add_option(names, values, help)->type_name(type)->allow_extra_args(false));
}

Option Command::comma_separated(const char* names, std::vector<std::string>& values, const char* type,
                                const char* help) {
    return Option(app_->add_option(names, values, help)->delimiter(',')->type_name(type));
}

template <typename Number>
Option Command::number(const char* names, Number& value, const char* type, const char* help) {
    return Option(app_->add_option(names, value, help)->type_name(type));
}
template Option Command::number(const char*, int&, const char*, const char*);
template Option Command::number(const char*, std::optional<std::uint64_t>&, const char*, const char*);

template <typename Number, typename Bound>
Option Command::number_within(const char* names, Number& value, Bound least, Bound most, const char* help) {
    return Option(app_->add_option(names, value, help)->check(CLI::Range(least, most)));
}
template Option Command::number_within(const char*, int&, int, int, const char*);
template Option Command::number_within(const char*, std::size_t&, int, int, const char*);
template Option Command::number_within(const char*, double&, int, int, const char*);
template Option Command::number_within(const char*, double&, double, double, const char*);

Option Command::one_of(const char* names, std::string& value, const std::vector<std::string>& allowed,
                       const char* help) {
    return Option(app_->add_option(names, value, help)->check(CLI::IsMember(allowed)));
}

void Command::argument(const char* name, std::string& value, const char* help) {
    app_->add_option(name, value, help)->required()->type_name("");
}

void Command::optional_argument(const char* name, std::string& value, const char* help) {
    app_->add_option(name, value, help)->type_name("");
}

void Command::arguments(const char* name, std::vector<std::string>& values, const char* help) {
    app_->add_option(name, values, help)->required()->type_name("");
}

// ---- Commands -----------------------------------------------------------------------------------

void Command::group(const char* name, const char* help, const std::vector<AddCommand>& members) {
    Command added(*app_->add_subcommand(name, help)->require_subcommand(1), *chosen_);
    for (const AddCommand add_member : members) add_member(added);
}

Command Command::add(const char* name, const char* help, Action act) {
    CLI::App* const added = app_->add_subcommand(name, help);
    added->callback([chosen = chosen_, act = std::move(act)] { *chosen = act; });
    return {*added, *chosen_};
}

void Command::hide() {
    app_->group("");
}

void Command::examples(std::vector<std::string> lines) {
    app_->footer(concat(examples_heading, join(lines, examples_separator)));
}

std::vector<std::string> Command::examples() const {
    const std::string footer = app_->get_footer();
    if (!footer.starts_with(examples_heading)) return {};
    std::vector<std::string> lines;
    for (const std::string_view line : split(std::string_view(footer).substr(examples_heading.size()), '\n'))
        lines.emplace_back(trimmed(line));
    return lines;
}

std::string Command::help() const {
    return app_->get_description();
}

std::string Command::option_help(const std::string& name) const {
    const auto* option = app_->get_option_no_throw(name);
    return option == nullptr ? "" : option->get_description();
}

std::string Command::name() const {
    return app_->get_name();
}

Command Command::root() const {
    CLI::App* top = app_;
    while (top->get_parent() != nullptr) top = top->get_parent();
    return {*top, *chosen_};
}

std::vector<Command> Command::commands() const {
    std::vector<Command> commands;
    for (CLI::App* const child : app_->get_subcommands([](CLI::App*) { return true; }))
        commands.emplace_back(*child, *chosen_);
    return commands;
}

std::vector<std::string> Command::option_names() const {
    std::vector<std::string> names;
    add_options_of(*app_, names);
    return names;
}

// ---- The program --------------------------------------------------------------------------------

Program::Program(const std::string& name, const char* help, const std::string& version)
    : app_(std::make_unique<CLI::App>(help, name)), root_(*app_, chosen_) {
    app_->fallthrough();
    app_->set_version_flag("--version", version, "Print the program's version");
}

Program::~Program() = default;

Reading Program::read(std::vector<std::string> words) {
    if (!app_->get_subcommands(any).empty()) app_->require_subcommand(1);
    if (words.empty()) return {.text = app_->help()};
    std::ranges::reverse(words);  // in the order that the library expects
    try {
        app_->parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        return {.text = app_->help()};
    } catch (const CLI::CallForVersion& version) {
        return {.text = concat(version.what(), '\n')};
    } catch (const CLI::ParseError& fault) {
        return {.fault = fault_text(*app_, fault)};
    }
    const auto parsed = app_->get_subcommands();
    return {.action = chosen_, .command = parsed.empty() ? "" : parsed.front()->get_name()};
}

}  // namespace holdfast::cli
