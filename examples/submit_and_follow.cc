// Submits typed tasks and follows them: idempotent submit, wait, cancel, retry.
//   submit_and_follow STORE_URL
#include <holdfast/client.h>

#include <cstdlib>
#include <iostream>

using namespace std::chrono_literals;

// A task is declared once, with the types of its arguments and its result, and shared with the code that runs it.
struct ResizeArgs {
    std::string file;
    int width = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResizeArgs, file, width)

struct ResizeResult {
    std::string file;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResizeResult, file)

inline const holdfast::Task<ResizeArgs, ResizeResult> resize{"resize"};

namespace {

void expect(bool truth, const char* claim) {
    std::cout << (truth ? "yes: " : "NO: ") << claim << '\n';
    if (!truth) std::exit(1);
}

void follow(holdfast::Client& client) {
    holdfast::SubmitOptions options;
    options.priority = 10;
    options.policy.retry.max_attempts = 3;
    options.idempotency_key = "resize cat.png for order 17";

    const auto handle = client.submit(resize, {"cat.png", 640}, options);
    const auto again = client.submit(resize, {"cat.png", 640}, options);
    expect(again.id == handle.id, "the same key again is the same task");

    // No worker runs here, so the wait times out without a result or an error.
    expect(!client.wait(handle, 50ms).has_value(), "a wait can time out");

    expect(client.cancel(handle.id, "just an example") == holdfast::CancelStatus::Cancelled,
           "a waiting task is cancelled at once");
    const auto result = client.wait(handle);
    expect(!result.ok() && result.error().code == holdfast::error_code::task_cancelled,
           "a cancelled task is an error with a code");

    const auto copy = client.retry(handle);
    expect(client.get(copy.id)->retry_of == handle.id, "a retry is a new task that names the old one");
    for (const auto& task : client.list({.name = "resize"}))
        std::cout << task.id.to_string() << "  " << holdfast::to_text(task.state) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: submit_and_follow STORE_URL\n";
        return 2;
    }
    try {
        holdfast::Client client(argv[1]);
        follow(client);
    } catch (const holdfast::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
