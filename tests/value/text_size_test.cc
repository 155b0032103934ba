#include "ksim/value/text_size.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"

namespace ksim::value {
namespace {

// The oracle walks the whole tree and remembers nothing of earlier trees.
std::size_t SlowBound(const Value& v) {
  std::size_t bytes = v.is_object() || v.is_array() ? 2
                      : v.is_string()               ? v.AsString().size() + 2
                                                    : 20;
  for (const Value::Member& m : v.members()) bytes += m.name.text().size() + 4 + SlowBound(m.value);
  for (const Value& item : v.items()) bytes += SlowBound(item) + 1;
  return bytes;
}

TEST(TextSizeBound, IsNeverLessThanTheTextWithoutEscapes) {
  const Value tree = Obj({{"a", Arr({Value::Of(12345), Value(), Value::EmptyArray()})},
                          {"b", Value::Of(true)},
                          {"c", Value::Of("text")},
                          {"d", Value::EmptyObject()}});
  EXPECT_GE(TextSizeBound(tree), ToJson(tree).size());
  for (const Value& part : {Value(), Value::Of(false), Value::Int(INT64_MIN), Value::Of("")})
    EXPECT_GE(TextSizeBound(part), ToJson(part).size());
}

// The bound is the same for trees whose hash is cached and for new ones.
TEST(TextSizeBound, DoesNotDependOnWhatWasMeasuredBefore) {
  for (int i = 0; i < 2000; ++i) {
    const Value spec = Obj({{"replicas", Value::Of(i % 3)},
                            {"name", Value::Of(std::string(i % 7, 'x'))},
                            {"none", Value::EmptyObject()}});
    const Value tree = Obj({{"spec", spec},
                            {"status", Obj({{"text", Value::Of(std::to_string(i))}})},
                            {"copies", Arr({spec, spec, Value()})}});
    if (i % 2 == 0) spec.Hash();
    if (i % 3 == 0) tree.Hash();
    ASSERT_EQ(TextSizeBound(tree), SlowBound(tree));
    ASSERT_EQ(TextSizeBound(spec), SlowBound(spec));
    tree.Hash();
    ASSERT_EQ(TextSizeBound(tree), SlowBound(tree));
  }
}

}  // namespace
}  // namespace ksim::value
