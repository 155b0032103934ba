#include "ksim/guest/engine/memory.h"

#include "gtest/gtest.h"

namespace ksim::guest {
namespace {

TEST(Memory, IsPutBackToItsImage) {
  std::unique_ptr<Memory> memory = Memory::Reserve(2 * Memory::kPage);
  ASSERT_NE(memory, nullptr);
  ASSERT_TRUE(memory->WriteText(100, "before"));
  const auto image = Image::Of(memory->base(), memory->size());
  ASSERT_TRUE(image.ok());
  EXPECT_EQ((*image)->stored(), 4096u) << "pages of zeros are holes";

  for (int round = 0; round < 2; ++round) {  // the image is laid under it, then shows again
    ASSERT_TRUE(memory->PutBack(*image).ok());
    std::string_view text;
    ASSERT_TRUE(memory->ReadText(100, 6, &text));
    EXPECT_EQ(text, "before");
    ASSERT_TRUE(memory->WriteText(100, "behind"));
    ASSERT_TRUE(memory->GrowTo(3 * Memory::kPage));
    ASSERT_TRUE(memory->WriteText(2 * Memory::kPage, "new"));
  }
  ASSERT_TRUE(memory->PutBack(*image).ok());
  EXPECT_EQ(memory->size(), (*image)->size()) << "it grows as it did the first time";
  std::uint32_t beyond = 7;
  EXPECT_FALSE(memory->Read(2 * Memory::kPage, &beyond));
  ASSERT_TRUE(memory->GrowTo(3 * Memory::kPage));
  ASSERT_TRUE(memory->Read(2 * Memory::kPage, &beyond));
  EXPECT_EQ(beyond, 0u) << "what lies beyond the image is zero again";
}

// Few pages that were written are mended, and many given back: the content is the same.
TEST(Memory, IsPutBackHoweverMuchWasWritten) {
  constexpr std::size_t kSize = Memory::kMostKept + 64 * Memory::kPage;
  std::unique_ptr<Memory> memory = Memory::Reserve(kSize);
  for (std::uint32_t at = 0; at < kSize; at += 4 * Memory::kPage) memory->Write(at, at + 1);
  const auto image = Image::Of(memory->base(), memory->size());
  ASSERT_TRUE(image.ok());
  for (const std::uint32_t every : {std::uint32_t{1} << 20, std::uint32_t{4096}}) {
    ASSERT_TRUE(memory->PutBack(*image).ok());
    for (std::uint32_t at = 0; at < kSize; at += every) memory->Write(at, std::uint32_t{7});
    ASSERT_TRUE(memory->PutBack(*image).ok());
    for (std::uint32_t at = 0; at < kSize; at += 4096) {
      std::uint32_t is = 0;
      ASSERT_TRUE(memory->Read(at, &is));
      ASSERT_EQ(is, at % (4 * Memory::kPage) == 0 ? at + 1 : 0) << at;
    }
  }
}

TEST(Memory, TwoOverOneImageDoNotSeeEachOther) {
  std::unique_ptr<Memory> one = Memory::Reserve(Memory::kPage);
  std::unique_ptr<Memory> other = Memory::Reserve(Memory::kPage);
  ASSERT_TRUE(one->WriteText(0, "a"));
  const auto image = Image::Of(one->base(), one->size());
  ASSERT_TRUE(image.ok());
  ASSERT_TRUE(one->PutBack(*image).ok());
  ASSERT_TRUE(other->PutBack(*image).ok());
  ASSERT_TRUE(one->WriteText(0, "b"));
  std::string_view text;
  ASSERT_TRUE(other->ReadText(0, 1, &text));
  EXPECT_EQ(text, "a");
}

TEST(Memory, GrowsAsFarAsItIsAllowed) {
  std::unique_ptr<Memory> memory = Memory::Reserve(Memory::kPage);
  memory->AllowGrowth(Memory::kPage);
  EXPECT_TRUE(memory->GrowTo(2 * Memory::kPage));
  EXPECT_FALSE(memory->refused());
  EXPECT_FALSE(memory->GrowTo(3 * Memory::kPage));
  EXPECT_TRUE(memory->refused());
  EXPECT_EQ(memory->size(), 2 * Memory::kPage);
  memory->AllowGrowth(Memory::kReserved);
  EXPECT_FALSE(memory->refused());
  EXPECT_TRUE(memory->GrowTo(3 * Memory::kPage));
}

TEST(Memory, RefusesWhatLiesOutside) {
  std::unique_ptr<Memory> memory = Memory::Reserve(Memory::kPage);
  std::string_view text;
  EXPECT_FALSE(memory->ReadText(Memory::kPage - 1, 2, &text));
  EXPECT_FALSE(memory->Write(0xfffffffe, std::uint64_t{1}));
  EXPECT_FALSE(memory->GrowTo(Memory::kReserved + 1));
  const auto image = Image::Of(memory->base(), memory->size());
  std::unique_ptr<Memory> smaller = Memory::Reserve(0);
  EXPECT_FALSE(smaller->PutBack(*image).ok());
}

}  // namespace
}  // namespace ksim::guest
