#include "cli/program_main.h"
#include "proof/commands.h"

int main(int argc, char** argv) {
    using namespace holdfast;
    return cli::program_main(
        argc, argv, {}, {.commands = {proof::add_demo, proof::add_bench}, .functions = proof::bench_functions()});
}
