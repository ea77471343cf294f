#include "proof/chaos/nemesis.h"

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <thread>

#include "platform/files.h"
#include "tests/chaos/loopback.h"

namespace holdfast::chaos {
namespace {

using std::chrono::milliseconds;

constexpr Duration soon = milliseconds(200);  // after this time a gate has heard of a cut
constexpr Duration much_later = std::chrono::hours(1);

/// Both strike at once, so that they overlap on a slow machine, too.
std::vector<Fault> overlapping(FaultKind lasting, FaultKind brief) {
    return {{.kind = lasting, .length = much_later}, {.kind = brief, .length = soon}};
}

/// Waits until the second of two overlapping faults is over.
void wait_for_the_brief_one(Nemesis& nemesis) {
    nemesis.turn();
    std::this_thread::sleep_for(soon);  // it struck before: its time is up
    nemesis.turn();
    ASSERT_EQ(nemesis.blows().size(), 2U);
}

/// A nemesis whose only target is the path of one client.
class NemesisOfAPath : public LoopbackTest {
protected:
    NemesisOfAPath() { gates_.push_back(std::make_unique<Gate>(server_port)); }

    [[nodiscard]] int port() const { return gates_.front()->port(); }
    [[nodiscard]] Battlefield field() { return {.crew = crew_, .gates = &gates_}; }

private:
    Crew crew_{CrewParams{}};
    std::vector<std::unique_ptr<Gate>> gates_;
};

TEST_F(NemesisOfAPath, KeepsItCutUntilTheLastOfOverlappingCutsEnds) {
    const Descriptor client = connect_to(port());
    const Descriptor server = accept_one();
    Nemesis nemesis(field(), overlapping(FaultKind::CutPath, FaultKind::CutPath));
    wait_for_the_brief_one(nemesis);
    say(client, "during");
    EXPECT_EQ(hear(server, 300), "");
    nemesis.make_peace();
    EXPECT_EQ(hear(server), "during");
}

TEST_F(NemesisOfAPath, GoesBackToARefusalWhenACutWithinItEnds) {
    Nemesis nemesis(field(), overlapping(FaultKind::RefusePath, FaultKind::CutPath));
    wait_for_the_brief_one(nemesis);
    const Descriptor refused = connect_to(port());
    EXPECT_EQ(hear(refused), "reset");
    nemesis.make_peace();
    const Descriptor client = connect_to(port());
    const Descriptor server = accept_one();
    say(client, "afterwards");
    EXPECT_EQ(hear(server), "afterwards");
}

bool can_write(const std::string& path) {
    std::ofstream file(path);
    file << std::string(8192, 'x') << std::flush;
    return file.good();
}

TEST(NemesisOfADisk, KeepsItFullUntilTheLastOfOverlappingFillsEnds) {
    const platform::PrivateFolder folder("holdfast-nemesis-test-");
    std::unique_ptr<SmallDisk> disk;
    try {
        disk = std::make_unique<SmallDisk>(folder.path(), 1024 * 1024);
    } catch (const std::system_error& refused) {
        ASSERT_NE(geteuid(), 0U) << refused.what();  // only root may mount
        return;
    }
    ASSERT_TRUE(can_write(folder.path() + "/before"));
    Crew crew{CrewParams{}};
    Nemesis nemesis({.crew = crew, .disk = disk.get()}, overlapping(FaultKind::FillDisk, FaultKind::FillDisk));
    wait_for_the_brief_one(nemesis);
    EXPECT_FALSE(can_write(folder.path() + "/during"));
    nemesis.make_peace();
    EXPECT_TRUE(can_write(folder.path() + "/after"));
}

}  // namespace
}  // namespace holdfast::chaos
