#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "store_contract/child_process.h"

/// The runner. With --child it is one of the processes that the tests start beside themselves.
int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--child") {
        const int exit_code = holdfast::contract::run_child(argc, argv);
        std::fflush(nullptr);
        std::_Exit(exit_code);  // no search for leaks, which takes a sanitizer seconds
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
