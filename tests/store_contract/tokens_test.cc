#include <barrier>
#include <thread>

#include "base/text.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::CreateTokenStatus;
using store::Scope;

class Tokens : public StoreContract {
protected:
    /// Nobody else's name or hash.
    static store::NewToken a_token(std::string name) {
        store::NewToken token;
        token.id = random_uuid();
        token.name = std::move(name);
        for (const char c : concat(random_uuid().to_string(), random_uuid().to_string()))
            if (c != '-') token.hash += c;
        token.scope = Scope::Operate;
        token.queues = {"mail", "reports"};
        token.who = "ann";
        return token;
    }
    store::NewToken create(std::string name, std::optional<Timestamp> expires_at = std::nullopt) {
        auto token = a_token(std::move(name));
        token.expires_at = expires_at;
        EXPECT_EQ(store->create_token(token), CreateTokenStatus::Created);
        return token;
    }
    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const auto& record : store->tokens()) names.push_back(record.token.name);
        return names;
    }
    void prune(Duration older_than) {
        store::PruneParams params;
        params.terminal_older_than = older_than;
        params.clock_is_right = true;
        store->prune(params);
    }
};
HOLDFAST_FOR_EVERY_STORE(Tokens);

TEST_P(Tokens, AreFoundByTheirHashAsTheyWereMade) {
    const auto token = create("ci", clock.now() + 24h);
    const auto found = store->find_token(token.hash);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->token.id, token.id);
    EXPECT_EQ(found->token.name, "ci");
    EXPECT_EQ(found->token.hash, token.hash);
    EXPECT_EQ(found->token.scope, Scope::Operate);
    EXPECT_THAT(found->token.queues, ElementsAre("mail", "reports"));
    EXPECT_EQ(found->token.expires_at, clock.now() + 24h);
    EXPECT_EQ(found->token.who, "ann");
    EXPECT_EQ(found->created_at, clock.now());
    EXPECT_FALSE(found->revoked_at);
    EXPECT_FALSE(found->last_used_at);
    EXPECT_EQ(found->last_used_from, "");
}

TEST_P(Tokens, AreNotFoundByAnyOtherHash) {
    const auto token = create("ci");
    auto other = token.hash;
    other.back() = other.back() == '0' ? '1' : '0';
    EXPECT_FALSE(store->find_token(other));
    EXPECT_FALSE(store->find_token(""));
}

TEST_P(Tokens, AreListedNewestFirst) {
    EXPECT_THAT(store->tokens(), IsEmpty());
    create("first");
    clock.advance(1s);
    create("second");
    EXPECT_THAT(names(), ElementsAre("second", "first"));
}

TEST_P(Tokens, OfOneNameExistOnceAmongTheLiving) {
    create("ci");
    const auto second = a_token("ci");
    EXPECT_EQ(store->create_token(second), CreateTokenStatus::NameTaken);
    EXPECT_FALSE(store->find_token(second.hash));
    EXPECT_THAT(names(), SizeIs(1));
}

TEST_P(Tokens, MadeAgainWithTheSameIdAreOneToken) {
    const auto token = create("ci");
    EXPECT_EQ(store->create_token(token), CreateTokenStatus::Created);
    EXPECT_THAT(names(), SizeIs(1));
}

TEST_P(Tokens, GiveTheirNamesBackWhenRevokedOrExpired) {
    create("revoked");
    EXPECT_TRUE(store->revoke_token("revoked", "bob"));
    create("revoked");
    create("expired", clock.now() + 1min);
    EXPECT_EQ(store->create_token(a_token("expired")), CreateTokenStatus::NameTaken);
    clock.advance(1min);
    create("expired");
    EXPECT_THAT(names(), SizeIs(4));
}

TEST_P(Tokens, OfOneNameAreMadeOnceByManyAtOnce) {
    constexpr int callers = 8;
    std::atomic<int> created = 0, taken = 0;
    std::barrier begin(callers);
    std::vector<std::jthread> threads;
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&] {
            const auto own = open();
            begin.arrive_and_wait();
            for (int round = 0; round < 5; ++round)
                ++(own->create_token(a_token(concat("ci", round))) == CreateTokenStatus::Created ? created : taken);
        });
    threads.clear();
    EXPECT_EQ(created, 5);
    EXPECT_EQ(taken, 5 * (callers - 1));
    EXPECT_THAT(names(), SizeIs(5));
}

TEST_P(Tokens, AreRevokedByNameOrIdOnce) {
    const auto by_name = create("one");
    const auto by_id = create("two");
    clock.advance(1min);
    EXPECT_TRUE(store->revoke_token("one", "bob"));
    EXPECT_TRUE(store->revoke_token(by_id.id.to_string(), "bob"));
    EXPECT_EQ(store->find_token(by_name.hash)->revoked_at, clock.now());
    EXPECT_EQ(store->find_token(by_id.hash)->revoked_at, clock.now());
    EXPECT_FALSE(store->revoke_token("one", "bob"));
    EXPECT_FALSE(store->revoke_token(by_id.id.to_string(), "bob"));
    EXPECT_FALSE(store->revoke_token("three", "bob"));
    EXPECT_FALSE(store->revoke_token(random_uuid().to_string(), "bob"));
}

TEST_P(Tokens, RevokedByManyAtOnceAreRevokedOnce) {
    create("ci");
    std::atomic<int> revoked = 0;
    std::barrier begin(4);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            const auto own = open();
            begin.arrive_and_wait();
            if (own->revoke_token("ci", "bob")) ++revoked;
        });
    threads.clear();
    EXPECT_EQ(revoked, 1);
}

TEST_P(Tokens, LeaveEventsOfWhoMadeAndWhoRevokedThem) {
    create("ci");
    store->revoke_token("ci", "bob");
    const auto events = store->last_events(2);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[0].kind, "token_revoked");
    EXPECT_EQ(events[0].who, "bob");
    EXPECT_THAT(events[0].message, HasSubstr("ci"));
    EXPECT_EQ(events[1].kind, "token_created");
    EXPECT_EQ(events[1].who, "ann");
    EXPECT_THAT(events[1].message, HasSubstr("operate"));
}

TEST_P(Tokens, RememberTheirLastUse) {
    const auto token = create("ci");
    clock.advance(1min);
    store->note_token_use(token.id, "127.0.0.1");
    clock.advance(1min);
    store->note_token_use(token.id, "10.0.0.9");
    const auto found = store->find_token(token.hash);
    EXPECT_EQ(found->last_used_at, clock.now());
    EXPECT_EQ(found->last_used_from, "10.0.0.9");
    store->note_token_use(random_uuid(), "127.0.0.1");
    EXPECT_THAT(names(), SizeIs(1));
}

TEST_P(Tokens, ThatCannotBeAreRefusedWithASentence) {
    const auto complaint = [&](const auto& spoil) -> std::string {
        auto token = a_token("ci");
        spoil(token);
        try {
            store->create_token(token);
        } catch (const BadInput& refused) {
            return refused.what();
        }
        return "";
    };
    EXPECT_THAT(complaint([](store::NewToken& token) { token.name.clear(); }), HasSubstr("name is empty"));
    EXPECT_THAT(complaint([](store::NewToken& token) { token.name = std::string(256, 'x'); }), HasSubstr("255"));
    EXPECT_THAT(complaint([](store::NewToken& token) { token.name = random_uuid().to_string(); }),
                HasSubstr("looks like an id"));
    EXPECT_THAT(complaint([](store::NewToken& token) { token.hash = "secret"; }), HasSubstr("hash"));
    EXPECT_THAT(complaint([](store::NewToken& token) { token.queues = {""}; }), HasSubstr("queue"));
    EXPECT_THAT(complaint([](store::NewToken& token) { token.id = {}; }), HasSubstr("id is missing"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_P(Tokens, TheNewestIsNeverRemovedThoughAllAreRevokedOrExpiredLongAgo) {
    create("expired", clock.now() + 1min);
    clock.advance(1s);
    create("revoked first");
    clock.advance(1s);
    create("revoked last", clock.now() + 3min);
    store->revoke_token("revoked last", "bob");
    store->revoke_token("revoked first", "bob");
    for (int round = 0; round < 3; ++round) {
        clock.advance(1000h);
        prune(1h);
        EXPECT_THAT(names(), testing::ElementsAre("revoked last"));
    }
    create("after");
    prune(1h);
    EXPECT_THAT(names(), testing::ElementsAre("after"));
}

TEST_P(Tokens, ThatAreDeadAreKeptAsLongAsTerminalTasks) {
    create("revoked");
    create("expired", clock.now() + 1min);
    create("expiring", clock.now() + 48h);
    clock.advance(1s);
    create("forever");
    store->revoke_token("revoked", "bob");
    clock.advance(1h);
    prune(1h);
    EXPECT_THAT(names(), SizeIs(4));
    clock.advance(1s);
    prune(1h);
    EXPECT_THAT(names(), Not(Contains("revoked")));
    clock.advance(1min);
    prune(1h);
    EXPECT_THAT(names(), testing::UnorderedElementsAre("expiring", "forever"));
    store->prune({});
    EXPECT_THAT(names(), SizeIs(2));
}

// ---- Sessions -----------------------------------------------------------------------------------

class Sessions : public Tokens {
protected:
    store::NewSession start(const store::NewToken& token) {
        const std::string hash = a_token("x").hash;
        const store::NewSession session{.id = random_uuid(), .hash = hash, .token = token.id, .from = "10.0.0.7"};
        store->create_session(session, "ann");
        return session;
    }
    std::vector<Uuid> ids() {
        std::vector<Uuid> ids;
        for (const auto& record : store->sessions()) ids.push_back(record.session.id);
        return ids;
    }
};
HOLDFAST_FOR_EVERY_STORE(Sessions);

TEST_P(Sessions, AreFoundByTheirHashWithTheirToken) {
    const auto token = create("ci");
    const auto session = start(token);
    store->create_session(session, "ann");  // again
    const auto found = store->find_session(session.hash);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->session.id, session.id);
    EXPECT_EQ(found->session.hash, session.hash);
    EXPECT_EQ(found->session.from, "10.0.0.7");
    EXPECT_EQ(found->created_at, clock.now());
    EXPECT_EQ(found->last_used_at, clock.now());
    EXPECT_EQ(found->last_used_from, "10.0.0.7");
    EXPECT_EQ(found->token.token.id, token.id);
    EXPECT_EQ(found->token.token.queues, token.queues);
    EXPECT_FALSE(store->find_session(token.hash)) << "a token is no session";
    EXPECT_FALSE(store->find_token(session.hash)) << "a session is no token";
    EXPECT_THAT(ids(), ElementsAre(session.id));
}

TEST_P(Sessions, EndByAnOrderOnce) {
    const auto session = start(create("ci"));
    EXPECT_TRUE(store->end_session(session.id, "bob"));
    EXPECT_FALSE(store->end_session(session.id, "bob"));
    EXPECT_FALSE(store->find_session(session.hash));
    EXPECT_EQ(store->last_events(1).at(0).kind, "session_ended");
    EXPECT_EQ(store->last_events(1).at(0).who, "bob");
}

TEST_P(Sessions, EndWithTheirTokens) {
    const auto revoked = create("revoked"), expiring = create("expiring", clock.now() + 1h), other = create("other");
    const auto first = start(revoked), second = start(expiring), third = start(other);
    clock.advance(1min);
    EXPECT_THAT(ids(), SizeIs(3));
    store->revoke_token("revoked", "bob");
    EXPECT_FALSE(store->find_session(first.hash)->is_valid(clock.now()));
    EXPECT_THAT(ids(), SizeIs(2));
    clock.advance(1h);
    EXPECT_FALSE(store->find_session(second.hash)->is_valid(clock.now()));
    EXPECT_THAT(ids(), ElementsAre(third.id));
}

TEST_P(Sessions, EndTwelveHoursAfterTheirLastUse) {
    const auto token = create("ci");
    const auto session = start(token);
    clock.advance(11h);
    store->note_session_use(session.id, "10.0.0.8");
    clock.advance(12h - 1us);
    EXPECT_TRUE(store->find_session(session.hash)->is_valid(clock.now()));
    EXPECT_EQ(store->sessions().at(0).last_used_from, "10.0.0.8");
    clock.advance(1us);
    EXPECT_FALSE(store->find_session(session.hash)->is_valid(clock.now()));
    EXPECT_THAT(ids(), IsEmpty());
    const auto next = start(token);
    EXPECT_FALSE(store->find_session(session.hash)) << "a login removes what has ended";
    EXPECT_THAT(ids(), ElementsAre(next.id));
}

}  // namespace
}  // namespace holdfast::contract
