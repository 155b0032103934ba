#include "ksim/base/internal/rare.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ksim {
namespace {

struct Part {
  Part() = default;
  std::string text = "as it begins";
};

TEST(Rare, ReadsAsItBeginsUntilItIsWritten) {
  Rare<Part> rare;
  EXPECT_EQ(std::as_const(rare)->text, "as it begins");
  const Rare<Part> other;
  EXPECT_EQ(&*std::as_const(rare), &*other) << "none has one of its own";
  rare->text = "mine";
  EXPECT_EQ(std::as_const(rare)->text, "mine");
  EXPECT_EQ((*std::as_const(rare)).text, "mine");
}

TEST(Rare, CopiesAreApart) {
  Rare<Part> one;
  Rare<Part> none = one;
  one->text = "1";
  Rare<Part> two = one;
  two->text = "2";
  EXPECT_EQ(std::as_const(none)->text, "as it begins");
  EXPECT_EQ(std::as_const(one)->text, "1");
  EXPECT_EQ(std::as_const(two)->text, "2");
  one = two;
  two = std::move(none);
  EXPECT_EQ(std::as_const(one)->text, "2");
  EXPECT_EQ(std::as_const(two)->text, "as it begins");
}

}  // namespace
}  // namespace ksim
