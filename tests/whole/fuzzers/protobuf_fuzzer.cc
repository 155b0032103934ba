// The protobuf reader survives any bytes; an object that it accepts reads the same again after the
// writer wrote it. A zero that is missing is none: the writer writes those that Go always does.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/schema/protobuf.h"
#include "ksim/value/value.h"

namespace {

using ksim::value::Value;

bool IsZero(const Value& v) {
  if (v.is_string()) return v.AsString().empty();
  if (v.is_int()) return v.AsInt() == 0;
  if (v.is_bool()) return !v.AsBool();
  return v.is_null() || (v.is_object() && v.empty());
}

Value WithoutZeros(const Value& v) {
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(WithoutZeros(item));
    return Value::Array(std::move(items));
  }
  if (!v.is_object()) return v;
  ksim::value::ObjectBuilder out;
  for (const Value::Member& member : v.members())
    if (Value rest = WithoutZeros(member.value); !IsZero(rest))
      out.Add(member.name.text(), std::move(rest));
  return out.Build();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto first = ksim::api::FromProtobuf(bytes);
  if (!first.ok()) return 0;
  const auto written = ksim::api::ToProtobuf(*first);
  if (!written.ok()) std::abort();
  const auto second = ksim::api::FromProtobuf(*written);
  if (!second.ok() || WithoutZeros(*second) != WithoutZeros(*first)) std::abort();
  return 0;
}
