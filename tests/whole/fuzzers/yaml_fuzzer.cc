// The YAML reader survives any text; a text that it accepts reads the same again after the writer
// wrote it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ksim/value/value.h"
#include "ksim/value/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ksim::value::YamlFile file = ksim::value::ParseYaml(text, "input.yaml");
  if (!file.errors.empty()) return 0;
  for (const ksim::value::YamlNode& document : file.documents) {
    const ksim::value::Value value = document.ToValue();
    const ksim::value::YamlFile again =
        ksim::value::ParseYaml(ksim::value::ToYaml(value), "again.yaml");
    if (!again.errors.empty() || again.documents.size() != 1) std::abort();
    if (again.documents[0].ToValue() != value) std::abort();
  }
  return 0;
}
