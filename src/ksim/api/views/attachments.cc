#include "ksim/api/views/attachments.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/sha256.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kCsiPlugin = "kubernetes.io/csi/";

}  // namespace

std::string CsiVolume::UniqueName() const {
  return fmt::format("{}{}^{}", kCsiPlugin, driver, handle);
}

std::string CsiVolume::AttachmentOn(std::string_view node) const {
  std::string name = "csi-";
  for (const std::uint8_t byte : Sha256(fmt::format("{}{}{}", handle, driver, node)))
    name += fmt::format("{:02x}", byte);
  return name;
}

CsiVolume CsiVolumeOf(const Object& volume) {
  CsiVolume found;
  if (volume.empty()) return found;
  const Value& csi = volume.spec().Get("csi");
  found.driver = std::string(csi.Get("driver").AsString());
  found.handle = std::string(csi.Get("volumeHandle").AsString());
  return found;
}

CsiVolume CsiVolumeNamed(std::string_view unique_name) {
  CsiVolume found;
  const std::size_t at = unique_name.find('^');
  if (!unique_name.starts_with(kCsiPlugin) || at == unique_name.npos) return found;
  found.driver = std::string(unique_name.substr(kCsiPlugin.size(), at - kCsiPlugin.size()));
  found.handle = std::string(unique_name.substr(at + 1));
  return found;
}

bool NeedsAttach(const Object& driver) {
  if (driver.empty()) return false;
  const Value& required = driver.spec().Get("attachRequired");
  return required.is_null() || required.AsBool();
}

bool MayAttachToSeveral(const Object& volume) {
  if (volume.empty()) return true;
  const Value& list = volume.spec().Get("accessModes");
  const auto modes = list.items();
  return list.empty() || std::any_of(modes.begin(), modes.end(), [](const Value& mode) {
           return mode.AsString() == "ReadWriteMany" || mode.AsString() == "ReadOnlyMany";
         });
}

bool ListsVolume(const Value& list, std::string_view unique_name) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(), [unique_name](const Value& item) {
    return (item.is_string() ? item : item.Get("name")).AsString() == unique_name;
  });
}

}  // namespace ksim::api
