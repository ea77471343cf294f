#include "tests/architecture/layer_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <set>

#include "base/text.h"
#include "tests/architecture/source_text.h"

namespace holdfast::architecture {

namespace {

using Names = std::vector<std::string>;

const std::string api = "include/holdfast", base = "src/base", core = "src/core", config = "src/config",
                  store = "src/store", sqlite = "src/store/sqlite", postgres = "src/store/postgres",
                  engine = "src/engine", platform = "src/platform", runner = "src/runner", client = "src/client",
                  worker = "src/worker", views = "src/views", http = "src/server/http", routes = "src/server/api",
                  page = "src/server/page", remote = "src/server/remote", server = "src/server/process",
                  cli = "src/cli", parser = "src/cli/command.cc", proof = "proof", program = "src/main.cc";

std::vector<Layer> stated_layers() {
    const Names json{"nlohmann/"};
    const Names everything{api,    base,   core,  config, store,  sqlite, postgres, engine, platform, runner,
                           client, worker, views, http,   routes, page,   remote,   server, cli};
    return {
        {api, {}, json},
        {base, {api}, {"unistd.h"}},  // Descriptor closes what it owns
        {core, {api, base}, json, false, true},
        {config, {api, base, core}, {"nlohmann/", "yaml-cpp/"}, true},
        {store, {api, base, core}, json},
        {sqlite, {api, base, core, store}, {"nlohmann/", "sqlite3.h"}, true},
        {postgres, {api, base, core, store}, {"nlohmann/", "libpq-fe.h"}, true},
        {engine, {api, base, core, store}, json, false, true},
        {platform, {api, base, core, store, engine}, json, true},  // engine, store: ports it implements and drives
        {runner, {api, base, core, store, engine, platform}, json, true},
        {client, {api, base, core, store, sqlite, postgres, platform}, {"nlohmann/", "libpq-fe.h"}, true},
        {worker, {api, base, core, store, engine, platform, runner, client}, json, true},
        {views, {api, base, core, config, store, engine, platform, client}, json},
        {http, {api, base, platform}, {"nlohmann/", "boost/", "openssl/", "zlib.h"}, true},
        {routes,
         {api, base, core, config, store, engine, platform, client, views, http},
         {"nlohmann/", "fmt/", "openssl/"},
         true},
        {page, {api, base, http}, {}, false},
        {remote, {api, base, core, config, store, engine, platform, client, views, http}, json, true},
        {server,
         {api, base, core, config, store, engine, platform, runner, client, worker, views, http, routes, page},
         {"nlohmann/", "fmt/", "prometheus/", "openssl/"},
         true},
        {cli, everything, {"nlohmann/", "fmt/"}, true},
        {parser, {base, cli}, {"fmt/", "CLI/"}},  // all other files describe their options to cli::Command
        {proof, everything, {"nlohmann/", "fmt/", "CLI/", "libpq-fe.h", "sqlite3.h"}, true},
        {program, {api, cli, proof}, {}},
    };
}

/// How the headers of every library that the project knows begin: what is not here is the operating system's.
constexpr std::array<std::string_view, 13> libraries = {"nlohmann/", "yaml-cpp/", "fmt/",        "spdlog/", "boost/",
                                                        "openssl/",  "CLI/",      "prometheus/", "date/",   "sqlite3",
                                                        "libpq",     "pqxx/",     "zlib.h"};

const std::set<std::string> impure_headers = {
    "thread",     "mutex",      "shared_mutex", "condition_variable",
    "future",     "semaphore",  "latch",        "barrier",
    "stop_token", "atomic",     "random",       "ctime",
    "csignal",    "csetjmp",    "cstdio",       "iostream",
    "fstream",    "filesystem", "syncstream",   "execution",
};

struct BannedCall {
    std::string what;
    std::regex pattern;
};

const std::vector<BannedCall>& banned_calls() {
    static const std::vector<BannedCall> calls = [] {
        std::vector<BannedCall> made;
        const auto ban = [&](const char* what, const char* pattern) { made.push_back({what, std::regex(pattern)}); };
        ban("a clock", R"(\b(system|steady|high_resolution|utc|tai|gps|file)_clock\b)");
        ban("a clock", R"(\b(clock_gettime|gettimeofday|localtime|localtime_r)\b)");
        ban("a clock", R"(\btime\s*\(\s*(nullptr|NULL|0|&))");
        ban("a thread", R"(\b(jthread|this_thread|pthread_\w+|sleep_for|sleep_until|usleep|nanosleep)\b)");
        ban("a thread", R"(\bstd\s*::\s*(thread|async|mutex|atomic|condition_variable|future|promise)\b)");
        ban("randomness", R"(\b(random_device|mt19937(_64)?|default_random_engine|s?rand|getrandom|arc4random)\b)");
        ban("the environment", R"(\b(getenv|secure_getenv|setenv|putenv)\b)");
        ban("a process", R"(\b(fork|vfork|execvp?e?|posix_spawnp?|popen|waitpid|getpid)\s*\()");
        ban("a process", R"(\bstd\s*::\s*(system|exit|quick_exit)\b)");
        ban("a socket or file", R"((^|[^\w.>])(socket|connect|listen|poll|select|recv|send|fopen)\s*\()");
        ban("a stream of the process", R"(\bstd\s*::\s*(cout|cerr|clog|cin|f?printf|puts)\b)");
        return made;
    }();
    return calls;
}

bool is_within(std::string_view path, std::string_view folder) {
    return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

bool contains(const Names& names, const std::string& name) {
    return std::ranges::count(names, name) > 0;
}

bool is_standard(const std::string& header) {
    return header.find_first_of("./") == std::string::npos;
}

/// The file of this project that an include names; nullopt when it names something else.
std::optional<std::string> project_file(const std::string& include) {
    if (include.starts_with("holdfast/")) return "include/" + include;
    if (include.starts_with("proof/")) return include;
    for (const Layer& layer : layers())
        if (is_within("src/" + include, layer.folder)) return "src/" + include;
    return std::nullopt;
}

bool is_of_library(const std::string& header) {
    return std::ranges::any_of(libraries, [&](std::string_view start) { return header.starts_with(start); });
}

bool is_impure(const std::string& header) {
    return impure_headers.contains(header) || (!is_standard(header) && !header.starts_with("nlohmann/"));
}

class Inspection {
public:
    explicit Inspection(const Sources& sources) : sources_(sources) {}

    Names run() {
        for (const auto& [path, text] : sources_) inspect(path, text);
        return std::move(found_);
    }

private:
    void inspect(const std::string& path, const std::string& text) {
        const Layer* layer = layer_of(path);
        if (layer == nullptr) {
            found_.push_back(concat(path, ": is in no known layer; see tests/architecture/layer_rules.cc"));
            return;
        }
        for (const Include& include : includes_of(text)) inspect_include(path, *layer, include);
        if (!layer->is_pure) return;
        inspect_calls(path, text);
        std::set<std::string> visited{path};
        inspect_reach(path, path, visited);
    }

    void inspect_include(const std::string& path, const Layer& layer, const Include& include) {
        if (const auto target = project_file(include.path)) {
            const Layer* seen = layer_of(*target);
            if (seen != &layer && !contains(layer.may_see, seen->folder))
                complain(path, include, concat(layer.folder, " may not see ", seen->folder));
        } else if (std::ranges::any_of(layer.may_use,
                                       [&](const auto& start) { return include.path.starts_with(start); })) {
            return;
        } else if (is_of_library(include.path)) {
            complain(path, include, concat(layer.folder, " may not use that library"));
        } else if (include.path.find("..") != std::string::npos) {
            complain(path, include, "includes are written from src/ or include/");
        } else if (!is_standard(include.path) && !layer.may_touch_the_system) {
            complain(path, include, concat(layer.folder, " may not touch the operating system"));
        }
    }

    /// Through whichever headers of the project: a pure layer must not get at the world.
    void inspect_reach(const std::string& origin, const std::string& path, std::set<std::string>& visited) {
        const auto source = sources_.find(path);
        if (source == sources_.end()) return;
        for (const Include& include : includes_of(source->second)) {
            const auto target = project_file(include.path);
            const bool is_excused = path == "src/base/assert.h";  // it prints, then aborts
            if (target && visited.insert(*target).second) inspect_reach(origin, *target, visited);
            if (!target && !is_excused && is_impure(include.path))
                found_.push_back(
                    concat(origin, ": is pure, but gets <", include.path, "> through ", path, ":", include.line));
        }
    }

    void inspect_calls(const std::string& path, const std::string& text) {
        std::istringstream lines(code_of(text));
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number)
            for (const BannedCall& call : banned_calls()) {
                std::smatch match;
                if (std::regex_search(line, match, call.pattern))
                    found_.push_back(
                        concat(path, ":", number, ": is pure, but uses ", call.what, ": ", match[0].str()));
            }
    }

    void complain(const std::string& path, const Include& include, const std::string& rule) {
        found_.push_back(concat(path, ":", include.line, ": includes ", include.path, "; ", rule));
    }

    const Sources& sources_;
    Names found_;
};

}  // namespace

const std::vector<Layer>& layers() {
    static const std::vector<Layer> stated = stated_layers();
    return stated;
}

const Layer* layer_of(std::string_view path) {
    const Layer* deepest = nullptr;
    for (const Layer& layer : layers())
        if (is_within(path, layer.folder) && (deepest == nullptr || layer.folder.size() > deepest->folder.size()))
            deepest = &layer;
    return deepest;
}

std::vector<std::string> violations(const Sources& sources) {
    return Inspection(sources).run();
}

}  // namespace holdfast::architecture
