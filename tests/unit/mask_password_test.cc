#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace holdfast {
namespace {

struct Masking {
    const char* text;
    const char* masked;
};

void expect_masked(std::initializer_list<Masking> maskings) {
    for (const Masking& masking : maskings) EXPECT_EQ(mask_password(masking.text), masking.masked);
}

TEST(MaskPassword, HidesThePasswordOfAUrlAndNothingElse) {
    expect_masked({
        {"postgresql://user:secret@host/db", "postgresql://user:***@host/db"},
        {"postgres://user:secret@host:5432,other:5433/db", "postgres://user:***@host:5432,other:5433/db"},
        {"postgresql://user:s%40cret@[::1]:5432/db", "postgresql://user:***@[::1]:5432/db"},
        {"postgresql://:secret@host/db", "postgresql://:***@host/db"},
    });
}

TEST(MaskPassword, HidesPasswordsInTheQueryOfAUrl) {
    expect_masked({
        {"postgresql://host/db?user=a&password=secret&sslmode=require",
         "postgresql://host/db?user=a&password=***&sslmode=require"},
        {"postgresql://u:one@host/db?password=two&sslpassword=three",
         "postgresql://u:***@host/db?password=***&sslpassword=***"},
        {"postgresql:///db?host=/run&password=a b'c", "postgresql:///db?host=/run&password=***"},
        {"postgresql://host/db?PASSWORD=secret", "postgresql://host/db?PASSWORD=***"},
    });
}

TEST(MaskPassword, HidesPasswordsInKeywordStringsAsLibpqReadsThem) {
    expect_masked({
        {"host=h password=secret user=u", "host=h password=*** user=u"},
        {"password = 'two words' host=h", "password = *** host=h"},
        {R"(password='it\'s' dbname=d)", "password=*** dbname=d"},
        {R"(password=sp\ ace dbname=d)", "password=*** dbname=d"},
        {"password=a&b dbname=d", "password=*** dbname=d"},
        {"sslpassword=one password=two", "sslpassword=*** password=***"},
        {"host=h password='never closed", "host=h password=***"},
        {"host=h password=", "host=h password=***"},
        {"dbname=postgresql://u:one@h/d password=two", "dbname=postgresql://u:***@h/d password=***"},
    });
}

TEST(MaskPassword, LeavesTextsWithoutPasswordsAlone) {
    for (const char* text :
         {"", "sqlite:holdfast.db", "sqlite:/tmp/password=x.db", "sqlite:///tmp/a:b@c.db", "postgresql://host/db",
          "postgresql://user@host:5432/db", "postgresql://host:5432/db?application_name=a@b",
          "postgresql://[::1]:5432/db", "postgresql://h1,[::1]:5432/db", "postgresql:///db",
          "host=h dbname=d passfile=/home/u/.pgpass", "postgresql://host:5432", "postgresql://host:/db"})
        EXPECT_EQ(mask_password(text), text);
}

TEST(MaskPassword, HidesPasswordsThatWereNotEscaped) {
    expect_masked({
        {"postgresql://user:p@ss@host/db", "postgresql://user:***@host/db"},
        {"postgresql://user:p/ss@host/db", "postgresql://user:***@host/db"},
        {"postgresql://user:12/34@host/db", "postgresql://user:***@host/db"},
        {"postgresql://user:p?ss@host/db", "postgresql://user:***@host/db"},
        {"postgresql://user:secret", "postgresql://user:***"},
    });
}

RC_GTEST_PROP(MaskPassword, NeverShowsThePassword, ()) {
    // From an alphabet that the rest of the texts does not share, with everything that delimits something.
    const auto secret =
        *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("XYZ0@/:#%=\"&"))));
    RC_PRE(secret.find_first_of("XYZ") != std::string::npos);
    const auto shows = [&](const std::string& text) {
        return mask_password(text).find_first_of("XYZ") != std::string::npos;
    };
    RC_ASSERT(!shows("postgresql://user:" + secret + "@host/db"));
    RC_ASSERT(!shows("host=h password=" + secret + " user=u"));
    RC_ASSERT(!shows("host=h password='" + secret + " " + secret + "' user=u"));
    if (secret.find('&') == std::string::npos) RC_ASSERT(!shows("postgresql://host/db?password=" + secret + "&a=b"));
}

}  // namespace
}  // namespace holdfast
