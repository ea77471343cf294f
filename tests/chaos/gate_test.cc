#include "tests/chaos/loopback.h"

namespace holdfast::chaos {
namespace {

class GateTest : public LoopbackTest {
protected:
    Gate gate{server_port};
};

TEST_F(GateTest, CarriesBytesBothWays) {
    const Descriptor client = connect_to(gate.port());
    const Descriptor server = accept_one();
    say(client, "hello");
    EXPECT_EQ(hear(server), "hello");
    say(server, "world");
    EXPECT_EQ(hear(client), "world");
}

TEST_F(GateTest, HoldsBackWhatIsSentWhileItIsCutAndDeliversItAfterwards) {
    const Descriptor client = connect_to(gate.port());
    const Descriptor server = accept_one();
    say(client, "before");
    EXPECT_EQ(hear(server), "before");
    gate.set(Gate::Mode::Cut);
    say(server, "x");  // when it arrives, the gate has heard of the cut, or carries this as well
    (void)hear(client, 200);
    say(client, "during");
    EXPECT_EQ(hear(server, 200), "");
    gate.set(Gate::Mode::Open);
    EXPECT_EQ(hear(server), "during");
}

TEST_F(GateTest, ResetsConnectionsAndMakesNewOnes) {
    const Descriptor client = connect_to(gate.port());
    const Descriptor server = accept_one();
    gate.reset();
    EXPECT_EQ(hear(client), "reset");
    EXPECT_EQ(hear(server), "reset");
    const Descriptor again = connect_to(gate.port());
    const Descriptor other_end = accept_one();
    say(again, "again");
    EXPECT_EQ(hear(other_end), "again");
}

TEST_F(GateTest, RefusesNewConnectionsUntilItIsOpened) {
    gate.set(Gate::Mode::Refuse);
    const Descriptor refused = connect_to(gate.port());
    EXPECT_EQ(hear(refused), "reset");
    gate.set(Gate::Mode::Open);
    const Descriptor client = connect_to(gate.port());
    const Descriptor server = accept_one();
    say(client, "hello");
    EXPECT_EQ(hear(server), "hello");
}

}  // namespace
}  // namespace holdfast::chaos
