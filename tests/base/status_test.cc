#include "ksim/base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ksim {
namespace {

absl::StatusOr<int> Half(int n) {
  if (n % 2 != 0) return absl::InvalidArgumentError("odd");
  return n / 2;
}

absl::StatusOr<std::string> Quarter(int n) {
  ASSIGN_OR_RETURN(const int half, Half(n));
  int quarter = 0;
  ASSIGN_OR_RETURN(quarter, Half(half));
  return std::to_string(quarter);
}

absl::Status BothEven(int a, int b) {
  RETURN_IF_ERROR(Half(a));
  RETURN_IF_ERROR(Half(b).status());
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<int>> Made(bool good) {
  if (!good) return absl::NotFoundError("none");
  return std::make_unique<int>(5);
}

absl::StatusOr<int> Unwrapped(bool good) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> value, Made(good));
  return *value;
}

TEST(Status, AssignOrReturn) {
  EXPECT_EQ(*Quarter(12), "3");
  EXPECT_EQ(Message(Quarter(6).status()), "odd");
  EXPECT_EQ(Message(Quarter(3).status()), "odd");
  EXPECT_EQ(*Unwrapped(true), 5);
  EXPECT_EQ(Unwrapped(false).status().code(), absl::StatusCode::kNotFound);
}

TEST(Status, ReturnIfError) {
  EXPECT_TRUE(BothEven(2, 4).ok());
  EXPECT_FALSE(BothEven(1, 4).ok());
  EXPECT_FALSE(BothEven(2, 3).ok());
}

TEST(Status, AnnotateKeepsTheCode) {
  const absl::Status status = Annotate(absl::NotFoundError("no such file"), "a.yaml");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "a.yaml: no such file");
  EXPECT_TRUE(Annotate(absl::OkStatus(), "a.yaml").ok());
}

TEST(Status, TextCrossesOver) {
  EXPECT_EQ(View(absl::string_view("abc")), "abc");
  EXPECT_EQ(AbslView(std::string_view("abc")), absl::string_view("abc"));
}

}  // namespace
}  // namespace ksim
