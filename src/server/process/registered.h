#pragma once

#include <prometheus/registry.h>

namespace holdfast::server {

template <typename Builder>
auto& registered(Builder builder, prometheus::Registry& registry, const char* name, const char* help) {
    return builder.Name(name).Help(help).Register(registry);
}

}  // namespace holdfast::server
