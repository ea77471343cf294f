#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "holdfast/function.h"

namespace holdfast {

namespace {

using nlohmann::json;
using Complaint = std::optional<std::string>;  // none: everything can be read

/// Two kinds of value that no JSON text has: reading one fails, and the complaint ends with its kind.
struct Poison {
    json value;
    std::string_view kind;
};
const Poison& first_poison() {
    static const Poison poison{json::binary({}), "binary"};
    return poison;
}
const Poison& second_poison() {
    static const Poison poison{json(json::value_t::discarded), "discarded"};
    return poison;
}

/// Puts a value in the place of another until it goes.
class Swapped {
public:
    Swapped(json& place, json value) : place_(place), kept_(std::move(value)) { place_.swap(kept_); }
    ~Swapped() { place_.swap(kept_); }
    Swapped(const Swapped&) = delete;
    Swapped& operator=(const Swapped&) = delete;

private:
    json& place_;
    json kept_;
};

bool tells_of(const Complaint& complaint, const Poison& poison) {
    return complaint && complaint->ends_with(poison.kind);
}

/// The text between two others; empty: they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
    const auto begin = text.find(before);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + before.size());
    return text.substr(0, text.find(after));
}

std::string with_article(std::string_view kind) {
    if (kind == "null") return "null";
    return concat(kind == "array" || kind == "object" ? "an " : "a ", kind);
}

/// "[json.exception.type_error.302] type must be number, but is string" without the library's own number.
std::string_view without_tag(std::string_view complaint) {
    const auto end = complaint.starts_with("[json.exception.") ? complaint.find("] ") : std::string_view::npos;
    return end == std::string_view::npos ? complaint : complaint.substr(end + 2);
}

std::string step_to(const std::string& key) {
    const bool is_plain = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-';
    });
    return is_plain ? concat(".", key)
                    : concat("[", json(key).dump(-1, ' ', true, json::error_handler_t::replace), "]");
}

/// Finds the member that cannot be read. What the JSON library throws does not name it, so the values are replaced
/// one after the other: those for which the complaint changes have been read, and the last one to be read is the
/// culprit, or contains it. The order of two is seen by poisoning both.
class Search {
public:
    Search(json args, const detail::DecodeArgs& decode) : args_(std::move(args)), decode_(decode) {
        complaint_ = ask().value_or("");
    }

    TaskError result() {
        descend();
        const std::string message = concat(path_, ": ", explanation());
        return {std::string(error_code::args_not_readable), message,
                json{{"path", path_}}.dump(-1, ' ', false, json::error_handler_t::replace)};
    }

private:
    static constexpr int most_probes = 500;
    static constexpr std::size_t most_compared = 64;  // larger containers are taken to be read in order

    struct Member {
        std::string step;  // ".price", "[2]"
        json* value;
    };

    Complaint ask() {
        ++probes_;
        try {
            decode_(args_);
            return std::nullopt;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& fault) {
            return fault.what();
        }
    }

    void descend() {
        for (json* node = &args_; probes_ < most_probes;) {
            const auto members = members_of(*node);
            const Member* const last = last_read(members);
            if (is_missing_from(*node, last)) return;
            if (last == nullptr) return;
            path_ += last->step;
            node = last->value;
        }
    }

    static std::vector<Member> members_of(json& node) {
        std::vector<Member> members;
        if (node.is_array())
            for (std::size_t i = 0; i < node.size(); ++i) members.push_back({concat("[", i, "]"), &node[i]});
        if (node.is_object())
            for (auto& [key, value] : node.get_ref<json::object_t&>()) members.push_back({step_to(key), &value});
        return members;
    }

    bool is_read(const Member& member) {
        const Swapped poisoned(*member.value, first_poison().value);
        return ask() != complaint_;
    }

    bool is_read_before(json& one, json& other) {
        const Swapped first(one, first_poison().value);
        const Swapped second(other, second_poison().value);
        return tells_of(ask(), first_poison());
    }

    /// nullptr: none has been read.
    const Member* last_read(const std::vector<Member>& members) {
        if (members.size() > most_compared) {
            const auto end = std::ranges::partition_point(members, [&](const Member& each) { return is_read(each); });
            return end == members.begin() ? nullptr : &*std::prev(end);
        }
        const Member* last = nullptr;
        for (const Member& member : members)
            if (is_read(member) && (last == nullptr || is_read_before(*last->value, *member.value))) last = &member;
        return last;
    }

    /// Whether the complaint is about a member that `node` lacks: then putting one there changes the complaint, and
    /// nothing else of `node` is read later.
    bool is_missing_from(json& node, const Member* last) {
        const auto key = between(complaint_, "key '", "' not found");
        const auto index = between(complaint_, "array index ", " is out of range");
        if (node.is_object() && !key.empty() && !node.contains(key)) {
            node[std::string(key)] = nullptr;
            const bool is_it = is_wanted(node[std::string(key)], last);
            node.erase(std::string(key));
            if (is_it) path_ += step_to(std::string(key));
            return is_missing_ = is_it;
        }
        if (node.is_array() && index == std::to_string(node.size())) {
            path_ += concat("[", index, "]");
            return is_missing_ = true;
        }
        return false;
    }

    bool is_wanted(json& added, const Member* last) {
        {
            const Swapped poisoned(added, first_poison().value);
            if (ask() == complaint_) return false;
        }
        return last == nullptr || is_read_before(*last->value, added);
    }

    [[nodiscard]] std::string explanation() const {
        if (is_missing_) return "is missing";
        const std::string_view text = without_tag(complaint_);
        const auto wanted = between(text, "type must be ", ", but is "), found = between(text, ", but is ", "\n");
        if (!wanted.empty() && !found.empty())
            return concat("expected ", with_article(wanted), ", got ", with_article(found));
        const auto misused = between(text, "cannot use at() with ", "\n");
        if (!misused.empty()) return concat("expected an object, got ", with_article(misused));
        return std::string(text);
    }

    json args_;
    const detail::DecodeArgs& decode_;
    std::string complaint_;
    std::string path_ = "args";
    int probes_ = 0;
    bool is_missing_ = false;
};

}  // namespace

TaskError detail::unreadable_args(const json& args, const DecodeArgs& decode) {
    return Search(args, decode).result();
}

}  // namespace holdfast
