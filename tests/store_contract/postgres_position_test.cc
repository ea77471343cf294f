#include <algorithm>
#include <atomic>
#include <deque>
#include <random>
#include <thread>

#include "base/text.h"
#include "platform/real_clock.h"
#include "store_contract/postgres_plans.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

// Claims remember where they stopped (holdfast.claim_position). These tests compare them with a model that knows
// every row: each claim takes exactly the first tasks that are committed and free, whatever was submitted late,
// rolled back, handed back or locked, and in whatever order transactions commit.

namespace holdfast::contract {

namespace {

constexpr int route_count = 3;
constexpr int claimer_count = 3;
constexpr int submitter_count = 4;

struct ModelRow {
    enum class State { Uncommitted, Ready, Locked, Leased, Gone };
    int route = 1;
    int priority = 1;
    long run_at = 0;  ///< microseconds since 1970
    std::string id;
    bool keyed = false;
    State state = State::Uncommitted;
    int owner = 0;  ///< the submitter or claimer whose transaction it is part of

    [[nodiscard]] auto key() const { return std::tie(priority, run_at, id); }
};

/// Random submits, claims, roll-backs and hand-backs by several sessions, one statement at a time.
class ClaimModel {
public:
    ClaimModel(const std::string& address, unsigned seed) : random_(seed), aside_(address) {
        for (int route = 1; route <= route_count; ++route)
            aside_.execute(concat("SELECT intern_route('q", route, "', '{}')"));
        for (int i = 0; i < submitter_count; ++i) submitters_.push_back(std::make_unique<PostgresRaw>(address));
        for (int i = 0; i < claimer_count; ++i) {
            claimers_.push_back(std::make_unique<PostgresRaw>(address));
            workers_.push_back("'" + random_uuid().to_string() + "'");
            aside_.execute(concat("SELECT register_worker(", workers_.back(),
                                  ", 'w', 'h', 'b', 1, 1, 1, 0, 0, 'v', '", served_queues(i),
                                  "', '{}', 10, 3000000, 15000000, 'store', '')"));
        }
    }

    /// The first deviation; empty: none.
    std::string run(int steps) {
        for (int step = 0; step < steps && deviation_.empty(); ++step) {
            const int what = below(100);
            if (what < 45)
                submit(below(submitter_count));
            else if (what < 88)
                move_claimer(below(claimer_count));
            else if (what < 96)
                hand_one_back();
            else if (what < 97)
                pause_or_resume();
            else if (below(5) == 0)
                aside_.execute("VACUUM (TRUNCATE off) ready");
        }
        return deviation_;
    }
    [[nodiscard]] int checked() const { return checked_; }

private:
    using State = ModelRow::State;

    int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

    static int served(int claimer) { return claimer + 1; }  // the first serves one route, the last all of them
    static std::string served_queues(int claimer) {
        std::string queues = "{";
        for (int route = 1; route <= served(claimer); ++route) queues += concat(route == 1 ? "q" : ",q", route);
        return queues + "}";
    }
    static std::string served_routes(int claimer) {
        std::string routes = "{";
        for (int route = 1; route <= served(claimer); ++route) routes += concat(route == 1 ? "" : ",", route);
        return routes + "}";
    }

    void put(int submitter) {
        ModelRow row;
        row.route = 1 + below(route_count);
        row.priority = 1 + below(3);
        constexpr long in_2020 = 1577836800000000;
        row.run_at = below(4) == 0 ? now_us() - below(1000) : in_2020 + below(200);
        row.id = random_uuid().to_string();
        row.keyed = below(keyed_share_) == 0;
        row.owner = submitter;
        auto& session = *submitters_[static_cast<std::size_t>(submitter)];
        const auto time = concat("timestamptz 'epoch' + ", row.run_at, " * interval '1 microsecond'");
        const auto key = row.keyed ? concat("'k", row.id, "'") : std::string("NULL");
        session.execute(
            concat("INSERT INTO task (id, run_at, created_at, route_id, priority, name, args, concurrency_key)"
                   " VALUES ('",
                   row.id, "', ", time, ", now(), ", row.route, ", ", row.priority, ", 'n', '{}', ", key, ")"));
        session.execute(
            concat("INSERT INTO ready (task_id, run_at, last_lease, route_id, priority, attempts, crashes,"
                   " requeues, concurrency_key) VALUES ('",
                   row.id, "', ", time, ", 0, ", row.route, ", ", row.priority, ", 0, 0, 0, ", key, ")"));
        rows_.push_back(row);
    }

    static long now_us() {
        return std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
            .count();
    }

    void submit(int submitter) {
        auto& session = *submitters_[static_cast<std::size_t>(submitter)];
        auto& is_open = submits_[submitter];
        if (!is_open) session.execute("BEGIN");
        is_open = true;
        if (below(8) == 0)
            put_in_savepoint(submitter);
        else
            for (int count = below(400) == 0 ? 1500 : 1 + below(4); count > 0; --count) put(submitter);
        const bool stays_open = submitter == 0 ? below(40) != 0 : below(2) == 0;
        if (stays_open) return;
        const bool commits = below(6) != 0;
        session.execute(commits ? "COMMIT" : "ROLLBACK");
        is_open = false;
        settle(State::Uncommitted, submitter, commits ? State::Ready : State::Gone);
    }

    void put_in_savepoint(int submitter) {
        auto& session = *submitters_[static_cast<std::size_t>(submitter)];
        session.execute("SAVEPOINT a");
        const std::size_t from = rows_.size();
        for (int i = 0; i < 3; ++i) put(submitter);
        if (below(2) == 0) {
            session.execute("ROLLBACK TO a");
            for (std::size_t i = from; i < rows_.size(); ++i) rows_[i].state = State::Gone;
        }
        session.execute("RELEASE a");
    }

    void settle(State from, int owner, State to) {
        for (auto& row : rows_)
            if (row.state == from && row.owner == owner) row.state = to;
    }

    void move_claimer(int claimer) {
        if (claims_[claimer])
            end_claim(claimer, below(3) != 0);
        else
            claim(claimer);
    }

    void end_claim(int claimer, bool commits) {
        claimers_[static_cast<std::size_t>(claimer)]->execute(commits ? "COMMIT" : "ROLLBACK");
        claims_[claimer] = false;
        settle(State::Locked, claimer, commits ? State::Leased : State::Ready);
    }

    std::vector<ModelRow*> expected(int claimer, int wanted, bool for_start) {
        std::vector<ModelRow*> free;
        for (auto& row : rows_)
            if (row.state == State::Ready && row.route <= served(claimer) && row.route != paused_ &&
                (for_start || !row.keyed))
                free.push_back(&row);
        std::ranges::sort(free, [](const auto* a, const auto* b) { return a->key() < b->key(); });
        if (std::ssize(free) > wanted) free.resize(static_cast<std::size_t>(wanted));
        return free;
    }

    void claim(int claimer) {
        const int wanted = below(10) == 0 ? 40 : 1 + below(6);
        const bool for_start = below(2) == 0;
        const auto due = expected(claimer, wanted, for_start);
        auto& session = *claimers_[static_cast<std::size_t>(claimer)];
        const auto& worker = workers_[static_cast<std::size_t>(claimer)];
        const auto request = concat("'", random_uuid().to_string(), "'");
        session.execute("BEGIN");
        session.execute(concat("SELECT holdfast.turn(", worker, ", '{}', '{}', '{}', '{}', '{}', ", request, ", ",
                               for_start ? wanted : 0, ", ", for_start ? 0 : wanted, ", 1000, '",
                               served_queues(claimer), "', '{}', ", route_count, ", '", served_routes(claimer), "', ",
                               below(2) == 0 ? "true" : "false", ", 1, 0)"));
        const auto got = session.value(concat(
            "SELECT string_agg(id::text, ' ' ORDER BY lease) FROM holdfast.claimed(", worker, ", ", request, ")"));
        std::string wants;
        for (auto* row : due) {
            wants += concat(wants.empty() ? "" : " ", row->id);
            row->state = State::Locked;
            row->owner = claimer;
        }
        if (got != wants)
            deviation_ =
                concat("claimer ", claimer, " after ", checked_, " tasks got <", got, "> instead of <", wants, ">");
        checked_ += static_cast<int>(due.size());
        claims_[claimer] = true;
        const int end = below(10);
        if (end < 8) end_claim(claimer, end < 7);
    }

    /// At its old place.
    void hand_one_back() {
        std::vector<ModelRow*> leased;
        for (auto& row : rows_)
            if (row.state == State::Leased) leased.push_back(&row);
        if (leased.empty()) return;
        auto* row = leased[static_cast<std::size_t>(below(static_cast<int>(leased.size())))];
        aside_.execute(
            concat("SELECT end_leases(ARRAY['", row->id,
                   "'::uuid], '{PENDING}', '{NULL}', '{0}', '{0}', '{0}', '{0}', '{NULL}', '{NULL}', '{NULL}',"
                   " '{NULL}', '{NULL}', '{NULL}', '{NULL}', false)"));
        row->state = State::Ready;
    }

    void pause_or_resume() {
        aside_.execute("INSERT INTO queue (name, paused) VALUES ('q2', false) ON CONFLICT DO NOTHING");
        paused_ = paused_ == 0 ? 2 : 0;
        aside_.execute(concat("UPDATE queue SET paused = ", paused_ != 0 ? "true" : "false", " WHERE name = 'q2'"));
    }

    std::mt19937 random_;
    int keyed_share_ = 40;
    PostgresRaw aside_;
    std::vector<std::unique_ptr<PostgresRaw>> submitters_, claimers_;
    std::vector<std::string> workers_;
    std::array<bool, submitter_count> submits_{};
    std::array<bool, claimer_count> claims_{};
    std::deque<ModelRow> rows_;
    int paused_ = 0;
    int checked_ = 0;
    std::string deviation_;
};

/// A change to one of the functions that must not go unnoticed.
struct Mutant {
    const char* name;
    const char* function;
    const char* from;
    const char* to;
};

constexpr Mutant mutants[] = {
    {"WithoutNewcomers", "begin_look", "r.born >= pg_snapshot_xmax(look.seen)", "r.born > newest"},
    {"WithoutTransactionsThatWereOpen", "begin_look", "WHERE r.born = x.xid", "WHERE false AND r.born = x.xid"},
    {"WithoutMarksForLateRowsThatAreLeftOver", "end_look", "IF look.late_taken < cardinality(look.late) THEN",
     "IF false THEN"},
    // The marks pass rows that other claims have locked and may release again.
    {"WithMarksPastLockedRows", "lock_plain", "ORDER BY r.run_at, r.task_id LIMIT 1\n",
     "ORDER BY r.run_at, r.task_id LIMIT 1 FOR UPDATE SKIP LOCKED\n"},
    {"WithoutMarksForNewPriorities", "begin_look", "IF late_routes IS NOT NULL THEN", "IF false THEN"},
    {"WithAPositionOfOtherRoutes", "begin_look", "ELSIF known.routes = routes THEN",
     "ELSIF known.routes <> '{}' THEN"},
};

class PostgresPosition : public testing::Test {
protected:
    void SetUp() override { database_ = make_database(StoreKind::Postgres); }

    void mutate(const Mutant& mutant) {
        PostgresRaw raw(database_->address());
        auto text = raw.value(concat("SELECT pg_get_functiondef('holdfast.", mutant.function, "'::regproc)"));
        const auto place = text.find(mutant.from);
        ASSERT_NE(place, std::string::npos) << mutant.from;
        raw.execute(text.replace(place, std::string_view(mutant.from).size(), mutant.to));
    }

    std::unique_ptr<TestDatabase> database_;
};

class PostgresPositionMutants : public PostgresPosition, public testing::WithParamInterface<Mutant> {};

}  // namespace

TEST_F(PostgresPosition, LetsEveryClaimTakeExactlyTheFirstFreeTasks) {
    const char* const given = std::getenv("HOLDFAST_SEED");
    const unsigned first = given ? static_cast<unsigned>(std::stoul(given)) : 1;
    for (unsigned seed = first; seed < first + 2; ++seed) {
        SetUp();
        ClaimModel model(database_->address(), seed);
        EXPECT_EQ(model.run(1500), "") << "seed " << seed;
        EXPECT_GT(model.checked(), 200);
    }
}

TEST_F(PostgresPosition, MayBeGivenUpForWantOfMarksAndTakenUpAgain) {
    mutate({"", "begin_look", "most_marks constant integer := 100", "most_marks constant integer := 3"});
    mutate({"", "begin_look", "transactions_between_counts constant bigint := 10000",
            "transactions_between_counts constant bigint := 20"});
    EXPECT_EQ(ClaimModel(database_->address(), 1).run(1000), "");
}

TEST_F(PostgresPosition, IsReadBackAsItWasWrittenInEveryStyleOfDates) {
    PostgresRaw(database_->address())
        .execute(
            "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET datestyle = ''Postgres, DMY''', current_database());"
            " EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Kolkata''', current_database()); END$$");
    EXPECT_EQ(ClaimModel(database_->address(), 1).run(500), "");
}

/// What came for other routes since the last claim is not walked, and later claims begin after it.
TEST_F(PostgresPosition, DoesNotWalkWhatCameForOtherRoutes) {
    PostgresRaw raw(database_->address());
    const std::string worker = "'" + random_uuid().to_string() + "'";
    raw.execute("SELECT intern_route('default', '{}'), intern_route('other', '{}')");
    raw.execute(
        concat("SELECT register_worker(", worker,
               ", 'w', 'h', 'b', 1, 1, 1, 0, 0, 'v', '{default}', '{}', 10, 3000000, 15000000, 'store', '')"));
    const auto submit = [&](int route, int priority, int count) {
        raw.execute(
            concat("WITH new AS (INSERT INTO task (id, name, args, route_id, priority, run_at, created_at)"
                   " SELECT gen_random_uuid(), 'noop', 'null', ",
                   route, ", ", priority, ", now() - interval '1 h', now() FROM generate_series(1, ", count,
                   ") RETURNING *) INSERT INTO ready (task_id, run_at, last_lease, route_id, priority, attempts,"
                   " crashes, requeues) SELECT id, run_at, 0, route_id, priority, 0, 0, 0 FROM new"));
    };
    ExplainedSession session(database_->address());
    const auto pages_of_a_claim = [&] {
        session.take_plans();
        session.run(concat("SELECT holdfast.turn(", worker, ", '{}', '{}', '{}', '{}', '{}', '",
                           random_uuid().to_string(), "', 1, 0, 1000, '{default}', '{}', 2, '{1}', false, 1, 0)"));
        return pages_touched(session.take_plans());
    };
    submit(1, 1, 100);
    for (int i = 0; i < 5; ++i) (void)pages_of_a_claim();
    const long before = pages_of_a_claim();
    submit(1, 90, 1);  // late, and not reached as long as the others last
    (void)pages_of_a_claim();
    submit(2, 1, 50'000);
    const long first = pages_of_a_claim();
    const long second = pages_of_a_claim();
    EXPECT_LT(first, before + 12'000) << "it gives up after 10,000 rows";
    EXPECT_LT(second, before * 2);
}

/// Those tasks stay in the index for as long as the snapshot is held.
TEST_F(PostgresPosition, LetsAClaimTouchNoPageOfTasksThatWereTakenUnderAHeldSnapshot) {
    PostgresRaw raw(database_->address()), holder(database_->address());
    const std::string worker = "'" + random_uuid().to_string() + "'";
    raw.execute("SELECT intern_route('default', '{}')");
    raw.execute(
        concat("SELECT register_worker(", worker,
               ", 'w', 'h', 'b', 1, 1, 1, 0, 0, 'v', '{default}', '{}', 10, 3000000, 15000000, 'store', '')"));
    raw.execute(
        "WITH new AS (INSERT INTO task (id, name, args, route_id, priority, run_at, created_at)"
        " SELECT gen_random_uuid(), 'noop', 'null', 1, 50, now() - random() * interval '1 h', now() FROM "
        "generate_series(1, 6000)"
        " RETURNING *) INSERT INTO ready (task_id, run_at, last_lease, route_id, priority, attempts, crashes, "
        "requeues)"
        " SELECT id, run_at, 0, route_id, priority, 0, 0, 0 FROM new");
    holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
    holder.execute("SELECT count(*) FROM ready");
    ExplainedSession session(database_->address());
    const auto pages_of_a_claim = [&](int wanted) {
        session.take_plans();
        session.run(concat("SELECT holdfast.turn(", worker, ", '{}', '{}', '{}', '{}', '{}', '",
                           random_uuid().to_string(), "', ", wanted,
                           ", 0, 1000, '{default}', '{}', 1, '{1}', true, 1, 0)"));
        return pages_touched(session.take_plans());
    };
    for (int i = 0; i < 3; ++i) (void)pages_of_a_claim(10);
    const long at_first = pages_of_a_claim(10);
    for (int i = 0; i < 8; ++i) (void)pages_of_a_claim(500);
    (void)pages_of_a_claim(10);  // passes what the one before it took
    const long later = pages_of_a_claim(10);
    EXPECT_GT(at_first, 0);
    EXPECT_LT(later, at_first * 3 / 2);
    EXPECT_EQ(raw.number("SELECT count(*) FROM lease"), 3 * 10 + 10 + 8 * 500 + 20);
}

TEST_P(PostgresPositionMutants, AreNoticed) {
    std::string deviation;
    for (unsigned seed = 1; seed <= 8 && deviation.empty(); ++seed) {
        SetUp();
        mutate(GetParam());
        ClaimModel model(database_->address(), seed);
        deviation = model.run(3000);
    }
    EXPECT_NE(deviation, "");
}
INSTANTIATE_TEST_SUITE_P(Position, PostgresPositionMutants, testing::ValuesIn(mutants),
                         [](const auto& each) { return std::string(each.param.name); });

/// One claimer, because several would cover for each other: what one has passed, another finds.
TEST_F(PostgresPosition, LeavesNothingBehindOfSubmitsThatCommitLateAndOutOfOrder) {
    PostgresRaw raw(database_->address());
    raw.execute("SELECT intern_route('default', '{}')");
    std::atomic<int> submitting = 8;
    std::vector<std::thread> submitters;
    for (int thread = 0; thread < 8; ++thread)
        submitters.emplace_back([&, thread] {
            PostgresRaw session(database_->address());
            std::mt19937 random(static_cast<unsigned>(thread));
            for (int i = 0; i < 250; ++i) {
                const auto some = [&](int end) { return std::uniform_int_distribution<int>(0, end)(random); };
                session.execute("BEGIN");
                session.execute(concat(
                    "WITH t AS (INSERT INTO task (id, run_at, created_at, route_id, priority, name, args) VALUES"
                    " (gen_random_uuid(), clock_timestamp() - ",
                    some(3000), " * interval '1 ms', now(), 1, ", 1 + some(2),
                    ", 'n', '{}') RETURNING id, run_at, route_id, priority) INSERT INTO ready (task_id, run_at,"
                    " last_lease, route_id, priority, attempts, crashes, requeues) SELECT id, run_at, 0, route_id,"
                    " priority, 0, 0, 0 FROM t"));
                std::this_thread::sleep_for(std::chrono::milliseconds(some(3)));
                session.execute("COMMIT");
            }
            --submitting;
        });
    const platform::RealClock clock;
    const auto store = open_store({.kind = StoreKind::Postgres, .address = database_->address()}, clock);
    const Uuid worker = join(*store);
    store::TurnParams turn{.worker = worker, .to_start = 20};
    int finished = 0;
    for (bool is_over = false; !is_over;) {
        is_over = submitting == 0;  // from here on a claim without an answer is the last
        turn.request = random_uuid();
        const auto answer = store->turn(turn);
        finished += static_cast<int>(turn.finish.size());
        turn.finish.clear();
        for (const auto& task : answer.claimed.tasks) turn.finish.push_back(completed(lease_of(task)));
        if (!answer.claimed.tasks.empty()) is_over = false;
    }
    for (auto& thread : submitters) thread.join();
    EXPECT_EQ(raw.number("SELECT count(*) FROM ready"), 0);
    EXPECT_EQ(finished, 8 * 250);
}

}  // namespace holdfast::contract
