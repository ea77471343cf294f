#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "config/sections.h"

namespace holdfast::config {

namespace {

constexpr const char* usual_name = "holdfast.yaml";

/// Reads the sections of a parsed file.
class FileLayer {
public:
    FileLayer(std::string file, const ZoneDefect& zone_defect, Draft& draft, Config& config)
        : file_(std::move(file)), zone_defect_(zone_defect), draft_(draft), config_(config) {}

    void read_root(const SourceNode& root) {
        if (root.kind == NodeKind::Null || !is_mapping(root)) return;
        for (const SourceNode& section : root.children) read_section(section);
        read_what_names_others(root);
    }

private:
    void read_section(const SourceNode& section) {
        if (std::ranges::count(kept_sections(), section.key) > 0) return keep(section);
        if (std::ranges::count(field_sections(), section.key) == 0) return refuse_key("", section);
        if (section.kind == NodeKind::Null) return;
        if (section.key == "store" && section.kind == NodeKind::Scalar)
            return choose(*find_field("store.url"), section);
        if (!is_mapping(section)) return;
        for (const SourceNode& entry : section.children) {
            const Field* field = find_field(concat(section.key, '.', entry.key));
            field != nullptr ? choose(*field, entry) : refuse_key(section.key, entry);
        }
    }

    void choose(const Field& field, const SourceNode& entry) {
        draft_.choose(field, entry, {OriginKind::File, file_, entry.key_at});
    }

    void keep(const SourceNode& section) {
        if (section.key == "tasks") tasks_ = read_tasks(section, file_, draft_);
        if (section.key == "keys") config_.keys = read_keys(section, file_, draft_);
    }

    /// Reads the sections that refer to others: workflows name tasks of the catalog; schedules name both.
    void read_what_names_others(const SourceNode& root) {
        config_.tasks = tasks_.catalog;
        const SourceNode* workflows = root.find("workflows");
        const std::size_t errors_before = draft_.errors().size();
        if (workflows != nullptr) read_workflows(*workflows);
        const SourceNode* schedules = root.find("schedules");
        if (schedules == nullptr) return;
        const bool is_faulty = draft_.errors().size() > errors_before;
        const Startable startable{.tasks = tasks_,
                                  .workflows = config_.workflows,
                                  .lacks_workflows = is_faulty && workflows->kind != NodeKind::Mapping};
        config_.schedules = read_schedules(*schedules, file_, startable, zone_defect_, draft_);
    }

    void read_workflows(const SourceNode& section) {
        if (section.kind == NodeKind::Scalar)
            config_.workflow_directory = (std::filesystem::path(file_).parent_path() / section.scalar).string();
        WorkflowSection workflows(draft_);
        workflows.read_section(section, file_, tasks_);
        config_.workflows = workflows.finish({});
    }

    bool is_mapping(const SourceNode& node) {
        if (node.kind == NodeKind::Mapping) return true;
        draft_.complain({.where = {OriginKind::File, file_, node.at},
                         .key = node.path,
                         .title = concat(word_of(node.kind), " instead of a mapping"),
                         .found = shown_under(node.path, node),
                         .allowed = concat("a mapping with the keys ", known_keys(node.path))});
        return false;
    }

    void refuse_key(std::string_view section, const SourceNode& entry) {
        const KeyAdvice advice = advice_on_key(section, entry.key, entry);
        draft_.complain({.where = {OriginKind::File, file_, entry.key_at},
                         .key = mask_password(entry.path),
                         .title = advice.title,
                         .found = shown_under(entry.key, entry),
                         .allowed = advice.allowed,
                         .suggestion = advice.suggestion});
    }

    std::string file_;
    const ZoneDefect& zone_defect_;
    Draft& draft_;
    Config& config_;
    KnownTasks tasks_ = {};
};

/// The file to read, and the source of its name.
struct ChosenFile {
    std::string name;
    Origin named_by;  ///< Default for the holdfast.yaml that was found without being named
};

/// Returns the file named by the flag, else by the environment, else holdfast.yaml in the directory when an entry of
/// that name exists; nullopt otherwise.
std::optional<ChosenFile> choose_file(const LoadParams& params) {
    if (params.file) return ChosenFile{*params.file, {OriginKind::Flag, "--config", {}}};
    const auto named = params.environment.find("HOLDFAST_CONFIG");
    if (named != params.environment.end() && !named->second.empty())
        return ChosenFile{named->second, {OriginKind::Environment, "HOLDFAST_CONFIG", {}}};

    // A dangling symlink counts as an existing file: an error is better than unexpected defaults.
    const auto usual = std::filesystem::path(params.directory) / usual_name;
    std::error_code ignored;
    if (std::filesystem::symlink_status(usual, ignored).type() == std::filesystem::file_type::not_found)
        return std::nullopt;
    return ChosenFile{params.directory == "." ? usual_name : usual.string(), Origin{}};
}

/// The origin for errors about an unreadable file: the flag or variable that named it, or the file itself.
Origin blamed_for(const ChosenFile& file) {
    if (file.named_by.kind == OriginKind::Default) return {OriginKind::File, file.name, {.line = 0, .column = 0}};
    return file.named_by;
}

}  // namespace

void read_config_file(const LoadParams& params, Draft& draft, Config& config) {
    const auto file = choose_file(params);
    if (!file) return;
    const auto content = read_content(file->name);
    if (!content.ok())
        return draft.complain(
            {.where = blamed_for(*file), .title = concat("cannot read ", file->name, ": ", content.error())});
    config.file = file->name;
    YamlText yaml = read_yaml(content.value(), file->name);
    draft.complain(std::move(yaml.errors));
    FileLayer(file->name, params.zone_defect, draft, config).read_root(yaml.root);
}

}  // namespace holdfast::config
