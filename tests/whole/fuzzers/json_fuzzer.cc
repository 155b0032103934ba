// The JSON reader survives any text; a text that it accepts reads the same again after the writer
// wrote it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<ksim::value::Value> first = ksim::value::ParseJson(text);
  if (!first.ok()) return 0;
  const std::string written = ksim::value::ToJson(*first);
  const absl::StatusOr<ksim::value::Value> second = ksim::value::ParseJson(written);
  if (!second.ok() || *second != *first) std::abort();
  if (ksim::value::ToJson(*second) != written) std::abort();
  const absl::StatusOr<ksim::value::Value> pretty =
      ksim::value::ParseJson(ksim::value::ToPrettyJson(*first));
  if (!pretty.ok() || *pretty != *first) std::abort();
  return 0;
}
