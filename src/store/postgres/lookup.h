#pragma once

#include <memory>
#include <string>
#include <vector>

namespace holdfast::postgres {

/// The look-up of a host name, which may take any time, in a thread that nobody has to wait for. Thread-safe.
class Lookup {
public:
    struct State;

    /// Starts it. Joins one that is under way in this process, so a name server that does not answer costs one thread
    /// for each name.
    explicit Lookup(const std::string& name);

    /// Becomes readable when it is done.
    [[nodiscard]] int descriptor() const;
    struct Found {
        std::vector<std::string> addresses;
        std::string complaint;  ///< why there are none
    };
    /// To be called when it is done.
    [[nodiscard]] Found found() const;

private:
    std::shared_ptr<State> state_;
};

}  // namespace holdfast::postgres
