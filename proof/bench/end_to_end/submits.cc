#include <barrier>
#include <chrono>
#include <deque>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "holdfast/client.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

namespace {

constexpr const char* submitter_ready = "ready";

TaskRequest noop_request() {
    TaskRequest request{.name = noop_task, .args = nullptr, .options = {}};
    request.options.queue = bench_queue;
    return request;
}

void submit_batch(Client& client, const std::vector<TaskRequest>& requests) {
    if (requests.size() == 1) {
        client.submit(requests.front());
        return;
    }
    for (const SubmitOutcome& outcome : client.submit_many(requests))
        if (outcome.status != SubmitStatus::Accepted) throw std::runtime_error("a task was not accepted");
}

/// One call after the other, for the span. Returns tasks per second.
double submit_for_a_while(Client& client, const SubmitParams& params) {
    using std::chrono::steady_clock;
    const std::vector<TaskRequest> requests(params.batch, noop_request());
    const auto began = steady_clock::now();
    std::size_t submitted = 0;
    std::chrono::duration<double> took{};
    do {
        submit_batch(client, requests);
        submitted += requests.size();
        took = steady_clock::now() - began;
    } while (took < params.span);
    return static_cast<double>(submitted) / took.count();
}

double submit_from_threads(const SubmitParams& params) {
    Client client(params.store.url);
    std::barrier start(static_cast<std::ptrdiff_t>(params.clients));
    std::vector<double> rates(params.clients);
    std::vector<std::exception_ptr> failures(params.clients);
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < params.clients; ++index)
        threads.emplace_back([&, index] {
            start.arrive_and_wait();
            try {
                rates[index] = submit_for_a_while(client, params);
            } catch (...) {
                failures[index] = std::current_exception();
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum;
}

crew::ProcessParams submitter_process(const SubmitParams& params) {
    const double seconds = std::chrono::duration<double>(params.span).count();
    return {.command = {"holdfast", "bench", "submitter", "--store", params.store.url, "--batch",
                        std::to_string(params.batch), "--seconds", std::to_string(seconds)},
            .program = crew::own_program,
            .output = crew::Stream::Piped,
            .has_input = true};
}

double submit_from_processes(const SubmitParams& params) {
    std::deque<crew::Process> submitters;
    while (submitters.size() < params.clients) submitters.emplace_back(submitter_process(params));
    for (crew::Process& submitter : submitters)
        if (submitter.read_line() != submitter_ready) throw std::runtime_error("a submitter did not start");
    for (crew::Process& submitter : submitters) submitter.write("go\n");
    double sum = 0;
    for (crew::Process& submitter : submitters) {
        const auto rate = submitter.read_line();
        if (!rate) throw std::runtime_error("a submitter failed");
        sum += std::stod(*rate);
        submitter.wait();
    }
    return sum;
}

}  // namespace

double measure_submits(const SubmitParams& params) {
    (void)client::connect(params.store);  // the schema, before any of them measures
    return params.submitters == Submitters::Threads ? submit_from_threads(params) : submit_from_processes(params);
}

void run_submitter(const SubmitParams& params) {
    Client client(params.store.url);
    std::cout << submitter_ready << std::endl;
    std::string go;
    std::getline(std::cin, go);
    std::cout << submit_for_a_while(client, params) << std::endl;
}

}  // namespace holdfast::proof
