// The protobuf reader survives any bytes; an object that it accepts reads the same again after the
// writer wrote it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ksim/api/schema/protobuf.h"
#include "ksim/value/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto first = ksim::api::FromProtobuf(bytes);
  if (!first.ok()) return 0;
  const auto written = ksim::api::ToProtobuf(*first);
  if (!written.ok()) std::abort();
  const auto second = ksim::api::FromProtobuf(*written);
  if (!second.ok() || *second != *first) std::abort();
  return 0;
}
