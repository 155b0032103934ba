#include "ksim/base/internal/shared_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ksim {
namespace {

TEST(SharedText, IsWhatItWasMadeOf) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("kube-system"),
                                  std::string("\0b", 2), std::string(5000, 'x')}) {
    const SharedText shared = text;
    EXPECT_EQ(shared, text);
    EXPECT_EQ(shared.str(), text);
    EXPECT_EQ(shared.view(), text);
    EXPECT_EQ(shared.size(), text.size());
    EXPECT_EQ(shared.empty(), text.empty());
    EXPECT_EQ(fmt::format("{}", shared), text);
    EXPECT_EQ(fmt::format("{:>6}", shared), fmt::format("{:>6}", text));
    EXPECT_NE(shared.view().data(), nullptr);  // whoever copies nothing copies it from somewhere
  }
}

TEST(SharedText, CopiesShareTheLetters) {
  const SharedText text = "system:node:node-1";
  SharedText copy = text;
  EXPECT_EQ(copy.view().data(), text.view().data());
  SharedText moved = std::move(copy);
  EXPECT_EQ(moved.view().data(), text.view().data());
  moved.clear();
  EXPECT_TRUE(moved.empty());
  EXPECT_EQ(text, "system:node:node-1");
}

TEST(SharedText, ComparesAndJoinsAsStringsDo) {
  const std::string texts[] = {"", "a", "ab", "b"};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      EXPECT_EQ(SharedText(a) == SharedText(b), a == b) << a << " " << b;
      EXPECT_EQ(SharedText(a) < SharedText(b), a < b) << a << " " << b;
      EXPECT_EQ(SharedText(a) + b, a + b);
      EXPECT_EQ(a + SharedText(b), a + b);
    }
  }
}

// Oracle: strings. Under the sanitizers, also that every text is freed once.
TEST(SharedText, SurvivesEveryOrderOfCopiesAndEnds) {
  std::mt19937 draw(7);
  std::vector<SharedText> shared(16);
  std::vector<std::string> plain(16);
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t to = draw() % 16, from = draw() % 16;
    switch (draw() % 5) {
      case 0:
        shared[to] = shared[from];
        plain[to] = plain[from];
        break;
      case 1:
        if (to == from) break;
        shared[to] = std::move(shared[from]);
        plain[to] = std::exchange(plain[from], {});
        shared[from].clear();
        break;
      case 2:
        std::swap(shared[to], shared[from]);
        std::swap(plain[to], plain[from]);
        break;
      case 3:
        shared[to].clear();
        plain[to].clear();
        break;
      default:
        plain[to] = std::string(draw() % 40, static_cast<char>('a' + draw() % 26));
        shared[to] = plain[to];
    }
    ASSERT_EQ(shared[to], plain[to]) << step;
    ASSERT_EQ(shared[from], plain[from]) << step;
  }
}

}  // namespace
}  // namespace ksim
