// A workflow in C++. The compiler checks that its steps fit together. It runs on a worker inside this program.
//
//     ./workflow_in_code sqlite:app.db

#include <holdfast/app.h>
#include <holdfast/client.h>
#include <holdfast/worker.h>
#include <holdfast/workflow.h>

#include <iostream>
#include <numeric>
#include <vector>

namespace {

struct Picture {
    std::string file;
    int width = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Picture, file, width)

}  // namespace

int main(int, char** argv) {
    const std::string store = argv[1];
    holdfast::App app;
    const auto find = app.task<std::string, std::vector<Picture>>("find", [](const std::string& folder) {
        return std::vector<Picture>{{folder + "/cat.png", 640}, {folder + "/dog.png", 800}};
    });
    const auto shrink = app.task<Picture, int>("shrink", [](const Picture& picture) { return picture.width / 2; });
    const auto add = app.task<std::vector<int>, int>(
        "add", [](const std::vector<int>& widths) { return std::accumulate(widths.begin(), widths.end(), 0); });

    holdfast::Workflow flow("thumbnails");
    const auto found = flow.step("find", find, "/pictures");
    auto shrunk = flow.step_for_each("shrink", shrink, found.output());
    shrunk.parallel(4);
    auto total = flow.step("add", add, shrunk.output());
    flow.approval("publish", "Publish {{ steps.add.output }} pixels?").after(total);
    flow.output({{"pixels", "{{ steps.add.output }}"}, {"by", "{{ steps.publish.output.by }}"}});

    holdfast::Client client(store, {.who = "example"});
    holdfast::Worker worker(store, app.functions(), {.max_concurrent_tasks = 4});
    worker.start();

    const auto job = client.run(flow);
    while (!client.approve(job, "publish", true, "looks good")) {  // the step does not wait for approval yet
        if (client.wait(job, std::chrono::milliseconds(100))) break;
    }
    const holdfast::JobInfo ended = client.wait(job);
    for (const auto& step : client.steps(job)) std::cout << step.name << ": " << to_text(step.state) << '\n';
    std::cout << ended.output << '\n';
    worker.drain();
    worker.wait();
    return ended.output == R"({"by":"example","pixels":720})" ? 0 : 1;
}
