#include "base/words.h"

#include <gmock/gmock.h>

namespace holdfast {
namespace {

using testing::ElementsAre;

enum class Colour { Red, LightBlue, Green, Nameless };
constexpr auto words_of(Colour) {
    using enum Colour;
    return words<Colour>({{Red, "red"}, {LightBlue, "light_blue"}, {Green, "green"}, {Nameless, ""}});
}

enum class Answer { Yes, No };
constexpr auto words_of(Answer) {
    return words<Answer>({{Answer::Yes, "yes"}, {Answer::No, "no"}});
}

enum class Wordless { One };

static_assert(Worded<Colour> && !Worded<Wordless>);
static_assert(is_enumerator<Colour::Nameless>() && !is_enumerator<static_cast<Colour>(4)>());
static_assert(word_of(Colour::LightBlue) == "light_blue");

TEST(Words, EachValueIsReadBackFromItsWord) {
    for (const Colour colour : values_of<Colour>()) EXPECT_EQ(parse_word<Colour>(word_of(colour)), colour);
}

TEST(Words, OtherTextIsNoValue) {
    for (const char* text : {"Red", "re", "red ", "light blue", "0"})
        EXPECT_EQ(parse_word<Colour>(text), std::nullopt) << text;
    EXPECT_EQ(parse_word<Answer>(""), std::nullopt);
}

TEST(Words, AreListedInTheOrderOfTheEnumerators) {
    EXPECT_THAT(values_of<Colour>(), ElementsAre(Colour::Red, Colour::LightBlue, Colour::Green, Colour::Nameless));
    EXPECT_THAT(all_words<Colour>(), ElementsAre("red", "light_blue", "green", ""));
}

TEST(Words, AreOfferedInMessages) {
    EXPECT_EQ(words_to_choose<Answer>(), R"("yes" or "no")");
    EXPECT_EQ(words_to_choose<Colour>(), R"("red", "light_blue", "green" or "")");
}

TEST(WordsDeathTest, ValueOutsideTheEnumerationAborts) {
    EXPECT_DEATH((void)word_of(static_cast<Answer>(7)), "assertion failed");
}

}  // namespace
}  // namespace holdfast
