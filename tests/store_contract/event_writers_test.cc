#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class EventWriters : public StoreContract {
protected:
    void write(const std::string& message) {
        store->append_event({.kind = "note", .who = "test", .message = message});
    }
};
HOLDFAST_FOR_EVERY_STORE(EventWriters);

TEST_P(EventWriters, AreNoneWhileNobodyWrites) {
    EXPECT_EQ(store->event_writers().newest, 0);
    write("one");
    const auto found = store->event_writers();
    EXPECT_EQ(found.newest, store->last_events(1).front().id);
    EXPECT_TRUE(found.writers.empty());
}

}  // namespace
}  // namespace holdfast::contract
