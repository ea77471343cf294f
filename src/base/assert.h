#pragma once

#include <cstdio>
#include <cstdlib>

/// For what this process's own memory got wrong; never for what a database or a person said.
#define HOLDFAST_ASSERT(condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)
