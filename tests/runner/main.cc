#include <gtest/gtest.h>

#include "holdfast/runner_main.h"
#include "tests/runner/functions.h"

int main(int argc, char** argv) {
    const holdfast::FunctionTable functions = holdfast::runner::test_functions();
    if (const auto exit_code = holdfast::runner_main(argc, argv, functions)) return *exit_code;
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
