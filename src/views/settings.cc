#include "views/settings.h"

namespace holdfast::views {

/// Shown as text: "holdfast.yaml:12".
template <>
struct Form<config::Origin> {
    static Json write(const config::Origin& origin) { return to_text(origin); }
    static void read(const Json& shape, config::Origin& origin) { origin.name = shape.get<std::string>(); }
    static Json schema() { return schema::text(); }
};

Table<config::Setting> table(Of<config::Setting>) {
    using config::Setting;
    static constexpr Member<Setting> members[] = {
        member<&Setting::key>("key"),
        member<&Setting::value>("value"),
        member<&Setting::origin>("origin"),
    };
    return {"Setting", members};
}

Table<config::ConfigError> table(Of<config::ConfigError>) {
    using Error = config::ConfigError;
    static constexpr Member<Error> members[] = {
        member<&Error::where>("where"),
        member<&Error::key>("key", or_null),
        member<&Error::title>("title"),
        member<&Error::found>("found", or_null),
        member<&Error::allowed>("allowed", or_null),
        member<&Error::suggestion>("suggestion", or_null),
    };
    return {"ConfigError", members};
}

Table<store::Finding> table(Of<store::Finding>) {
    using store::Finding;
    static constexpr Member<Finding> members[] = {
        member<&Finding::grade>("grade"),
        member<&Finding::what>("what"),
        member<&Finding::found>("found"),
        member<&Finding::advice>("advice", or_null),
    };
    return {"Finding", members};
}

}  // namespace holdfast::views
