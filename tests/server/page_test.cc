#include "server/page/page.h"

#include <set>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

class Page : public ServerTest {
protected:
    [[nodiscard]] static http::Client::Answer get(const ServingProgram& server, const std::string& path,
                                                  const std::string& encodings = "") {
        http::Client client({.url = server.url()});
        return client.send("GET", path, {}, {{"accept-encoding", encodings}});
    }
    /// The files that a text of the page names.
    [[nodiscard]] static std::set<std::string> named_in(const std::string& text) {
        std::set<std::string> names;
        for (std::size_t at = 0; (at = text.find("\"/assets/", at)) != std::string::npos; ++at)
            names.insert(text.substr(at + 1, text.find('"', at + 1) - at - 1));
        return names;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Page, testing::Values(StoreKind::Sqlite), integration::name_of);

TEST_P(Page, IsServedWithItsFilesFromThisServerOnly) {
    const auto server = serve();
    const auto start = get(*server, "/");
    EXPECT_EQ(start.status, 200);
    if (page::embedded_files().empty()) {
        EXPECT_THAT(start.body, HasSubstr("built without its web page"));
        GTEST_SKIP() << "this build has no page: HOLDFAST_WITH_PAGE";
    }
    EXPECT_THAT(start.headers, Contains(Pair("cache-control", "no-cache")));
    EXPECT_THAT(start.headers, Contains(Pair("content-security-policy", HasSubstr("script-src 'self'"))));
    EXPECT_THAT(start.body, Not(HasSubstr("http://")));
    EXPECT_THAT(start.body, Not(HasSubstr("https://")));
    const auto files = named_in(start.body);
    EXPECT_FALSE(files.empty());
    for (const std::string& file : files) {
        const auto plain = get(*server, file);
        EXPECT_EQ(plain.status, 200) << file;
        EXPECT_THAT(plain.headers, Contains(Pair("cache-control", HasSubstr("immutable")))) << file;
        const auto packed = get(*server, file, "gzip, br");
        EXPECT_THAT(packed.headers, Contains(Pair("content-encoding", "br"))) << file;
        EXPECT_LT(packed.body.size(), plain.body.size()) << file;
    }
}

TEST_P(Page, FindsItsOwnWayButNoFileThatIsNotThere) {
    if (page::embedded_files().empty()) GTEST_SKIP() << "this build has no page: HOLDFAST_WITH_PAGE";
    const auto server = serve();
    EXPECT_EQ(get(*server, "/jobs/01a1dd19").body, get(*server, "/").body);
    EXPECT_EQ(get(*server, "/assets/gone.js").status, 404);
    EXPECT_EQ(get(*server, "/api/gone").status, 404);
}

TEST_P(Page, StartsWithLessThan300KilobytesOverTheWire) {
    if (page::embedded_files().empty()) GTEST_SKIP() << "this build has no page: HOLDFAST_WITH_PAGE";
    const auto server = serve();
    const auto start = get(*server, "/");
    std::size_t bytes = get(*server, "/", "gzip").body.size();
    for (const std::string& file : named_in(start.body)) bytes += get(*server, file, "gzip").body.size();
    EXPECT_LT(bytes, 300'000U);
}

}  // namespace
}  // namespace holdfast::server_test
