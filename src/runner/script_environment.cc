#include "runner/script_environment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/process_table.h"

namespace holdfast::runner {

namespace {

// The kernel's limit for one variable. Longer arguments are on stdin only.
constexpr std::size_t longest_args = 128 * 1024 - 64;

void write_file(const std::string& path, std::string_view text, mode_t mode) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file || !platform::write_all(file.get(), text)) throw_errno("cannot write " + path);
}

bool fit_into_a_variable(const std::string& args) {
    return args.size() < longest_args;
}

/// The directory of this program comes last in the path, so that a script finds `holdfast progress`.
std::string path_with_own_program(const WorkerEnvironment& worker) {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::string before = worker.find("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    return failed ? before : before + ":" + program.parent_path().string();
}

/// A process that is not root, but may change owners, becomes the owner first. To be called when no process is left
/// that could exchange the file.
bool may_look_into(const std::string& folder, const std::string& file, uid_t owner) {
    struct stat status {};
    if (geteuid() == 0 || geteuid() == owner) return true;
    constexpr auto same_group = static_cast<gid_t>(-1);
    return lchown(folder.c_str(), geteuid(), same_group) == 0 && lstat(file.c_str(), &status) == 0 &&
           status.st_uid == owner && lchown(file.c_str(), geteuid(), same_group) == 0;
}

}  // namespace

ScriptFiles::ScriptFiles(std::string folder, const std::string& script, const std::string& checkpoint,
                         std::int64_t scratch_bytes)
    : folder_(std::move(folder)) {
    if (scratch_bytes > 0) platform::mount_memory(this->folder(), scratch_bytes);
    if (mkdir(work().c_str(), 0700) != 0) throw_errno("cannot make the directory " + work());
    write_file(this->script(), script, 0700);
    if (!checkpoint.empty()) write_file(this->checkpoint(), checkpoint, 0600);
}

/// The directory last: until then nobody else can reach what is in it.
void ScriptFiles::give_to(const platform::Identity& identity) const {
    for (const std::string& each : {work(), script(), socket(), checkpoint(), folder()})
        if (lchown(each.c_str(), identity.user, identity.group) != 0 && errno != ENOENT)
            throw_errno("cannot give to another user: " + each);
}

// Not through a link: the script may have put anything there. Nor a file of another user, which it may have linked.
std::optional<std::string> ScriptFiles::read_result(std::size_t at_most, std::optional<uid_t> owner) const {
    const std::string file = folder() + "/result";
    if (owner && !may_look_into(folder(), file, *owner)) return std::nullopt;
    if (owner && geteuid() != 0) owner = geteuid();
    return platform::read_regular_file(file, at_most, O_NOFOLLOW, owner);
}

Variables task_variables(const engine::RunOrder& order, const core::TaskSpec& spec, const std::string& folder,
                         const std::string& worker) {
    Variables variables = spec.env;
    if (!order.traceparent.empty()) variables.emplace("TRACEPARENT", order.traceparent);
    variables["HOLDFAST_TASK_ID"] = order.lease.task.to_string();
    variables["HOLDFAST_LEASE"] = concat(order.lease.lease);
    variables["HOLDFAST_ATTEMPT"] = concat(order.attempt);
    variables["HOLDFAST_SOCKET"] = folder + "/socket";
    variables["HOLDFAST_RESULT"] = folder + "/result";
    variables[std::string(platform::worker_variable)] = worker;
    if (!order.checkpoint.empty()) variables["HOLDFAST_CHECKPOINT"] = folder + "/checkpoint";
    if (fit_into_a_variable(order.args)) variables["HOLDFAST_ARGS"] = order.args;
    return variables;
}

std::vector<std::string> script_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                            const ScriptFiles& files, const Secrets& secrets,
                                            const WorkerEnvironment& worker,
                                            const std::optional<platform::Identity>& identity) {
    Variables variables = task_variables(order, spec, files.folder(), worker.worker());
    variables.insert(secrets.begin(), secrets.end());
    variables.merge(worker.passed());
    variables.emplace("PATH", path_with_own_program(worker));
    if (identity) variables.emplace("HOME", identity->home.empty() ? files.work() : identity->home);
    for (const char* name : {"HOME", "LANG", "TZ"})
        if (auto value = worker.find(name)) variables.emplace(name, std::move(*value));
    return assignments(variables);
}

std::optional<std::string> note_on_long_args(const engine::RunOrder& order) {
    if (fit_into_a_variable(order.args)) return std::nullopt;
    return concat("HOLDFAST_ARGS is not set: the arguments have ", order.args.size(), " bytes, more than the ",
                  longest_args, " that an environment variable can hold; read them from standard input");
}

}  // namespace holdfast::runner
