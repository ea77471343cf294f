// A long task that stops on request and continues in its next run, for example after a deploy.
//
//     ./stop_cleanly sqlite:app.db

#include <chrono>
#include <iostream>
#include <thread>

#include <holdfast/app.h>
#include <holdfast/client.h>
#include <holdfast/worker.h>

using namespace std::chrono_literals;

constexpr int pages = 100;

void print_page() {
    std::this_thread::sleep_for(10ms);
}

// Checks between two pages whether it must stop. If so, it saves its position and throws Stopped. Returning
// the number of pages would not complete the task: a run that has seen cancelled() counts as stopped.
int print_book(holdfast::Context& context, const holdfast::Nothing&) {
    int printed = context.last_checkpoint().value_or(0).get<int>();
    std::cout << "going on after page " << printed << std::endl;
    for (; printed < pages; ++printed) {
        if (context.cancelled()) {
            context.checkpoint(printed);
            throw holdfast::Stopped{};
        }
        print_page();
        context.progress(1.0 * (printed + 1) / pages);
    }
    return printed;
}

// Has finished its work when it is asked to stop, and says so: its value becomes the result of the task.
std::string listen(holdfast::Context& context, const holdfast::Nothing&) {
    while (!context.cancelled()) std::this_thread::sleep_for(1ms);
    return context.complete_anyway(std::string("heard everything"));
}

int main(int, char** argv) {
    const std::string store = argv[1];
    holdfast::App app;
    const auto book = app.task<holdfast::Nothing, int>("print_book", print_book);
    const auto radio = app.task<holdfast::Nothing, std::string>("listen", listen);
    holdfast::Client client(store);
    const auto printing = client.submit(book, {});
    const auto listening = client.submit(radio, {});
    const auto has_begun = [&](const holdfast::Uuid& id) {
        return client.get(id)->state == holdfast::TaskState::Running;
    };

    {
        // The worker leaves in the middle of both: tasks that still run after 20 ms are asked to stop.
        holdfast::Worker worker(store, app.functions(), {.shutdown_grace = 20ms});
        worker.start();
        while (!has_begun(printing.id) || !has_begun(listening.id)) std::this_thread::sleep_for(1ms);
        worker.drain();
        worker.wait();
    }
    std::cout << "after the first worker: " << holdfast::to_text(client.get(printing.id)->state) << std::endl;
    if (client.wait(listening).value() != "heard everything") return 1;

    holdfast::Worker worker(store, app.functions());
    worker.start();
    const auto printed = client.wait(printing);
    std::cout << "pages: " << printed.value() << std::endl;
    for (const auto& attempt : client.attempts(printing.id)) std::cout << "  " << attempt.end << std::endl;
    return printed.value() == pages ? 0 : 1;
}
