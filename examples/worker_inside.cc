// An application that is both client and worker. It needs one SQLite file, and no server or other process.
//
//     ./worker_inside sqlite:app.db

#include <iostream>
#include <numeric>

#include <holdfast/app.h>
#include <holdfast/client.h>
#include <holdfast/worker.h>

struct Order {
    std::string customer;
    std::vector<int> prices;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, customer, prices)

struct Receipt {
    std::string customer;
    int total = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Receipt, customer, total)

// A task with its arguments, its result, and its own failure.
holdfast::Result<Receipt, holdfast::TaskError> charge(holdfast::Context& context, const Order& order) {
    if (order.prices.empty())
        return holdfast::Failure{holdfast::TaskError{"EMPTY_ORDER", "there is nothing to charge", ""}};
    context.progress(0.5, "adding up");
    return Receipt{order.customer, std::accumulate(order.prices.begin(), order.prices.end(), 0)};
}

int main(int, char** argv) {
    const std::string store = argv[1];

    holdfast::App app;
    const auto charge_task = app.task<Order, Receipt>("charge", charge);
    const auto thank_task = app.task<Receipt, std::string>(
        "thank", [](const Receipt& receipt) { return "Thank you, " + receipt.customer; });

    holdfast::Worker worker(store, app.functions(), {.max_concurrent_tasks = 4});
    worker.start();

    holdfast::Client client(store);
    const auto charged = client.wait(client.submit(charge_task, Order{"Ada", {10, 20, 12}}));
    std::cout << charged.value().customer << " pays " << charged.value().total << '\n';
    if (charged.value().total != 42) return 1;

    const auto thanks = client.wait(client.submit(thank_task, charged.value()));
    std::cout << thanks.value() << '\n';
    if (thanks.value() != "Thank you, Ada") return 1;

    // A failure is a value with a code that the function chooses.
    const auto refused = client.wait(client.submit(charge_task, Order{"Bob", {}}));
    std::cout << refused.error().code << ": " << refused.error().message << '\n';
    if (refused.error().code != "EMPTY_ORDER") return 1;

    worker.drain();
    worker.wait();
}
