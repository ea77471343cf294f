#include "core/task/task_spec.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace holdfast::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TaskSpec local_script() {
    TaskSpec spec;
    spec.script = "echo hi";
    return spec;
}

TaskSpec script_on(ScriptRunner runner) {
    TaskSpec spec = local_script();
    spec.runner = runner;
    if (runner != ScriptRunner::Local) spec.image = "debian:12";
    return spec;
}

TaskSpec container(TaskKind kind) {
    TaskSpec spec;
    spec.kind = kind;
    spec.image = "debian:12";
    return spec;
}

TaskSpec with_everything() {
    TaskSpec spec = container(TaskKind::Docker);
    spec.command = {"sh", "-c", "echo hi"};
    spec.env = {{"A", "1"}, {"B", ""}};
    spec.secrets = {{"password", "env:D"}, {"pin", "file:/f"}};
    spec.dir = "/srv";
    spec.volumes = {"/data:/data:ro", "cache:/var/cache"};
    spec.memory_bytes = 64 << 20;
    spec.cpus = 1.5;
    spec.max_processes = 100;
    spec.network = "none";
    return spec;
}

TaskSpec read(std::string_view text) {
    auto spec = parse_task_spec(text);
    EXPECT_TRUE(spec.ok()) << text << ": " << spec.error();
    return spec.ok() ? *spec : TaskSpec{};
}

std::string complaint(std::string_view text) {
    auto spec = parse_task_spec(text);
    EXPECT_FALSE(spec.ok()) << text;
    return spec.ok() ? std::string() : spec.error();
}

TEST(RequiredTags, FollowFromTheKindOfTaskAndWhereItsScriptRuns) {
    EXPECT_THAT(required_tags(script_on(ScriptRunner::Local)), ElementsAre("script"));
    EXPECT_THAT(required_tags(script_on(ScriptRunner::Docker)), ElementsAre("script", "docker"));
    EXPECT_THAT(required_tags(script_on(ScriptRunner::Pod)), ElementsAre("script", "kubernetes"));
    EXPECT_THAT(required_tags(container(TaskKind::Docker)), ElementsAre("docker"));
    EXPECT_THAT(required_tags(container(TaskKind::Pod)), ElementsAre("kubernetes"));
}

TEST(TaskSpecText, LeavesOutWhatIsAtItsDefault) {
    EXPECT_EQ(to_json_text(local_script()), R"({"script":"echo hi"})");
    EXPECT_EQ(to_json_text(container(TaskKind::Pod)), R"({"image":"debian:12","type":"pod"})");
}

TEST(TaskSpecText, WritesEveryMemberInAlphabeticalOrderAndReadsItBack) {
    EXPECT_EQ(
        to_json_text(with_everything()),
        R"({"command":["sh","-c","echo hi"],"cpus":1.5,"dir":"/srv","env":{"A":"1","B":""},"image":"debian:12",)"
        R"("max_processes":100,"memory_bytes":67108864,"network":"none","secrets":{"password":"env:D","pin":"file:/f"},"type":"docker",)"
        R"("volumes":["/data:/data:ro","cache:/var/cache"]})");
    EXPECT_EQ(read(to_json_text(with_everything())), with_everything());
    for (const auto runner : {ScriptRunner::Local, ScriptRunner::Docker, ScriptRunner::Pod})
        EXPECT_EQ(read(to_json_text(script_on(runner))), script_on(runner));
}

struct Bad {
    const char* text;
    const char* sentence;
};

TEST(TaskSpecText, EveryWrongTypeIsNamedWithWhatIsAllowed) {
    const Bad bad[] = {
        {"", "a task's specification must be a JSON object"},
        {"{", "a task's specification must be a JSON object"},
        {"[]", "a task's specification must be a JSON object, not []"},
        {R"({"script":7})", "script must be a text, not 7"},
        {R"({"script":null})", "script must be a text, not null"},
        {R"({"type":"lambda"})", R"(type must be "script", "docker" or "pod", not "lambda")"},
        {R"({"type":1})", R"(type must be "script", "docker" or "pod", not 1)"},
        {R"({"runner":"remote"})", R"(runner must be "local", "docker" or "pod", not "remote")"},
        {R"({"command":"ls"})", R"(command must be a list of texts, not "ls")"},
        {R"({"command":["ls",1]})", "command[1] must be a text in quotes, not 1"},
        {R"({"env":["A=1"]})", R"(env must be an object of texts, not ["A=1"])"},
        {R"({"env":{"A":1}})", R"(env must be an object of texts, not {"A":1})"},
        {R"({"volumes":{}})", "volumes must be a list of texts, not {}"},
        {R"({"memory_bytes":"1g"})",
         R"(memory_bytes must be a whole number from 6291456 to 1125899906842624, not "1g")"},
        {R"({"memory_bytes":1.5})", "memory_bytes must be a whole number from 6291456 to 1125899906842624, not 1.5"},
        {R"({"memory_bytes":18446744073709551615})",
         "memory_bytes must be a whole number from 6291456 to 1125899906842624, not 18446744073709551615"},
        {R"({"max_processes":-1})", "max_processes must be a whole number from 1 to 4194304, not -1"},
        {R"({"max_processes":4294967297})", "max_processes must be a whole number from 1 to 4194304, not 4294967297"},
        {R"({"cpus":"2"})", R"(cpus must be a number from 0.01 to 4096, not "2")"},
        {R"({"dir":["/"]})", R"(dir must be a text, not ["/"])"},
    };
    for (const Bad& b : bad) EXPECT_EQ(complaint(b.text), b.sentence) << b.text;
    EXPECT_EQ(complaint(R"({"Script":"x"})"), R"(unknown key "Script"; did you mean "script"?)");
    EXPECT_THAT(complaint(R"({"colour":"x"})"), StartsWith(R"(unknown key "colour"; the keys are command, cpus,)"));
}

/// One way to spoil a specification, and the member that the defect must name.
struct Spoiled {
    const char* member;
    const char* problem;
    void (*spoil)(TaskSpec&);
};

void expect_exactly(const TaskSpec& spoilt, const Spoiled& expected) {
    const auto defects = spec_defects(spoilt);
    ASSERT_EQ(defects.size(), 1U) << expected.member << ": " << expected.problem;
    EXPECT_EQ(defects[0].member, expected.member);
    EXPECT_THAT(defects[0].problem, HasSubstr(expected.problem));
}

TEST(SpecDefects, AGoodSpecificationHasNone) {
    for (const auto runner : {ScriptRunner::Local, ScriptRunner::Docker, ScriptRunner::Pod})
        EXPECT_THAT(spec_defects(script_on(runner)), IsEmpty());
    for (const auto kind : {TaskKind::Docker, TaskKind::Pod}) EXPECT_THAT(spec_defects(container(kind)), IsEmpty());
    EXPECT_THAT(spec_defects(with_everything()), IsEmpty());
}

TEST(SpecDefects, ALocalScriptHasNothingOfAContainer) {
    const Spoiled spoiled[] = {
        {"script", "is missing: a script with runner local needs it", [](TaskSpec& s) { s.script.clear(); }},
        {"image", "has no meaning for a script with runner local", [](TaskSpec& s) { s.image = "debian"; }},
        {"command", "has no meaning", [](TaskSpec& s) { s.command = {"ls"}; }},
        {"volumes", "has no meaning", [](TaskSpec& s) { s.volumes = {"/a:/b"}; }},
        {"cpus", "has no meaning", [](TaskSpec& s) { s.cpus = 1; }},
        {"network", "has no meaning", [](TaskSpec& s) { s.network = "none"; }},
    };
    for (const Spoiled& s : spoiled) {
        TaskSpec spec = local_script();
        s.spoil(spec);
        expect_exactly(spec, s);
    }
}

TEST(SpecDefects, AContainerNeedsAnImageAndHasNoScript) {
    const Spoiled spoiled[] = {
        {"image", "is missing: a task of type docker needs it", [](TaskSpec& s) { s.image.clear(); }},
        {"script", "has no meaning for a task of type docker", [](TaskSpec& s) { s.script = "ls"; }},
        {"runner", "has no meaning for a task of type docker", [](TaskSpec& s) { s.runner = ScriptRunner::Docker; }},
    };
    for (const Spoiled& s : spoiled) {
        TaskSpec spec = with_everything();
        s.spoil(spec);
        expect_exactly(spec, s);
    }
    TaskSpec without_image = script_on(ScriptRunner::Docker);
    without_image.image.clear();
    expect_exactly(without_image, {"image", "is missing: a script with runner docker needs it", nullptr});
}

TEST(SpecDefects, NameWhateverIsOutOfRangeOrOfAWrongForm) {
    const Spoiled spoiled[] = {
        {"image", "must be one word", [](TaskSpec& s) { s.image = "--privileged"; }},
        {"image", "must be one word", [](TaskSpec& s) { s.image = "a b"; }},
        {"image", "must be one word", [](TaskSpec& s) { s.image = "a\nb"; }},
        {"network", "must be one word", [](TaskSpec& s) { s.network = "-x"; }},
        {"command", "NUL", [](TaskSpec& s) { s.command = {std::string("a\0b", 3)}; }},
        {"command", "at most 1000", [](TaskSpec& s) { s.command.assign(1001, "x"); }},
        {"env", "names are not empty",
         [](TaskSpec& s) {
             s.env = {{"", "1"}};
         }},
        {"env", "no \"=\"",
         [](TaskSpec& s) {
             s.env = {{"A=B", "1"}};
         }},
        {"env", "names that begin with HOLDFAST_ are Holdfast's own",
         [](TaskSpec& s) {
             s.env = {{"HOLDFAST_WORKER", "1"}};
         }},
        {"secrets", "must say where the worker finds X: env:VARIABLE or file:/path, never the secret itself",
         [](TaskSpec& s) {
             s.secrets = {{"X", "swordfish"}};
         }},
        {"secrets", "must say where the worker finds X",
         [](TaskSpec& s) {
             s.secrets = {{"X", "file:relative"}};
         }},
        {"secrets", "has A, which env has as well",
         [](TaskSpec& s) {
             s.env = {{"A", "1"}};
             s.secrets = {{"A", "env:B"}};
         }},
        {"secrets", "names that begin with HOLDFAST_ are Holdfast's own",
         [](TaskSpec& s) {
             s.secrets = {{"HOLDFAST_TOKEN", "env:A"}};
         }},
        {"secrets", "must not take X from the worker's own HOLDFAST_STORE",
         [](TaskSpec& s) {
             s.secrets = {{"X", "env:HOLDFAST_STORE"}};
         }},
        {"env", "UTF-8",
         [](TaskSpec& s) {
             s.env = {{"A", "\xFF"}};
         }},
        {"dir", "absolute", [](TaskSpec& s) { s.dir = "srv"; }},
        {"volumes", "/host/path:/container/path", [](TaskSpec& s) { s.volumes = {"/data"}; }},
        {"volumes", "/host/path:/container/path", [](TaskSpec& s) { s.volumes = {":/data"}; }},
        {"volumes", "/host/path:/container/path", [](TaskSpec& s) { s.volumes = {"/data:data"}; }},
        {"volumes", "/host/path:/container/path", [](TaskSpec& s) { s.volumes = {"/a:/b:rx"}; }},
        {"volumes", "/host/path:/container/path", [](TaskSpec& s) { s.volumes = {"--privileged:/b"}; }},
        {"memory_bytes", "must be a whole number from 6291456", [](TaskSpec& s) { s.memory_bytes = 6291455; }},
        {"memory_bytes", "to 1125899906842624", [](TaskSpec& s) { s.memory_bytes = (std::int64_t{1} << 50) + 1; }},
        {"cpus", "must be a number from 0.01 to 4096", [](TaskSpec& s) { s.cpus = 0; }},
        {"cpus", "must be a number from 0.01 to 4096", [](TaskSpec& s) { s.cpus = std::nan(""); }},
        {"max_processes", "must be a whole number from 1 to 4194304", [](TaskSpec& s) { s.max_processes = 0; }},
    };
    for (const Spoiled& s : spoiled) {
        TaskSpec spec = with_everything();
        s.spoil(spec);
        expect_exactly(spec, s);
    }
}

TEST(SpecDefects, AreAllToldAtOnceAndRefuseTheText) {
    TaskSpec spec = local_script();
    spec.script.clear();
    spec.image = "debian";
    spec.dir = "srv";
    EXPECT_EQ(spec_defects(spec).size(), 3U);
    EXPECT_EQ(complaint(to_json_text(spec)), "script is missing: a script with runner local needs it");
}

RC_GTEST_PROP(TaskSpecText, IsReadBackAsTheSameSpecification, ()) {
    const auto text = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
    TaskSpec spec = *rc::gen::element(local_script(), script_on(ScriptRunner::Docker), with_everything());
    if (spec.kind == TaskKind::Script) spec.script = *text;
    const auto name = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>('A', 'Z')));
    spec.env = *rc::gen::container<std::map<std::string, std::string>>(name, text);
    RC_ASSERT(spec_defects(spec).empty());
    const auto parsed = parse_task_spec(to_json_text(spec));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == spec);
}

}  // namespace
}  // namespace holdfast::core
