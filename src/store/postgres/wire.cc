#include "store/postgres/wire.h"

#include <cstdlib>

#include "base/text.h"
#include "store/errors.h"

namespace holdfast::postgres {

namespace {

/// 2000-01-01, where PostgreSQL's time begins.
constexpr Duration postgres_epoch = std::chrono::seconds(946684800);

/// The elements of a one-dimensional array without NULLs.
std::vector<std::string_view> array_elements(std::string_view bytes) {
    constexpr std::size_t header = 20;
    if (bytes.size() < header) return {};  // an empty array has no dimensions
    std::vector<std::string_view> elements(
        static_cast<std::size_t>(wire::read_integer<std::int32_t>(bytes.data() + 12)));
    std::size_t offset = header;
    for (auto& element : elements) {
        const auto length = static_cast<std::size_t>(wire::read_integer<std::int32_t>(bytes.data() + offset));
        element = bytes.substr(offset + 4, length);
        offset += 4 + length;
    }
    return elements;
}

}  // namespace

void wire::Type<Timestamp>::append(std::string& out, Timestamp value) {
    append_integer(out, static_cast<std::int64_t>((value.time_since_epoch() - postgres_epoch).count()));
}

std::vector<const char*> Params::values() const {
    std::vector<const char*> values;
    values.reserve(bytes_.size());
    for (const auto& each : bytes_) values.push_back(each ? each->data() : nullptr);
    return values;
}

std::vector<int> Params::lengths() const {
    std::vector<int> lengths;
    lengths.reserve(bytes_.size());
    for (const auto& each : bytes_) lengths.push_back(each ? static_cast<int>(each->size()) : 0);
    return lengths;
}

void Params::push(Oid type, std::optional<std::string> bytes) {
    types_.push_back(type);
    bytes_.push_back(std::move(bytes));
}

const char* Row::bytes(int column, std::size_t length) const {
    const auto found = text(column);
    if (found.size() != length)
        throw store::Unusable(concat("the database answers column ", PQfname(result_, column), " with ", found.size(),
                                     " bytes instead of ", length, ": its schema was changed by hand"));
    return found.data();
}

Uuid Row::uuid(int column) const {
    if (is_null(column)) return {};
    Uuid::Bytes id;
    std::memcpy(id.data(), bytes(column, id.size()), id.size());
    return Uuid(id);
}

Timestamp Row::time(int column) const {
    return Timestamp(Duration(integer(column)) + postgres_epoch);
}

std::vector<std::string> Row::strings(int column) const {
    const auto elements = array_elements(text(column));
    return {elements.begin(), elements.end()};
}

std::size_t Rows::affected() const {
    return static_cast<std::size_t>(std::atoll(PQcmdTuples(result_.get())));
}

}  // namespace holdfast::postgres
