#include <map>
#include <set>

#include "base/text.h"
#include "config/keys.h"
#include "config/sections.h"

namespace holdfast::config {

namespace {

class KeyReader {
public:
    KeyReader(const SourceNode& node, Complaints& complaints) : node_(node), complaints_(complaints) {}

    core::KeyDeclaration read() {
        declaration_.key = node_.key;
        if (node_.key.empty() || node_.key.size() > max_name_bytes)
            complaints_.complain(node_, node_.path,
                                 concat("is not a key: a key has 1 to ", max_name_bytes, " bytes"));
        else if (node_.key.find("{{") != std::string::npos)
            complaints_.complain(node_, node_.path,
                                 "is not a key: a declaration names one key, as it is when filled");
        if (complaints_.is_mapping(node_, "a mapping with the keys " + join(names_of(key_keys()), ", "))) {
            for (const SourceNode& entry : node_.children) read_entry(entry);
            check_whole();
        }
        return std::move(declaration_);
    }

private:
    void read_entry(const SourceNode& entry) {
        const auto* key = find_option(key_keys(), entry.key);
        if (key == nullptr) {
            complaints_.unknown_key(entry, names_of(key_keys()));
            return complaints_.distrust(node_.path);
        }
        const auto value = complaints_.read(*key, entry);
        if (!value) return;
        if (entry.key == "shared")
            is_shared_ = std::get<bool>(*value);
        else
            key->set(declaration_, *value);
    }

    /// Checks the declaration as a whole; skipped when one of its keys is invalid, to avoid follow-up errors.
    void check_whole() {
        if (complaints_.is_any_distrusted(node_)) return;
        if (node_.find("limit") == nullptr) complaints_.complain(node_, node_.path, "does not say its limit");
        const SourceNode* queue = node_.find("queue");
        if (is_shared_ && queue != nullptr)
            complaints_.misfit(*queue, "cannot stand beside shared: true", "");
        else if (!is_shared_ && queue == nullptr)
            complaints_.complain(
                node_, node_.path,
                "does not say whose it is: write shared: true, or queue: with the name of its queue");
    }

    const SourceNode& node_;
    Complaints& complaints_;
    bool is_shared_ = false;
    core::KeyDeclaration declaration_;
};

ConfigError unshared_key(const KeyUse& use, const std::set<std::string>& queues) {
    const bool is_template = use.key.find("{{") != std::string::npos;
    return {.where = use.where,
            .key = use.path,
            .title = concat("the key ", shown_text(use.key), " is used in the queues ",
                            join({queues.begin(), queues.end()}, ", "),
                            ", which do not share it: each has slots of its own"),
            .suggestion = is_template ? "to share it, declare each key that it is filled to, with shared: true"
                                      : concat("to share it, write keys: {", use.key, ": {limit: ", use.limit,
                                               ", shared: true}}")};
}

}  // namespace

std::vector<core::KeyDeclaration> read_keys(const SourceNode& section, const std::string& file, Draft& draft) {
    std::vector<core::KeyDeclaration> keys;
    Complaints complaints(file, draft);
    for (const SourceNode& node :
         complaints.entries(section, "a mapping of concurrency keys: {db-orders: {limit: 2, shared: true}}"))
        keys.push_back(KeyReader(node, complaints).read());
    return keys;
}

ConfigErrors unshared_keys(const std::vector<KeyUse>& uses, const std::vector<core::KeyDeclaration>& declared) {
    struct Seen {
        std::set<std::string> queues = {};
        const KeyUse* second = nullptr;  // the first use in a different queue
    };
    std::map<std::string, Seen> keys;
    for (const KeyUse& use : uses) {
        Seen& seen = keys[use.key];
        if (seen.queues.insert(use.queue).second && seen.queues.size() == 2) seen.second = &use;
    }
    for (const auto& key : declared)
        if (key.is_shared()) keys.erase(key.key);
    ConfigErrors warnings;
    for (const auto& [key, seen] : keys)
        if (seen.second != nullptr) warnings.push_back(unshared_key(*seen.second, seen.queues));
    return warnings;
}

}  // namespace holdfast::config
