#include "ksim/api/kinds/core/volume_cells.h"

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

std::string AccessModesText(const Value& modes) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> out;
  for (const auto& [mode, text] : kShort)
    for (const Value& m : modes.items())
      if (m.AsString() == mode && (out.empty() || out.back() != text)) out.emplace_back(text);
  return cells::JoinTexts(out, ",");
}

std::string StorageClassOf(const Object& o) {
  const Value& beta = o.annotations().Get("volume.beta.kubernetes.io/storage-class");
  return cells::Text(beta.is_null() ? o.spec().Get("storageClassName") : beta);
}

std::string VolumePhase(const Object& o) {
  return o.deleting() ? "Terminating" : cells::Text(o.status().Get("phase"));
}

}  // namespace ksim::api
