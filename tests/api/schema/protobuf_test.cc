#include "ksim/api/schema/protobuf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::api {
namespace {

using value::Value;

Value Json(std::string_view text) { return value::ParseJson(text).value(); }

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// Go's JSON says null for a zero time and a missing list; protobuf says nothing, which reads as no
// field.
Value WithoutNulls(const Value& tree) {
  if (tree.is_array()) {
    std::vector<Value> items;
    for (const Value& item : tree.items()) items.push_back(WithoutNulls(item));
    return Value::Array(std::move(items));
  }
  if (!tree.is_object()) return tree;
  value::ObjectBuilder out;
  for (const auto& [name, child] : tree.members()) {
    if (!child.is_null()) out.Add(name, WithoutNulls(child));
  }
  return out.Build();
}

struct Recorded {
  Value object;
  std::string bytes;
};

std::vector<Recorded> AllRecorded() {
  std::vector<Recorded> all;
  std::ifstream file("tests/api/recorded/protobuf-1.30.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Value recorded = Json(line);
    all.push_back(
        {WithoutNulls(recorded.Get("object")), FromHex(recorded.Get("protobuf").AsString())});
  }
  return all;
}

TEST(Protobuf, ReadsWhatGoWrote) {
  ASSERT_GE(AllRecorded().size(), 10u);
  for (const Recorded& recorded : AllRecorded()) {
    const auto tree = FromProtobuf(recorded.bytes);
    ASSERT_TRUE(tree.ok()) << tree.status();
    EXPECT_EQ(value::ToJson(*tree), value::ToJson(recorded.object));
  }
}

// Go writes every field that is no pointer, zero or not. Pods have more such fields than they had
// when this was recorded.
TEST(Protobuf, WritesWhatGoWrote) {
  for (const Recorded& recorded : AllRecorded()) {
    if (recorded.object.Get("kind").AsString().starts_with("Pod")) continue;
    EXPECT_EQ(ToProtobuf(recorded.object).value(), recorded.bytes)
        << value::ToJson(recorded.object);
  }
}

TEST(Protobuf, ReadsWhatItWrote) {
  for (const Recorded& recorded : AllRecorded()) {
    const auto bytes = ToProtobuf(recorded.object);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ(value::ToJson(FromProtobuf(*bytes).value()), value::ToJson(recorded.object));
  }
}

// A kubelet's heartbeat says no more than this; the digits are Go's.
TEST(Protobuf, WritesFieldsByUpstreamsNumbers) {
  const auto bytes = ToProtobuf(
      Json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"key":"AAH/"}})"));
  EXPECT_EQ(bytes.value(), FromHex("6b3873000a0c0a0276311206536563726574"  // v1, Secret
                                   "12210a110a01731200"
                                   "1a0022002a00320038004200"  // metadata
                                   "120a0a036b657912030001ff"  // data
                                   "1a00"                      // type
                                   "1a002200"));
}

TEST(Protobuf, FramesAnEventOfAWatch) {
  const auto bytes = ToProtobufEvent("ADDED", Json(R"({"apiVersion":"v1","kind":"Node"})"));
  EXPECT_EQ(bytes.value(),
            FromHex("0a054144444544"                    // type
                    "12540a52"                          // object.raw
                    "6b3873000a0a0a02763112044e6f6465"  // an enveloped Node
                    "123c"
                    "0a100a0012001a0022002a00320038004200"                              // metadata
                    "12080a0012001a002000"                                              // spec
                    "1a1e1a0032040a0208003a140a0012001a0022002a0032003a0042004a005200"  // status
                    "1a002200"));
}

TEST(Protobuf, RefusesBytesThatAreNone) {
  EXPECT_EQ(FromProtobuf("{}").status().message(),
            "provided data does not appear to be a protobuf message, expected prefix "
            "[107 56 115 0]");
  for (const Recorded& recorded : AllRecorded()) {
    for (std::size_t size = 4; size < recorded.bytes.size(); ++size) {
      const auto tree = FromProtobuf(recorded.bytes.substr(0, size));
      if (!tree.ok()) {
        EXPECT_NE(tree.status().message(), "");
      }
    }
  }
  EXPECT_FALSE(FromProtobuf(FromHex("6b38730012ff")).ok());
  EXPECT_EQ(FromProtobuf(FromHex("6b3873000a070a027631120158")).status().message(),
            "no kind \"X\" is registered for version \"v1\"");
}

// libFuzzer found these: a time beyond all clocks, and a quantity that a map names without a value.
TEST(Protobuf, ReadsWhatNobodyWrites) {
  const auto node = [](const std::string& hex_of_node) {
    const std::string raw = FromHex(hex_of_node);
    return FromHex("6b3873000a0a0a02763112044e6f646512") + static_cast<char>(raw.size()) + raw;
  };
  const auto late = FromProtobuf(node("0a0c420a08ffffffffffffffff7f"));
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_TRUE(late->Get("metadata").Get("creationTimestamp").AsString().starts_with("2310-"))
      << value::ToJson(*late);
  const auto nothing = FromProtobuf(node("1a070a050a03637075"));
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_EQ(value::ToJson(nothing->Get("status")), R"({"capacity":{"cpu":"0"}})");
}

TEST(Protobuf, RefusesFieldsOfAWrongType) {
  EXPECT_FALSE(ToProtobuf(Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":1}})")).ok());
  EXPECT_FALSE(ToProtobuf(Json(R"({"apiVersion":"ksim.dev/v1","kind":"Website"})")).ok());
  EXPECT_FALSE(HasProtobuf("ksim.dev/v1", "Website"));
  EXPECT_TRUE(HasProtobuf("apps/v1", "DeploymentList"));
}

}  // namespace
}  // namespace ksim::api
