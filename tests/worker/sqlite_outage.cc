#include <fcntl.h>
#include <sys/file.h>

#include <system_error>

#include "base/descriptor.h"
#include "tests/worker/outage.h"

namespace holdfast::worker_test {
namespace {

class TurnKept final : public Outage {
public:
    explicit TurnKept(const std::string& path) : turn_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        if (!turn_) throw std::system_error(errno, std::generic_category(), path);
    }
    void begin() override { flock(turn_.get(), LOCK_EX); }
    void end() override { flock(turn_.get(), LOCK_UN); }

private:
    Descriptor turn_;
};

}  // namespace

std::unique_ptr<Outage> make_sqlite_outage(const std::string& database) {
    return std::make_unique<TurnKept>(database + "-turn");
}

}  // namespace holdfast::worker_test
