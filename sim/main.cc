#include <CLI/CLI.hpp>
#include <cstdio>

#include "sim/world.h"

int main(int argc, char** argv) {
    using namespace holdfast;
    using namespace holdfast::sim;
    CLI::App app{"holdfast-sim"};
    std::uint64_t seed = 1, runs = 1;
    bool trace = false;
    app.add_option("--seed", seed);
    app.add_option("--runs", runs);
    app.add_flag("--trace", trace);
    CLI11_PARSE(app, argc, argv);
    for (std::uint64_t i = 0; i < runs; ++i) {
        RunOptions options;
        options.seed = seed + i;
        options.print_lines = trace;
        World world(options);
        const RunReport report = world.run();
        std::printf("seed %llu hash %016llx calls %llu events %llu virtual %.2f h\n", (unsigned long long)report.seed,
                    (unsigned long long)report.hash, (unsigned long long)report.store_calls,
                    (unsigned long long)report.events, double(report.virtual_time.count()) / 3.6e9);
        for (const Violation& each : report.violations)
            std::printf("  %s: %s\n", each.promise.c_str(), each.what.c_str());
    }
}
