#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "holdfast/runner_main.h"
#include "tests/runner/functions.h"

int main(int argc, char** argv) {
    const holdfast::FunctionTable functions = holdfast::runner::test_functions();
    if (const auto exit_code = holdfast::runner_main(argc, argv, functions)) {
        std::fflush(nullptr);
        std::_Exit(*exit_code);  // no search for leaks, which takes a sanitizer seconds
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
