#include "cli/commands.h"
#include "views/configuration.h"

namespace holdfast::cli {

namespace {

ExitCode print_complaints(const Session& session, const config::ConfigErrors& errors) {
    for (const auto& error : errors) session.io.err << "holdfast: " << to_text(error) << '\n';
    if (session.globals.json)
        session.print(
            Json{{"valid", false}, {"file", nullptr}, {"errors", array_of(errors)}, {"warnings", Json::array()}});
    return ExitCode::BadUsage;
}

ExitCode check_config(Session& session) {
    const auto loaded = session.try_config();
    if (!loaded) return print_complaints(session, loaded.error());
    const std::string& file = loaded->file;
    for (const auto& warning : loaded->warnings) session.io.err << "holdfast: warning: " << to_text(warning) << '\n';
    if (session.globals.json)
        session.print(Json{{"valid", true},
                           {"file", file.empty() ? Json() : Json(file)},
                           {"errors", Json::array()},
                           {"warnings", array_of(loaded->warnings)}});
    else
        session.io.out << (file.empty() ? "there is no configuration file; the defaults are valid\n"
                                        : file + " is valid\n");
    return ExitCode::Done;
}

ExitCode show_config(Session& session) {
    const config::Config config = session.load_config();
    return session.list({"KEY", "VALUE", "FROM"}, config.settings, [](const config::Setting& setting) {
        return Row{{setting.key}, {setting.value}, {to_text(setting.origin), Tone::Faint}};
    });
}

}  // namespace

void add_config(Command& config) {
    config.add("check", "Say whether it is valid, or all that is wrong with it", check_config);
    config.add("show", "Every effective value, and where it came from", show_config);
}

}  // namespace holdfast::cli
