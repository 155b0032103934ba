#include "ksim/trace/binary.h"

#include <gtest/gtest.h>

#include "ksim/base/hash.h"
#include "ksim/base/status.h"
#include "ksim/trace/schema.h"
#include "tests/trace/builder.h"

namespace ksim::trace {
namespace {

using value::Value;

// A tree drawn from `n`, for round trips.
Value Arbitrary(std::uint64_t seed, int depth) {
  const std::uint64_t h = Hasher().Add(seed).Digest();
  switch (h % (depth > 0 ? 9 : 7)) {
    case 0:
      return Value();
    case 1:
      return Value::Bool((h & 1024) != 0);
    case 2:
      return Value::Int(static_cast<std::int64_t>(h));
    case 3:
      return Value::Int(-static_cast<std::int64_t>(h % 1000));
    case 4:
      return Value::Double(static_cast<double>(h % 1000) / 8);
    case 5:
      return Value::String("word" + std::to_string(h % 7));
    case 6:
      return Value::String(std::string(h % 700, 'x'));
    case 7: {
      std::vector<Value> items;
      for (std::uint64_t i = 0; i < h % 5; ++i) items.push_back(Arbitrary(h + i, depth - 1));
      return Value::Array(std::move(items));
    }
    default: {
      std::vector<Value::Member> members;
      for (std::uint64_t i = 0; i < h % 5; ++i)
        members.emplace_back("f" + std::to_string(i), Arbitrary(h + i, depth - 1));
      return Value::Object(std::move(members));
    }
  }
}

Trace ArbitraryTrace(std::uint64_t seed) {
  TraceBuilder b;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const std::uint64_t h = Hasher().Add(seed).Add(i).Digest();
    const auto kind = static_cast<sim::EventKind>(1 + h % KindNames().size());
    const std::uint64_t cause = h % 3 == 0 ? 0 : h % (i + 1);
    b.Event(static_cast<std::int64_t>(i * 1000 + h % 1000), "actor-" + std::to_string(h % 4), kind,
            cause, "{}");
    for (std::string_view field : FieldsOf(kind))
      b.trace.events.back().Add(field, Arbitrary(h + field.size(), 3));
  }
  return b.Finish("00");
}

TEST(Binary, GivesTheSameLinesBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Trace trace = ArbitraryTrace(seed);
    const absl::StatusOr<Trace> back = ParseTrace(FormatTrace(trace, true));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(FormatTrace(*back, false), FormatTrace(trace, false)) << "seed " << seed;
    EXPECT_EQ(back->missing, "");
  }
}

TEST(Binary, IsSmallerThanItsLines) {
  TraceBuilder b;
  for (int i = 0; i < 100; ++i)
    b.Event(i * 1000, "kube-scheduler", sim::EventKind::kHandler, static_cast<std::uint64_t>(i),
            R"({"informer":"kube-scheduler pods","listener":"kube-scheduler","type":"update",)"
            R"("resource":"pods","namespace":"default","name":"a","rv":7,"initial":false})");
  const Trace trace = b.Finish("00");
  EXPECT_LT(FormatTrace(trace, true).size() * 5, FormatTrace(trace, false).size());
}

TEST(Binary, CutAnywhereIsNoticed) {
  const std::string bytes = FormatTrace(ArbitraryTrace(1), true);
  for (std::size_t n = kBinaryMagic.size(); n < bytes.size(); ++n) {
    const absl::StatusOr<Trace> trace = ParseTrace(bytes.substr(0, n));
    EXPECT_TRUE(!trace.ok() || !trace->missing.empty()) << "cut at " << n;
  }
  const absl::StatusOr<Trace> unsealed = ParseTrace(bytes.substr(0, bytes.size() - 9));
  ASSERT_TRUE(unsealed.ok());
  EXPECT_EQ(unsealed->missing, "the checksum at its end is missing");
}

TEST(Binary, AFlippedBitIsNoticedWhereverItIs) {
  const std::string bytes = FormatTrace(ArbitraryTrace(1), true);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    const absl::StatusOr<Trace> trace = ParseTrace(bad);
    EXPECT_TRUE(!trace.ok() || !trace->missing.empty()) << "byte " << i;
  }
}

TEST(Binary, ACutTraceStaysOne) {
  Trace trace = ArbitraryTrace(1);
  trace.end.reset();
  const absl::StatusOr<Trace> back = ParseTrace(FormatTrace(trace, true));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(FormatTrace(*back, false), FormatTrace(trace, false));
  EXPECT_NE(back->missing, "");
}

TEST(Binary, EntriesComeInTheirOrder) {
  const auto sealed = [](const std::string& entries) {
    const std::string bytes = std::string(kBinaryMagic) + entries;
    char sum[8];
    PutLittleEndian(sum, Hash64(bytes));
    return bytes + "C" + std::string(sum, sizeof sum);
  };
  const std::string bytes = FormatTrace(ArbitraryTrace(1), true);
  const std::string header =
      bytes.substr(kBinaryMagic.size(), bytes.find('R') - kBinaryMagic.size());
  EXPECT_EQ(Message(ParseTrace(sealed("")).status()), "line 1: the header is missing");
  EXPECT_EQ(Message(ParseTrace(sealed(header + header)).status()), "line 2: a second header");
  EXPECT_EQ(Message(ParseTrace(sealed(header)).status()), "line 2: the last line is missing");
  EXPECT_EQ(Message(ParseTrace(bytes + "C").status()), "");
}

TEST(Binary, GarbageIsAnErrorNotACrash) {
  const std::string bytes = FormatTrace(ArbitraryTrace(2), true);
  for (std::size_t i = kBinaryMagic.size(); i < bytes.size(); i += 3) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    (void)ParseTrace(bad);
  }
}

}  // namespace
}  // namespace ksim::trace
