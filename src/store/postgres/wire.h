#pragma once

#include <libpq-fe.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::postgres {

/// How C++ values stand in PostgreSQL's binary protocol: big-endian integers, times in microseconds since 2000.
/// A nil Uuid and a missing optional are NULL.
namespace wire {

template <typename Integer>
void append_integer(std::string& out, Integer value) {
    auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
    for (int shift = static_cast<int>(sizeof(Integer)) * 8 - 8; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>((bits >> shift) & 0xff));
}

template <typename Integer>
Integer read_integer(const char* bytes) {
    std::make_unsigned_t<Integer> value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        value = static_cast<std::make_unsigned_t<Integer>>(value << 8 | static_cast<unsigned char>(bytes[i]));
    return static_cast<Integer>(value);
}

/// Fills in the four bytes at `start`: how many bytes follow them.
inline void write_length(std::string& out, std::size_t start) {
    const auto length = static_cast<std::uint32_t>(out.size() - start - 4);
    for (std::size_t i = 0; i < 4; ++i) out[start + i] = static_cast<char>((length >> (24 - 8 * i)) & 0xff);
}

template <typename T>
struct Type;
template <>
struct Type<bool> {
    static constexpr Oid oid = 16, array_oid = 1000;
    static void append(std::string& out, bool value) { out.push_back(value ? '\1' : '\0'); }
};
template <>
struct Type<std::int64_t> {
    static constexpr Oid oid = 20, array_oid = 1016;
    static void append(std::string& out, std::int64_t value) { append_integer(out, value); }
};
template <>
struct Type<int> {
    static constexpr Oid oid = 23, array_oid = 1007;
    static void append(std::string& out, int value) { append_integer(out, value); }
};
template <>
struct Type<std::size_t> : Type<std::int64_t> {
    static void append(std::string& out, std::size_t value) { append_integer(out, static_cast<std::int64_t>(value)); }
};
template <>
struct Type<Duration> : Type<std::int64_t> {
    static void append(std::string& out, Duration value) { append_integer(out, std::int64_t{value.count()}); }
};
template <>
struct Type<double> {
    static constexpr Oid oid = 701, array_oid = 1022;
    static void append(std::string& out, double value) { append_integer(out, std::bit_cast<std::int64_t>(value)); }
};
template <>
struct Type<std::string_view> {
    static constexpr Oid oid = 25, array_oid = 1009;
    static void append(std::string& out, std::string_view value) { out.append(value); }
};
template <>
struct Type<std::string> : Type<std::string_view> {};
template <>
struct Type<Uuid> {
    static constexpr Oid oid = 2950, array_oid = 2951;
    static void append(std::string& out, const Uuid& value) {
        out.append(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
    }
};
template <>
struct Type<Timestamp> {
    static constexpr Oid oid = 1184, array_oid = 1185;
    static void append(std::string& out, Timestamp value);
};

}  // namespace wire

/// A one-dimensional array under construction: a parameter for a whole column of a batch.
template <typename T>
class Array {
public:
    void add(const T& value) {
        const auto start = elements_.size();
        wire::append_integer(elements_, std::int32_t{0});
        wire::Type<T>::append(elements_, value);
        wire::write_length(elements_, start);
        ++count_;
    }
    template <typename Value>
    void add_optional(const std::optional<Value>& value) {
        value ? add(*value) : add_null();
    }
    void add_null() {
        wire::append_integer(elements_, std::int32_t{-1});
        has_null_ = true;
        ++count_;
    }
    [[nodiscard]] std::int32_t size() const { return count_; }
    [[nodiscard]] std::string encoded() const {
        std::string out;
        out.reserve(elements_.size() + 20);
        wire::append_integer(out, std::int32_t{count_ == 0 ? 0 : 1});
        wire::append_integer(out, std::int32_t{has_null_ ? 1 : 0});
        wire::append_integer(out, static_cast<std::int32_t>(wire::Type<T>::oid));
        if (count_ == 0) return out;
        wire::append_integer(out, count_);
        wire::append_integer(out, std::int32_t{1});
        return out += elements_;
    }

private:
    std::string elements_;
    std::int32_t count_ = 0;
    bool has_null_ = false;
};

/// The parameters of one statement, encoded.
class Params {
public:
    Params() = default;
    template <typename... Values>
    explicit Params(const Values&... values) {
        (add(values), ...);
    }

    template <typename T>
    void add(const T& value) {
        std::string bytes;
        wire::Type<T>::append(bytes, value);
        push(wire::Type<T>::oid, std::move(bytes));
    }
    template <typename T>
    void add(const std::optional<T>& value) {
        if (value) return add(*value);
        push(wire::Type<T>::oid, std::nullopt);
    }
    template <typename T>
    void add(const Array<T>& array) {
        push(wire::Type<T>::array_oid, array.encoded());
    }
    void add(const char* text) { add(std::string_view(text)); }
    template <typename T>
    void add(const std::vector<T>& values) {
        Array<T> array;
        for (const auto& each : values) array.add(each);
        add(array);
    }

    [[nodiscard]] int count() const { return static_cast<int>(types_.size()); }
    [[nodiscard]] const Oid* types() const { return types_.data(); }
    [[nodiscard]] std::vector<const char*> values() const;
    [[nodiscard]] std::vector<int> lengths() const;

private:
    void push(Oid type, std::optional<std::string> bytes);

    std::vector<Oid> types_;
    std::vector<std::optional<std::string>> bytes_;
};

/// A nil id stands as NULL.
[[nodiscard]] inline std::optional<Uuid> unless_nil(const Uuid& id) {
    return id.is_nil() ? std::nullopt : std::optional(id);
}

/// The element of an array for values of this type.
template <typename Value>
struct ElementOf : std::type_identity<Value> {};
template <typename Value>
struct ElementOf<std::optional<Value>> : ElementOf<Value> {};
template <>
struct ElementOf<std::string> : std::type_identity<std::string_view> {};

/// An array for each column of some rows. `values_of(item)` gives the values of one row as a tuple; a missing
/// optional is NULL.
template <typename Items, typename ValuesOf>
[[nodiscard]] Params columns(const Items& items, const ValuesOf& values_of) {
    constexpr auto put = [](auto& array, const auto& value) {
        if constexpr (requires { value.has_value(); })
            array.add_optional(value);
        else
            array.add(value);
    };
    const auto encode = [&]<typename... Values>(std::type_identity<std::tuple<Values...>>) {
        std::tuple<Array<typename ElementOf<Values>::type>...> arrays;
        for (const auto& item : items)
            std::apply(
                [&](const auto&... values) {
                    std::apply([&](auto&... array) { (put(array, values), ...); }, arrays);
                },
                values_of(item));
        return std::apply([](const auto&... array) { return Params(array...); }, arrays);
    };
    return encode(std::type_identity<std::decay_t<decltype(values_of(*items.begin()))>>());
}

/// One row of an answer, valid as long as the answer is. It reads like sqlite::Query, so that the readers of
/// store/rows.h serve both stores. Columns count from 0. Reading a column as a type that it does not have throws
/// store::Unusable: the schema is not the one this program knows.
class Row {
public:
    Row(const PGresult* result, int number) : result_(result), number_(number) {}

    [[nodiscard]] bool is_null(int column) const { return PQgetisnull(result_, number_, column) != 0; }
    [[nodiscard]] std::string_view text(int column) const {
        return {PQgetvalue(result_, number_, column),
                static_cast<std::size_t>(PQgetlength(result_, number_, column))};
    }
    [[nodiscard]] std::string string(int column) const { return std::string(text(column)); }
    [[nodiscard]] bool boolean(int column) const { return *bytes(column, 1) != 0; }
    [[nodiscard]] int small(int column) const { return wire::read_integer<std::int32_t>(bytes(column, 4)); }
    [[nodiscard]] std::int64_t integer(int column) const {
        return wire::read_integer<std::int64_t>(bytes(column, 8));
    }
    [[nodiscard]] double real(int column) const { return std::bit_cast<double>(integer(column)); }
    [[nodiscard]] Uuid uuid(int column) const;  ///< nil when NULL
    [[nodiscard]] Timestamp time(int column) const;
    [[nodiscard]] std::optional<Timestamp> optional_time(int column) const {
        return is_null(column) ? std::nullopt : std::optional(time(column));
    }
    [[nodiscard]] std::vector<std::string> strings(int column) const;  ///< text[]

private:
    /// The column's bytes, of exactly this many; throws when they are not.
    [[nodiscard]] const char* bytes(int column, std::size_t length) const;

    const PGresult* result_;
    int number_;
};

/// The answer to one statement, in binary.
class Rows {
public:
    explicit Rows(PGresult* result) : result_(result, &PQclear) {}

    [[nodiscard]] int size() const { return PQntuples(result_.get()); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] Row operator[](int row) const { return {result_.get(), row}; }

    class Iterator {
    public:
        Iterator(const Rows& rows, int number) : rows_(&rows), number_(number) {}
        Row operator*() const { return (*rows_)[number_]; }
        Iterator& operator++() {
            ++number_;
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const Rows* rows_;
        int number_;
    };
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }

    /// What `read(row)` makes of each row.
    template <typename Read>
    [[nodiscard]] auto all(const Read& read) const {
        std::vector<std::decay_t<decltype(read(std::declval<const Row&>()))>> found;
        found.reserve(static_cast<std::size_t>(size()));
        for (const Row row : *this) found.push_back(read(row));
        return found;
    }
    /// What it makes of the first row; nullopt when there is none.
    template <typename Read>
    [[nodiscard]] auto first(const Read& read) const {
        return empty() ? std::nullopt : std::optional(read((*this)[0]));
    }
    /// How many rows a statement changed.
    [[nodiscard]] std::size_t affected() const;

private:
    std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

}  // namespace holdfast::postgres
