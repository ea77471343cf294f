#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr const char* fault_file = "fuzz-fault";

std::string current;  ///< what is being tried

extern "C" void keep_fault(int signal) {
    const int file = open(fault_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const char text[] = "the input is kept in ./fuzz-fault\n";
    if (file < 0 || write(file, current.data(), current.size()) < 0 || write(2, text, sizeof text - 1) < 0) _exit(3);
    raise(signal);  // by SA_RESETHAND, ends the program as if nobody had caught it
}

void keep_inputs_of_faults() {
    struct sigaction action {};
    action.sa_handler = keep_fault;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

void try_input(std::string bytes) {
    current = std::move(bytes);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::vector<std::string> read_corpus(const std::string& directory) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> inputs;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        inputs.emplace_back((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    }
    return inputs;
}

/// Makes inputs like those of a corpus; the same ones in every run.
class Mutator {
public:
    explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

    std::string next() {
        std::string bytes = any_input();
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
        return bytes;
    }

private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
    const std::string& any_input() { return corpus_[below(corpus_.size())]; }

    void change(std::string& bytes) {
        const std::size_t at = below(bytes.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(bytes.size() - at, 32) + 1);
        switch (below(5)) {
            case 0:  // a byte
                if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
                return;
            case 1:  // less of it
                bytes.erase(at, length);
                return;
            case 2:  // something twice
                bytes.insert(at, bytes.substr(at, length));
                return;
            case 3: {  // a piece of another
                const std::string& other = any_input();
                bytes.insert(at, other.substr(below(other.size() + 1), 1 + below(32)));
                return;
            }
            case 4: {  // another from here on
                const std::string& other = any_input();
                bytes.replace(at, std::string::npos, other, below(other.size() + 1), std::string::npos);
                return;
            }
        }
    }

    const std::vector<std::string>& corpus_;
    std::mt19937 random_{4711};
};

}  // namespace

/// replay CORPUS GENERATED: puts every file of the directory through the fuzzer's function, and as many inputs as
/// GENERATED says that are made of them. Fails when there is no file, and keeps the input that shows a fault.
int main(int argc, char** argv) {
    const std::vector<std::string> corpus = read_corpus(argc > 1 ? argv[1] : ".");
    const int generated = argc > 2 ? std::stoi(argv[2]) : 0;
    if (corpus.empty()) return 1;
    keep_inputs_of_faults();
    for (const std::string& input : corpus) try_input(input);
    Mutator mutator(corpus);
    for (int i = 0; i < generated; ++i) try_input(mutator.next());
    std::cout << corpus.size() << " inputs, " << generated << " made of them\n";
    return 0;
}
