#pragma once

#include <stdexcept>
#include <utility>
#include <variant>

namespace holdfast {

/// Wraps an error on its way into a Result, so that a Result<T, T> is unambiguous.
template <typename E>
struct Failure {
    E error;
};
template <typename E>
Failure(E) -> Failure<E>;

/// Either a value or an error; never both, never neither.
/// Reading the side that is not there throws std::logic_error: it is a bug of the caller.
template <typename T, typename E>
class [[nodiscard]] Result {
public:
    // Implicit, so that a function can return either side as it is.
    // NOLINTBEGIN(google-explicit-constructor)
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Failure<E> failure) : content_(std::in_place_index<1>, std::move(failure.error)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return content_.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] const T& value() const& { return require<0>(content_, "Result holds an error, not a value"); }
    [[nodiscard]] T& value() & { return require<0>(content_, "Result holds an error, not a value"); }
    [[nodiscard]] T&& value() && { return std::move(require<0>(content_, "Result holds an error, not a value")); }

    [[nodiscard]] const E& error() const& { return require<1>(content_, "Result holds a value, not an error"); }
    [[nodiscard]] E&& error() && { return std::move(require<1>(content_, "Result holds a value, not an error")); }

    const T& operator*() const& { return value(); }
    const T* operator->() const { return &value(); }

private:
    template <std::size_t Side, typename Content>
    static auto& require(Content& content, const char* complaint) {
        if (auto* side = std::get_if<Side>(&content)) return *side;
        throw std::logic_error(complaint);
    }

    std::variant<T, E> content_;
};

}  // namespace holdfast
