#include <stdexcept>

#include "store_contract/postgres_raw.h"
#include "store_contract/spawned_program.h"
#include "tests/worker/outage.h"

namespace holdfast::worker_test {
namespace {

class PrivateServer final : public OwnServer {
public:
    PrivateServer() {
        contract::PostgresRaw raw(url_);
        data_ = raw.value("SHOW data_directory");
        port_ = raw.value("SHOW port");
        programs_ = raw.value("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
    }
    std::string url() const override { return url_; }
    /// As after a power cut.
    void begin() override { control({"-m", "immediate", "stop"}); }
    void end() override { control({"-o", "-p " + port_, "-l", data_ + "/../log", "start"}); }

private:
    void control(const std::vector<std::string>& words) const {
        std::vector<std::string> command = {programs_ + "/pg_ctl", "-D", data_, "-s", "-w"};
        command.insert(command.end(), words.begin(), words.end());
        if (crew::run_to_end({.command = contract::as_database_user(command)}) != 0)
            throw std::runtime_error("pg_ctl");
    }

    contract::SpawnedProgram program_{
        {HOLDFAST_SCRIPTS "/private-postgres", "sh", "-c", "echo $HOLDFAST_TEST_POSTGRES; exec sleep 300"}};
    std::string url_ = program_.read_line().value();
    std::string data_, port_, programs_;
};

}  // namespace

std::unique_ptr<OwnServer> make_postgres_server() {
    return std::make_unique<PrivateServer>();
}

}  // namespace holdfast::worker_test
