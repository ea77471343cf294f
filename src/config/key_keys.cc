#include "config/key_keys.h"

#include <array>

namespace holdfast::config {

namespace {

constexpr WorkflowKey declared(std::string_view name, FieldType type, std::string_view fallback,
                               std::string_view meaning, std::string_view example) {
    return {{.section = "keys",
             .name = name,
             .type = type,
             .fallback = fallback,
             .least = 1,
             .most = type == FieldType::Count ? 10'000 : 0,
             .meaning = meaning,
             .source = {},
             .example = example}};
}

constexpr std::array of_keys = {
    declared("limit", FieldType::Count, "",
             "How many tasks with the key run at once. Fixed: what a submit asks for does not change it.", "2"),
    declared("shared", FieldType::Boolean, "false",
             "The tasks of all queues share the key. This, or `queue`: without it a key belongs to one queue.",
             "true"),
    declared("queue", FieldType::Name, "", "The queue that the key belongs to.", "reports"),
};

}  // namespace

std::span<const WorkflowKey> key_keys() {
    return of_keys;
}

}  // namespace holdfast::config
