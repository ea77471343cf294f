#include "config/source_node.h"

#include "base/text.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> faults(const std::string& text) {
    std::vector<std::string> texts;
    for (const ConfigError& error : read_yaml(text, "f.yaml").errors) texts.push_back(to_text(error));
    return texts;
}

SourceNode tree(const std::string& text) {
    YamlText read = read_yaml(text, "f.yaml");
    EXPECT_THAT(read.errors, IsEmpty()) << (read.errors.empty() ? "" : to_text(read.errors.front()));
    return std::move(read.root);
}

TEST(YamlReader, KeepsPathKeyLineAndColumnOfEveryNode) {
    const SourceNode root = tree("tasks:\n  backup:\n    script: |\n      pg_dump\n    tags: [db,\n      big]\n");
    const SourceNode* backup = root.find("tasks")->find("backup");
    ASSERT_NE(backup, nullptr);
    EXPECT_EQ(backup->path, "tasks.backup");
    EXPECT_EQ(backup->key, "backup");
    EXPECT_EQ(backup->key_at, (Position{2, 3}));
    const SourceNode* script = backup->find("script");
    EXPECT_EQ(script->scalar, "pg_dump\n");
    EXPECT_TRUE(script->quoted);
    const SourceNode* tags = backup->find("tags");
    EXPECT_EQ(tags->kind, NodeKind::Sequence);
    EXPECT_EQ(tags->children.at(1).path, "tasks.backup.tags[1]");
    EXPECT_EQ(tags->children.at(1).at, (Position{6, 7}));
    EXPECT_EQ(root.find("workflows"), nullptr);
}

TEST(YamlReader, TellsQuotedTextFromPlain) {
    const SourceNode root = tree("a: 1\nb: '1'\nc: \"1\"\nd: !!str 1\ne: null\nf: 'null'\ng: ~\nh:\n");
    EXPECT_FALSE(root.find("a")->quoted);
    EXPECT_TRUE(root.find("b")->quoted);
    EXPECT_TRUE(root.find("c")->quoted);
    EXPECT_TRUE(root.find("d")->quoted);
    EXPECT_EQ(root.find("e")->kind, NodeKind::Null);
    EXPECT_EQ(root.find("f")->kind, NodeKind::Scalar);
    EXPECT_EQ(root.find("g")->kind, NodeKind::Null);
    EXPECT_EQ(root.find("h")->kind, NodeKind::Null);
}

TEST(YamlReader, TakesAnEmptyFileForNothing) {
    for (const std::string text : {"", "\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF", "---\n...\n"})
        EXPECT_EQ(tree(text).kind, NodeKind::Null) << text;
}

TEST(YamlReader, ReadsAFileWithAByteOrderMark) {
    EXPECT_NE(tree("\xEF\xBB\xBFstore: sqlite:x.db\n").find("store"), nullptr);
}

TEST(YamlReader, ReadsWindowsLineEnds) {
    const SourceNode root = tree("a: 1\r\nb: 2\r\n");
    EXPECT_EQ(root.find("b")->scalar, "2");
    EXPECT_EQ(root.find("b")->key_at.line, 2);
}

TEST(YamlReader, SaysLineAndColumnOfASyntaxError) {
    EXPECT_THAT(faults("a: 1\nb: [1, 2\nc: 3\n"), ElementsAre(StartsWith("f.yaml:3:")));
    EXPECT_THAT(faults("a: 1\n  b: 2\n"), ElementsAre(StartsWith("f.yaml:2:4: YAML syntax: ")));
    EXPECT_THAT(faults("a: *nobody\n"), ElementsAre(StartsWith("f.yaml:1:4: YAML syntax: ")));
    EXPECT_THAT(faults("\tb: 1\n"), SizeIs(1));
}

TEST(YamlReader, DoesNotTakeTheRestOfTheFileForAValueWhoseQuoteIsNotClosed) {
    EXPECT_THAT(faults("a: 'open\nb: 2\n"),
                ElementsAre(StartsWith("f.yaml:3:1: YAML syntax: a quote or bracket is not")));
    EXPECT_THAT(faults("a: \"open\n"), ElementsAre(StartsWith("f.yaml:2:1: YAML syntax: a quote or bracket is not")));
    EXPECT_THAT(faults("a: 'open"), ElementsAre(StartsWith("f.yaml:1:9: YAML syntax: a quote or bracket is not")));
    EXPECT_THAT(faults("a: {b: 1\n"), ElementsAre(StartsWith("f.yaml:")));
}

TEST(YamlReader, ReportsASyntaxErrorAloneBecauseOthersMayFollowFromIt) {
    EXPECT_THAT(faults("a: 1\na: 2\nb: [\n"), SizeIs(1));
}

TEST(YamlReader, KeepsTheLineEndsOfBlockText) {
    EXPECT_EQ(tree("a: |\n  x\n").find("a")->scalar, "x\n");
    EXPECT_EQ(tree("a: |-\n  x\n").find("a")->scalar, "x");
    EXPECT_EQ(tree("a: |+\n  x\n\n").find("a")->scalar, "x\n\n");
}

TEST(YamlReader, RefusesWhatIsNoText) {
    EXPECT_THAT(faults("a: 1\nb: \xFF\n"), ElementsAre("f.yaml:2:4: is not valid UTF-8; allowed: text in UTF-8"));
    EXPECT_THAT(faults(std::string("a: 1\nbc\0d: 2\n", 13)),
                ElementsAre("f.yaml:2:3: contains a NUL byte; allowed: text in UTF-8"));
    EXPECT_THAT(faults(std::string("\xFF\xFE"
                                   "a\0:\0",
                                   6)),
                ElementsAre(StartsWith("f.yaml:1:1: is not valid UTF-8")));
}

TEST(YamlReader, RefusesDuplicateKeysAtAnyDepthAndNamesTheFirst) {
    EXPECT_THAT(faults("a: 1\nb: {c: 1, d: 2,\n  c: {x: 1}}\na: 2\n"),
                ElementsAre("f.yaml:3:3: b.c: given twice; allowed: each key once; the first one is in line 2",
                            "f.yaml:4:1: a: given twice; allowed: each key once; the first one is in line 1"));
    EXPECT_EQ(read_yaml("a: 1\na: 2\n", "f").root.find("a")->scalar, "1");
}

TEST(YamlReader, RefusesKeysThatAreNoWords) {
    EXPECT_THAT(faults("? [a, {b: c}]\n: {d: e}\nf: 1\n"),
                ElementsAre(StartsWith("f.yaml:1:3: a key that is not plain")));
    EXPECT_THAT(faults("a: &x b\n*x : c\n"), SizeIs(1));
    EXPECT_NE(read_yaml("? [a]\n: {d: e}\nf: 1\n", "f").root.find("f"), nullptr);
}

TEST(YamlReader, RefusesMergeKeysAndForeignTags) {
    EXPECT_THAT(faults("a: &a {x: 1}\nb: {<<: *a, y: 2}\n"), ElementsAre(HasSubstr("merge keys are not supported")));
    EXPECT_THAT(faults("a: !python/object x\n"), ElementsAre(HasSubstr("unknown YAML tag")));
}

TEST(YamlReader, RefusesASecondDocument) {
    EXPECT_THAT(faults("a: 1\n---\nb: 2\n"), ElementsAre(HasSubstr("a second YAML document")));
}

TEST(YamlReader, WritesAliasesOutUnderTheirNewPath) {
    const SourceNode root = tree("a: &a {x: [1, 2]}\nb: {c: *a}\n");
    const SourceNode* copy = root.find("b")->find("c");
    EXPECT_EQ(copy->path, "b.c");
    EXPECT_EQ(copy->key, "c");
    EXPECT_EQ(copy->key_at, (Position{2, 5}));
    EXPECT_EQ(copy->find("x")->children.at(1).path, "b.c.x[1]");
    EXPECT_EQ(copy->find("x")->children.at(1).at.line, 1);
}

TEST(YamlReader, RefusesAnAliasInsideItsOwnAnchor) {
    EXPECT_THAT(faults("a: &a [1, *a]\n"), SizeIs(1));
}

TEST(YamlReader, RefusesABombOfAliases) {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const std::string last = concat("*a", i - 1);
        text += concat("a", i, ": &a", i, " [", last);
        for (int copy = 1; copy < 10; ++copy) text += ", " + last;
        text += "]\n";
    }
    EXPECT_THAT(faults(text), ElementsAre(HasSubstr("too large; allowed: at most 134217728 bytes in memory")));
}

TEST(YamlReader, RefusesPathsThatAddUpToTooMuch) {
    std::string text(1'000, 'k');  // YAML allows no longer key
    text += ": [0";
    for (int i = 0; i < 200'000; ++i) text += ",0";
    EXPECT_THAT(faults(text + "]\n"), ElementsAre(HasSubstr("too large")));
}

std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']') + "\n";
}

TEST(YamlReader, LimitsTheDepth) {
    EXPECT_THAT(faults(nested(max_depth)), IsEmpty());
    EXPECT_THAT(faults(nested(max_depth + 1)),
                ElementsAre(HasSubstr("nested too deeply; allowed: at most 64 levels")));
    EXPECT_THAT(faults(nested(100'000)), SizeIs(1));
    std::string mappings;
    for (int i = 0; i < 10'000; ++i) mappings += "{a: ";
    EXPECT_THAT(faults(mappings), SizeIs(1));
}

TEST(YamlReader, LimitsTheDepthThatAliasesAddUpTo) {
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    const std::string deeper = std::string(30, '[') + "*a" + std::string(30, ']');
    EXPECT_THAT(faults(concat("a: &a ", deep, "\nb: ", deeper, "\n")), ElementsAre(HasSubstr("nested too deeply")));
}

class KeptSections : public Loading {};

TEST_F(KeptSections, MayBeEmptyAsMayTheWholeFile) {
    write("store:\nworker:\nrecovery: {}\nretention:\nserver:\ntasks:\nworkflows:\n");
    EXPECT_EQ(shown("store.url"), "sqlite:holdfast.db (default)");
    write("");
    EXPECT_EQ(shown("store.url"), "sqlite:holdfast.db (default)");
}

}  // namespace

}  // namespace holdfast::config
