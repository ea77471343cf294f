#pragma once

#include <cstdio>
#include <cstdlib>

/// For defects of this process itself, never for input from a database or a person.
#define HOLDFAST_ASSERT(condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)
