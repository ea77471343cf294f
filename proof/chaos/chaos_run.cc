#include "proof/chaos/chaos_run.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/text.h"
#include "base/throw_errno.h"
#include "client/connect.h"
#include "platform/files.h"
#include "platform/process_table.h"
#include "platform/real_clock.h"
#include "proof/chaos/collect.h"
#include "proof/chaos/nemesis.h"
#include "proof/chaos/submitter.h"
#include "proof/chaos/timeline.h"

namespace holdfast::chaos {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto turn_length = milliseconds(20);
constexpr Duration settle_bound = std::chrono::seconds(60);
constexpr Duration lease_length = std::chrono::seconds(5);  // as in the configuration below
constexpr auto leave_patience = std::chrono::seconds(20);

/// Shorter than the defaults, so that many stops and cuts of one run outlast them.
constexpr auto configuration = R"(worker:
  heartbeat_interval: 500ms
  max_concurrent_tasks: {}
  shutdown_grace: 5s
  stop_grace: 1s
  container_command: ['false']
recovery:
  worker_stale_threshold_ms: 5000
  liveness_interval_ms: 500
  disconnect_grace_ms: 2000
  check_interval_ms: 1000
  claimer_heartbeat_interval_ms: 5000
  runner_heartbeat_interval_ms: 5000
  claimed_stale_threshold_ms: 10000
  running_stale_threshold_ms: 10000
  unmatched_step_timeout_secs: 3600
)";

/// The paths of a run.
struct Place {
    std::string folder;

    [[nodiscard]] std::string disk() const { return folder + "/disk"; }
    [[nodiscard]] std::string book() const { return folder + "/book"; }
    [[nodiscard]] std::string config() const { return folder + "/chaos.yaml"; }
    [[nodiscard]] std::string database() const { return disk() + "/chaos.db"; }
};

/// The folder of a run, which the user postgres can enter.
class OpenFolder {
public:
    OpenFolder() : path_((std::filesystem::temp_directory_path() / "holdfast-chaos-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr || chmod(path_.c_str(), 0755) != 0) throw_errno(path_);
    }
    ~OpenFolder() {
        if (!is_kept_) platform::remove_folder(path_);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    void keep() { is_kept_ = true; }

private:
    std::string path_;
    bool is_kept_ = false;
};

/// Ends every process that the run has started, however the run ends.
struct EndOfDescendants {
    EndOfDescendants() { prctl(PR_SET_CHILD_SUBREAPER, 1); }  // inherits what a killed worker leaves behind
    ~EndOfDescendants() { platform::kill_all_descendants(); }
    EndOfDescendants(const EndOfDescendants&) = delete;
    EndOfDescendants& operator=(const EndOfDescendants&) = delete;
};

volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C and SIGTERM end the run in order, so that nothing is left behind.
void heed_interruptions() {
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) std::signal(each, [](int) { interrupted = 1; });
}

Duration whole_seconds(Duration length) {
    return std::chrono::duration_cast<std::chrono::seconds>(length);
}

/// Each line begins with the seconds since 1970 at which a node began to accept writes.
std::vector<Failover> read_promotions(const std::string& path) {
    std::vector<Failover> read;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        read.push_back({.kind = FaultKind::PromoteStandby,
                        .promoted_at = Timestamp(Duration(std::llround(std::stod(line) * 1e6)))});
    return read;
}

class ChaosRun {
public:
    explicit ChaosRun(ChaosParams params)
        : params_(std::move(params)), place_{folder_.path()}, random_(params_.settings.seed) {
        for (const std::string& each : {place_.disk(), place_.book()}) std::filesystem::create_directory(each);
        std::ofstream(place_.config()) << fmt::format(configuration, params_.settings.slots);
        (void)crew::Ledger(ledger_path(place_.book()));
    }

    ChaosResult run() {
        heed_interruptions();
        set_up();
        rage();
        settle();
        leave();
        return report();
    }

private:
    [[nodiscard]] bool is_postgres() const { return params_.settings.store == StoreKind::Postgres; }

    [[nodiscard]] bool is_cluster() const { return params_.settings.store == StoreKind::Cluster; }

    void set_up() {
        make_disk();
        if (is_cluster() && params_.cluster_url.empty())
            cluster_ = std::make_unique<StruckCluster>(
                ClusterParams{.folder = place_.disk(), .logs = folder_.path(), .ports = params_.ports});
        if (is_postgres()) {
            postgres_ = std::make_unique<OwnPostgres>(place_.disk(), folder_.path() + "/postgres.log");
            postgres_->start_and_wait();
        }
        (void)client::connect({.url = own_url(), .limits = {}});  // brings the schema up to date, once
        make_crew();
        submitter_ = std::make_unique<Submitter>(
            SubmitterParams{.store_url = gated_url(),
                            .seed = params_.settings.seed,
                            .backlog = 4L * params_.settings.workers * params_.settings.slots});
    }

    /// Large enough for the data of the whole run.
    void make_disk() {
        if (is_cluster()) return make_disk_of_cluster();
        const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(params_.settings.duration).count() + 1;
        auto& faults = params_.settings.faults;
        if (std::ranges::count(faults, FaultKind::FillDisk) == 0) return;
        try {
            disk_ = std::make_unique<SmallDisk>(place_.disk(), (256 + 40 * minutes) * 1024 * 1024);
        } catch (const std::system_error& refused) {
            std::erase(faults, FaultKind::FillDisk);
            params_.settings.not_done.push_back(concat("fill-disk: cannot mount: ", refused.what()));
        }
    }

    /// In memory, so that three nodes do not wait for one disk; else a folder.
    void make_disk_of_cluster() {
        constexpr std::int64_t most_bytes = std::int64_t{16} * 1024 * 1024 * 1024;
        try {
            if (params_.cluster_url.empty()) disk_ = std::make_unique<SmallDisk>(place_.disk(), most_bytes);
        } catch (const std::system_error&) {
            disk_.reset();
        }
    }

    [[nodiscard]] std::string own_url() const {
        if (is_cluster()) return cluster_ != nullptr ? cluster_->url() : params_.cluster_url;
        return is_postgres() ? postgres_->url(postgres_->port()) : "sqlite:" + place_.database();
    }
    /// The URL through a new gate, where there is a path to cut.
    [[nodiscard]] std::string gated_url() {
        if (!is_postgres()) return own_url();
        gates_.push_back(std::make_unique<Gate>(postgres_->port()));
        return postgres_->url(gates_.back()->port());
    }

    void make_crew() {
        CrewParams crew{.config = place_.config(), .book = place_.book(), .logs = folder_.path()};
        crew.replacement_delay = [this] { return Duration(milliseconds(100 + random_() % 2400)); };
        for (int i = 1; i <= params_.settings.workers; ++i)
            crew.members.push_back({.name = concat("worker-", i), .store_url = gated_url()});
        for (int i = 1; i <= params_.settings.servers; ++i)
            crew.members.push_back({.role = Role::Server, .name = concat("server-", i), .store_url = gated_url()});
        crew_ = std::make_unique<Crew>(std::move(crew));
    }

    void rage() {
        const FaultPlanParams plan{.seed = params_.settings.seed,
                                   .duration = params_.settings.duration,
                                   .failovers = params_.settings.failovers,
                                   .kinds = params_.settings.faults,
                                   .lease = lease_length};
        const Battlefield field{.crew = *crew_,
                                .postgres = postgres_.get(),
                                .gates = gates_.empty() ? nullptr : &gates_,
                                .disk = disk_.get(),
                                .cluster = cluster_.get()};
        nemesis_ = std::make_unique<Nemesis>(field, plan_faults(plan));
        findings_.began = platform::real_clock().now();
        const auto end = Clock::now() + params_.settings.duration;
        auto next_word = Clock::now() + std::chrono::seconds(10);
        while (params_.settings.failovers > 0 ? !nemesis_->is_done() : Clock::now() < end) {
            turn();
            if (Clock::now() < next_word) continue;
            next_word += std::chrono::seconds(10);
            params_.say(fmt::format("{} faults so far", nemesis_->blows().size()));
        }
        nemesis_->make_peace();
        findings_.faults_ended = platform::real_clock().now();
        if (params_.settings.failovers > 0)
            params_.settings.duration = whole_seconds(findings_.faults_ended - findings_.began);
    }

    void turn() {
        if (interrupted != 0) throw std::runtime_error("interrupted: nothing was judged");
        nemesis_->turn();
        std::this_thread::sleep_for(turn_length);
    }

    void settle() {
        params_.say("no more faults: everything must settle now");
        findings_.settle_bound = settle_bound;
        // The current call of the submitter may need a worker or server that has yet to start.
        std::thread stopping([this] { submitter_->stop(); });
        const auto end = Clock::now() + settle_bound;
        while (!findings_.settled_at && Clock::now() < end) {
            turn();
            if (has_settled()) findings_.settled_at = platform::real_clock().now();
        }
        stopping.join();
        if (!submitter_->defect().empty())
            throw std::runtime_error(concat("the client gave up: ", submitter_->defect()));
    }

    [[nodiscard]] bool has_settled() {
        try {
            if (store_ == nullptr) store_ = client::connect({.url = own_url(), .limits = {}});
            return submitter_->has_stopped() && is_settled(*store_);
        } catch (const store::StoreError&) {
            return false;  // it is being started again
        }
    }

    void leave() {
        crew_->dismiss();
        const auto end = Clock::now() + leave_patience;
        while (!crew_->is_gone() && Clock::now() < end) turn();
    }

    ChaosResult report() {
        findings_.ledger = crew::Ledger(ledger_path(place_.book())).read();
        findings_.acknowledged_tasks = submitter_->tasks();
        findings_.acknowledged_jobs = submitter_->jobs();
        findings_.told_lost = submitter_->told_lost();
        findings_.lives = crew_->lives();
        for (Life& life : findings_.lives) life.overstayed = !life.ended;
        findings_.blows = nemesis_->blows();
        if (cluster_ != nullptr) findings_.failovers = cluster_->failovers();
        if (!params_.promotions_file.empty()) findings_.failovers = read_promotions(params_.promotions_file);
        findings_.faults_skipped = nemesis_->skipped();
        if (store_ == nullptr) store_ = client::connect({.url = own_url(), .limits = {}});
        collect(*store_, findings_);
        ChaosResult result{.summary = summarise(params_.settings, findings_)};
        keep(result);
        return result;
    }

    void keep(ChaosResult& result) {
        if (params_.output.empty() && result.summary.kept_all_promises()) return;
        result.kept = params_.output.empty() ? folder_.path() : params_.output;
        std::filesystem::create_directories(result.kept);
        const std::string name = is_cluster()    ? "/chaos-cluster"
                                 : is_postgres() ? "/chaos-postgres"
                                                 : "/chaos-sqlite";
        const std::string title = fmt::format("Chaos on {}", to_text(params_.settings.store));
        const std::string subtitle = fmt::format(
            "{} with {} faults, {} workers, {} servers, seed {}; {} tasks; the green part is after the last fault",
            format_duration(params_.settings.duration), findings_.blows.size(), params_.settings.workers,
            params_.settings.servers, params_.settings.seed, findings_.tasks.size());
        std::ofstream(result.kept + name + ".svg") << draw(timeline_of(findings_, title, subtitle));
        std::ofstream(result.kept + name + ".json") << to_json(result.summary).dump(2) << '\n';
        std::ofstream(result.kept + name + ".txt") << to_table(result.summary);
        if (!result.summary.kept_all_promises()) keep_evidence(result);
    }

    /// Keeps the evidence of what went wrong: ledger, logs, blows, and the store itself.
    void keep_evidence(ChaosResult& result) {
        std::ofstream blows(folder_.path() + "/blows.txt");
        for (const Blow& blow : findings_.blows)
            blows << fmt::format("{} {} {} pid {} for {}\n", format_timestamp(blow.at), to_text(blow.kind), blow.whom,
                                 blow.pid, format_duration(blow.length));
        for (const Failover& each : findings_.failovers)
            blows << fmt::format("{} new history after {}{}\n", format_timestamp(each.promoted_at),
                                 to_text(each.kind),
                                 each.lost_since ? concat(", lost since ", format_timestamp(*each.lost_since)) : "");
        blows.close();
        if (is_postgres()) {
            postgres_->dump(folder_.path() + "/store.sql");
        } else if (cluster_ != nullptr) {
            cluster_->dump(folder_.path() + "/store.sql");
        } else {
            std::error_code ignored;
            for (const char* suffix : {"", "-wal"})
                std::filesystem::copy(place_.database() + suffix, folder_.path() + "/store.db" + suffix, ignored);
        }
        if (result.kept == folder_.path()) return folder_.keep();
        std::error_code ignored;
        for (const auto& each : std::filesystem::directory_iterator(folder_.path()))
            if (each.path().filename() != "disk")
                std::filesystem::copy(
                    each.path(), std::filesystem::path(result.kept) / each.path().filename(),
                    std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing,
                    ignored);
    }

    // In this order, because later members use earlier ones.
    ChaosParams params_;
    OpenFolder folder_;
    EndOfDescendants end_of_descendants_;
    Place place_;
    std::mt19937_64 random_;
    std::unique_ptr<SmallDisk> disk_;
    std::unique_ptr<OwnPostgres> postgres_;
    std::unique_ptr<StruckCluster> cluster_;
    std::unique_ptr<Submitter> submitter_;  // before the gates: they are destroyed first, so that no call hangs
    std::vector<std::unique_ptr<Gate>> gates_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<Crew> crew_;
    std::unique_ptr<Nemesis> nemesis_;
    Findings findings_;
};

}  // namespace

ChaosResult run_chaos(ChaosParams params) {
    return ChaosRun(std::move(params)).run();
}

}  // namespace holdfast::chaos
