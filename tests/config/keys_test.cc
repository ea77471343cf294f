#include "config/keys.h"
#include "base/text.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class KeysFile : public Loading {
protected:
    /// A file with one declaration of the key `db`, given in braces; it stands in line 2.
    void declare(const std::string& declaration) { write(concat("keys:\n  db: ", declaration, "\n")); }
    /// The only error, as a person reads it.
    [[nodiscard]] std::string complaint() const {
        const auto all = complaints();
        EXPECT_THAT(all, SizeIs(1)) << join(all, "\n");
        return all.empty() ? "" : all.front();
    }
    /// The warnings, as a person reads them.
    [[nodiscard]] std::vector<std::string> warnings() const {
        std::vector<std::string> texts;
        for (const ConfigError& warning : accepted().warnings) texts.push_back(to_text(warning));
        return texts;
    }
};

TEST_F(KeysFile, AreNoneWithoutTheSection) {
    EXPECT_THAT(accepted().keys, IsEmpty());
    write("keys:\n");
    EXPECT_THAT(accepted().keys, IsEmpty());
}

TEST_F(KeysFile, BelongToAQueueOrAreShared) {
    write("keys:\n  db-orders: {limit: 2, shared: true}\n  gpu: {limit: 4, queue: ml, shared: false}\n");
    EXPECT_THAT(accepted().keys,
                ElementsAre(core::KeyDeclaration{"db-orders", "", 2}, core::KeyDeclaration{"gpu", "ml", 4}));
}

TEST_F(KeysFile, SayWhatIsWrongAndWhere) {
    const std::vector<std::pair<std::string, std::string>> faults = {
        {"3", "holdfast.yaml:2:3: keys.db: a value instead of a mapping"},
        {"{limit: 2}", "holdfast.yaml:2:3: keys.db: does not say whose it is: write shared: true, or queue:"},
        {"{limit: 2, shared: false}", "holdfast.yaml:2:3: keys.db: does not say whose it is"},
        {"{limit: 2, shared: true, queue: a}", "holdfast.yaml:2:32: keys.db.queue: cannot stand beside shared: true"},
        {"{shared: true}", "holdfast.yaml:2:3: keys.db: does not say its limit"},
        {"{limit: 0, shared: true}", "holdfast.yaml:2:8: keys.db.limit: too low"},
        {"{limit: 10001, shared: true}", "holdfast.yaml:2:8: keys.db.limit: too high"},
        {"{limit: 2, shraed: true}", "holdfast.yaml:2:18: keys.db.shraed: unknown key"},
        {"{limit: 2, shared: perhaps}", "holdfast.yaml:2:18: keys.db.shared: "},
        {"{limit: 2, queue: \"\"}", "holdfast.yaml:2:18: keys.db.queue: "},
    };
    for (const auto& [declaration, expected] : faults) {
        declare(declaration);
        EXPECT_THAT(complaint(), HasSubstr(expected)) << declaration;
    }
    write("keys: [db]\n");
    EXPECT_THAT(complaint(), HasSubstr("keys: a list instead of a mapping"));
    write("keys: {\"db-{{ input.db }}\": {limit: 1, shared: true}}\n");
    EXPECT_THAT(complaint(), HasSubstr("a declaration names one key"));
}

TEST_F(KeysFile, AWarningNamesAKeyThatTasksOfDifferentQueuesDoNotShare) {
    write(R"(tasks:
  load:
    script: ls
    queue: etl
    concurrency_key: db
  report:
    script: ls
    queue: web
    concurrency_key: db
    concurrency_limit: 3
)");
    EXPECT_THAT(
        warnings(),
        ElementsAre(AllOf(HasSubstr("holdfast.yaml:9:5: tasks.report.concurrency_key: the key \"db\" is used in "
                                    "the queues etl, web, which do not share it"),
                          HasSubstr("keys: {db: {limit: 3, shared: true}}"))));
}

TEST_F(KeysFile, AWarningNamesAKeyThatStepsOfDifferentQueuesDoNotShare) {
    write(R"(workflows:
  nightly:
    steps:
      a: { task: t, queue: etl, concurrency_key: db }
      b: { task: t, queue: web, concurrency_key: db }
      c: { task: t, queue: web, concurrency_key: own }
    hooks: { on_error: [{ task: t, queue: third, concurrency_key: "db-{{ input.x }}" }] }
  other:
    steps:
      d: { task: t, concurrency_key: "db-{{ input.x }}" }
)");
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("holdfast.yaml:5:"), HasSubstr("holdfast.yaml:10:")));
    EXPECT_THAT(warnings()[1], HasSubstr("declare each key that it is filled to"));
}

TEST_F(KeysFile, ThereIsNoWarningAboutAKeyOfOneQueueOrASharedOne) {
    const std::string tasks =
        "tasks:\n  a: {script: ls, queue: x, concurrency_key: db}\n  b: {script: ls, queue: y, concurrency_key: db}\n"
        "  c: {script: ls, concurrency_key: own}\n  d: {script: ls, concurrency_key: own}\n";
    write(tasks + "keys: {db: {limit: 1, shared: true}}\n");
    EXPECT_THAT(warnings(), IsEmpty());
    write(tasks + "keys: {db: {limit: 1, queue: x}}\n");
    EXPECT_THAT(warnings(), SizeIs(1));
}

TEST_F(KeysFile, EachKeyOfADeclarationHasAnExampleThatIsValid) {
    for (const Option& key : key_keys()) {
        const std::string_view name = key.name;
        const std::string company = name == "limit" ? ", shared: true" : ", limit: 1";
        declare(concat("{", name, ": ", key.example, company, "}"));
        EXPECT_TRUE(load().ok()) << name << join(complaints(), "\n");
    }
}

}  // namespace

}  // namespace holdfast::config
