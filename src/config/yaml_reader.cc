#include "config/source_node.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <system_error>
#include <unordered_map>

#include "base/text.h"

namespace holdfast::config {

namespace {

Position position_of(const YAML::Mark& mark) {
    return {.line = std::max(mark.line, 0) + 1, .column = std::max(mark.column, 0) + 1};
}

/// Thrown to stop reading: the rest of the document is unreadable or must not be processed.
struct Unreadable {
    Position at;
    std::string title;
    std::string allowed;
};

/// The size of a subtree.
struct Extent {
    std::size_t bytes = 0;
    std::size_t height = 0;  ///< 1 for a node without children
};

Extent extent_of(const SourceNode& node) {
    Extent extent{sizeof(SourceNode) + node.path.size() + node.key.size() + node.scalar.size(), 0};
    for (const SourceNode& child : node.children) {
        const Extent below = extent_of(child);
        extent.bytes += below.bytes;
        extent.height = std::max(extent.height, below.height);
    }
    ++extent.height;
    return extent;
}

/// Builds the tree from the events of the parser. The parser's own tree would hide duplicate keys and aliases; with
/// events, reading can stop before a small file expands into a large one.
class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const std::string& file, ConfigErrors& errors) : file_(file), errors_(errors) {}

    [[nodiscard]] SourceNode take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (documents_++ > 0) throw Unreadable{position_of(mark), "a second YAML document", "one document per file"};
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (is_key_next()) return take_key(position_of(mark), "null", false);
        add(make(NodeKind::Null, mark), anchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check_tag(tag, mark);
        if (is_key_next()) return take_key(position_of(mark), value, tag == "?");
        SourceNode node = make(NodeKind::Scalar, mark);
        node.scalar = value;
        charge(value.size(), node.at);
        node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (is_key_next()) return refuse_key(position_of(mark));
        // An alias inside its own anchor is unknown: the anchored node is registered only at its end.
        const auto anchored = anchored_.find(anchor);
        if (anchored == anchored_.end())
            throw Unreadable{position_of(mark), "an alias of a node that contains it", ""};
        const SourceNode place = make(NodeKind::Null, mark);
        const Extent extent = extent_of(anchored->second);
        charge(extent.bytes, place.at);
        check_depth(open_.size() + extent.height - 1, place.at);
        SourceNode copy = anchored->second;
        copy.key = place.key;
        copy.key_at = place.key_at;
        rename(copy, place.path, place.at);
        add(std::move(copy), YAML::NullAnchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(NodeKind::Sequence, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(NodeKind::Mapping, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    /// A list or mapping whose end has not been read yet.
    struct Open {
        SourceNode node;
        YAML::anchor_t anchor = YAML::NullAnchor;
        bool has_key = false;  ///< of a mapping: the key was read, its value comes next
        std::string key;
        Position key_at;
        std::unordered_map<std::string, int> lines;  ///< the line of each key so far
        bool dropped = false;                        ///< its next value has no place in the tree: read, but discarded
        bool is_key = false;  ///< this node is used as a key: refused, and discarded at its end
    };

    [[nodiscard]] bool is_key_next() const {
        return !open_.empty() && open_.back().node.kind == NodeKind::Mapping && !open_.back().has_key;
    }

    /// Counts bytes that are about to be kept, against the limit.
    void charge(std::size_t bytes, Position at) {
        bytes_ += bytes;
        if (bytes_ <= max_tree_bytes) return;
        throw Unreadable{at, "too large",
                         concat("at most ", max_tree_bytes, " bytes in memory, with every alias written out")};
    }

    static void check_depth(std::size_t containers, Position at) {
        if (containers > max_depth)
            throw Unreadable{at, "nested too deeply", concat("at most ", max_depth, " levels")};
    }

    /// Creates a node with its path, key and positions.
    SourceNode make(NodeKind kind, const YAML::Mark& mark) {
        SourceNode node{.kind = kind, .at = position_of(mark), .key_at = position_of(mark)};
        if (!open_.empty()) place_in(open_.back(), node);
        charge(extent_of(node).bytes, node.at);
        return node;
    }

    static void place_in(const Open& parent, SourceNode& node) {
        if (parent.node.kind == NodeKind::Sequence) {
            node.path = concat(parent.node.path, '[', parent.node.children.size(), ']');
        } else {
            node.key = parent.key;
            node.key_at = parent.key_at;
            node.path = parent.node.path.empty() ? parent.key : concat(parent.node.path, '.', parent.key);
        }
    }

    /// Gives a copied subtree the paths of its new place. Its positions stay at the original text.
    void rename(SourceNode& node, const std::string& path, Position at) {
        charge(path.size(), at);
        node.path = path;
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            SourceNode& child = node.children[i];
            rename(child, node.kind == NodeKind::Sequence ? concat(path, '[', i, ']') : concat(path, '.', child.key),
                   at);
        }
    }

    void add(SourceNode node, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) {
            charge(extent_of(node).bytes, node.at);
            anchored_[anchor] = node;
        }
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.kind == NodeKind::Sequence) {
            parent.node.children.push_back(std::move(node));
            return;
        }
        parent.has_key = false;
        if (!parent.dropped) parent.node.children.push_back(std::move(node));
        parent.dropped = false;
    }

    void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        check_tag(tag, mark);
        check_depth(open_.size() + 1, position_of(mark));
        const bool is_key = is_key_next();
        if (is_key) refuse_key(position_of(mark));
        Open opened;
        opened.node = make(kind, mark);
        opened.anchor = anchor;
        opened.is_key = is_key;
        open_.push_back(std::move(opened));
    }

    void close() {
        Open closed = std::move(open_.back());
        open_.pop_back();
        if (closed.is_key) return;
        add(std::move(closed.node), closed.anchor);
    }

    void take_key(Position at, const std::string& key, bool plain) {
        Open& mapping = open_.back();
        mapping.has_key = true;
        mapping.key = key;
        mapping.key_at = at;
        const bool merges = plain && key == "<<";
        if (merges)
            complain(at, "merge keys are not supported", "write the entries out, or use an alias as a whole value");
        const bool is_new = mapping.lines.emplace(key, at.line).second;
        if (!is_new) complain_of_duplicate(mapping, at, key);
        mapping.dropped = merges || !is_new;
    }

    void refuse_key(Position at) {
        Open& mapping = open_.back();
        mapping.has_key = mapping.dropped = true;
        mapping.key.clear();
        mapping.key_at = at;
        complain(at, "a key that is not plain text", "keys are words");
    }

    void complain_of_duplicate(const Open& mapping, Position at, const std::string& key) {
        const std::string path = mapping.node.path.empty() ? key : concat(mapping.node.path, '.', key);
        errors_.push_back({.where = {OriginKind::File, file_, at},
                           .key = mask_password(path),
                           .title = "given twice",
                           .allowed = "each key once",
                           .suggestion = concat("the first one is in line ", mapping.lines.at(key))});
    }

    void complain(Position at, std::string title, std::string allowed) {
        errors_.push_back({.where = {OriginKind::File, file_, at},
                           .key = open_.empty() ? "" : open_.back().node.path,
                           .title = std::move(title),
                           .allowed = std::move(allowed)});
    }

    void check_tag(const std::string& tag, const YAML::Mark& mark) {
        static constexpr std::string_view standard = "tag:yaml.org,2002:";
        if (tag.empty() || tag == "?" || tag == "!" || tag.starts_with(standard)) return;
        complain(position_of(mark), concat("unknown YAML tag ", shown_text(tag)), "values without a tag");
    }

    const std::string& file_;
    ConfigErrors& errors_;
    SourceNode root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, SourceNode> anchored_;
    std::size_t bytes_ = 0;
    int documents_ = 0;
};

Position position_at(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return {.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            .column = static_cast<int>(offset - line_begin) + 1};
}

/// Explains why the bytes are not valid text, with a line in place of the offset at the end of `text_defect`'s
/// sentence.
std::optional<Unreadable> encoding_fault(std::string_view text) {
    const std::optional<std::string> defect = text_defect(text);
    if (!defect) return std::nullopt;
    static constexpr std::string_view at_offset = " at offset ";
    const std::size_t end = defect->find(at_offset);
    const std::size_t offset = std::stoull(defect->substr(end + at_offset.size()));
    return Unreadable{position_at(text, offset), defect->substr(0, end), "text in UTF-8"};
}

/// The parser misses an unclosed quote that is followed by a line end, and takes the rest of the file as the value.
/// It does detect an end mark of the document inside a value, so one is appended.
std::string with_end_mark(const std::string& text) {
    return concat(text, text.ends_with('\n') ? "" : "\n", "...\n");
}

Unreadable syntax_fault(const YAML::Exception& error, const std::string& text) {
    const Position at = position_of(error.mark);
    const Position end = position_at(text, text.size());
    const int end_mark_line = text.ends_with('\n') ? end.line : end.line + 1;
    if (at.line < end_mark_line) return {at, concat("YAML syntax: ", error.msg), ""};
    return {end, concat("YAML syntax: a quote or bracket is not closed (", error.msg, ")"), ""};
}

SourceNode parse(const std::string& text, TreeBuilder& builder) {
    std::istringstream stream(with_end_mark(text));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take_root();
}

}  // namespace

Result<std::string, std::string> read_content(const std::string& name) {
    const auto reason = [] { return Failure{std::generic_category().message(errno)}; };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"), std::fclose);
    if (file == nullptr) return reason();
    std::string content;
    std::string piece(64 * 1024, '\0');
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
        content.append(piece, 0, count);
        if (content.size() > max_file_bytes) return Failure{concat("larger than ", max_file_bytes, " bytes")};
    }
    if (std::ferror(file.get()) != 0) return reason();
    return content;
}

YamlText read_yaml(const std::string& text, const std::string& file) {
    YamlText read;
    // Earlier errors may be a consequence of this one, so it is then the only error.
    const auto give_up = [&](const Unreadable& reason) {
        read.errors = {
            {.where = {OriginKind::File, file, reason.at}, .title = reason.title, .allowed = reason.allowed}};
    };
    try {
        if (const auto fault = encoding_fault(text)) throw Unreadable(*fault);
        TreeBuilder builder(file, read.errors);
        read.root = parse(text, builder);
    } catch (const Unreadable& reason) {
        give_up(reason);
    } catch (const YAML::Exception& error) {
        give_up(syntax_fault(error, text));
    }
    return read;
}

}  // namespace holdfast::config
