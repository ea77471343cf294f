#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

namespace {

Json shapes_of(const config::ConfigErrors& errors) {
    Json shapes = Json::array();
    for (const auto& error : errors) shapes.push_back(to_json_shape(error));
    return shapes;
}

ExitCode print_complaints(const Session& session, const config::ConfigErrors& errors) {
    for (const auto& error : errors) session.io.err << "holdfast: " << to_text(error) << '\n';
    if (session.globals.json)
        session.io.out << Json{{"valid", false},
                               {"file", nullptr},
                               {"errors", shapes_of(errors)},
                               {"warnings", Json::array()}}
                              .dump()
                       << '\n';
    return ExitCode::BadUsage;
}

ExitCode check(Session& session) {
    const auto loaded = session.try_config();
    if (!loaded) return print_complaints(session, loaded.error());
    const std::string& file = loaded->file;
    for (const auto& warning : loaded->warnings) session.io.err << "holdfast: warning: " << to_text(warning) << '\n';
    if (session.globals.json)
        session.io.out << Json{{"valid", true},
                               {"file", file.empty() ? Json() : Json(file)},
                               {"errors", Json::array()},
                               {"warnings", shapes_of(loaded->warnings)}}
                              .dump()
                       << '\n';
    else
        session.io.out << (file.empty() ? "there is no configuration file; the defaults are valid\n"
                                        : file + " is valid\n");
    return ExitCode::Done;
}

ExitCode show(Session& session) {
    const config::Config config = session.load_config();
    std::vector<std::vector<Cell>> rows;
    for (const auto& setting : config.settings) {
        if (session.globals.json) session.io.out << to_json_shape(setting).dump() << '\n';
        rows.push_back({{setting.key}, {setting.value}, {to_text(setting.origin), Tone::Faint}});
    }
    if (!session.globals.json) print_table(session.io, {"KEY", "VALUE", "FROM"}, rows);
    return ExitCode::Done;
}

}  // namespace

void add_config(CLI::App& program, Action& chosen) {
    auto* config = program.add_subcommand("config", "Check and show the configuration");
    config->require_subcommand(1);
    config->add_subcommand("check", "Say whether it is valid, or all that is wrong with it")->callback([&chosen] {
        chosen = check;
    });
    config->add_subcommand("show", "Every effective value, and where it came from")->callback([&chosen] {
        chosen = show;
    });
}

}  // namespace holdfast::cli
