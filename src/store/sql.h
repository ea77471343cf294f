#pragma once

#include <compare>
#include <cstddef>

namespace holdfast::store {

/// The text of a statement. Only a string literal converts to it, so the address stands for the text: connections
/// find what they have prepared by it. SQL that is built at run time is a script (Database::execute,
/// Connection::run_script), and is never prepared.
class Sql {
public:
    template <std::size_t size>
    consteval Sql(const char (&literal)[size]) : text_(literal) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] constexpr const char* text() const { return text_; }
    // As in holdfast::Uuid: NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Sql&, const Sql&) = default;

private:
    const char* text_;
};

}  // namespace holdfast::store
