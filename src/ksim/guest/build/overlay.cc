#include "ksim/guest/build/overlay.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/status/statusor.h"
#include "ksim/base/os.h"
#include "ksim/value/json.h"

namespace ksim::guest {

std::string Overlay::VirtualDirectory(std::string_view module) {
  return fmt::format("/ksim-virtual/{}", module);
}

absl::Status Overlay::AddText(const std::string& path, std::string_view contents) {
  std::string name = path;
  std::replace(name.begin(), name.end(), '/', '_');
  const std::string file = fmt::format("{}/{}", directory_, name);
  replace_[path] = file;
  // Go looks at the time of a file: one that stays the same is not written again.
  const absl::StatusOr<std::string> old = os::ReadFile(file);
  return old.ok() && *old == contents ? absl::OkStatus() : os::WriteFile(file, contents);
}

absl::Status Overlay::AddModule(const std::string& module, const std::string& module_directory) {
  return AddDirectory(module_directory, VirtualDirectory(module));
}

absl::Status Overlay::AddDirectory(const std::string& from, const std::string& to) {
  const absl::StatusOr<std::vector<std::string>> names = os::ListDirectory(from);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (name.ends_with("_test.go")) continue;
    const std::string path = from + "/" + name;
    if (!os::IsDirectory(path)) {
      replace_[to + "/" + name] = path;
    } else if (absl::Status added = AddDirectory(path, to + "/" + name); !added.ok()) {
      return added;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Overlay::Write() const {
  std::string json = "{\"Replace\":{";
  for (const auto& [path, file] : replace_) {
    if (!json.ends_with('{')) json += ",\n";
    value::AppendJsonString(path, &json);
    json += ':';
    value::AppendJsonString(file, &json);
  }
  json += "}}\n";
  const std::string file = directory_ + "/overlay.json";
  if (absl::Status written = os::WriteFile(file, json); !written.ok()) return written;
  return file;
}

}  // namespace ksim::guest
