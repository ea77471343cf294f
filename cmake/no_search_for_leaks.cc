// AddressSanitizer reads these options of the program before those of the environment.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0";
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
