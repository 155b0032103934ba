#include "ksim/guest/build/build_info.h"

#include <fmt/format.h>

#include "ksim/base/sha256.h"
#include "ksim/guest/build/split.h"
#include "ksim/value/json.h"

namespace ksim::guest {
namespace {

using value::Value;

struct Field {
  std::string_view name;
  std::string BuildInfo::* text;
};
constexpr Field kFields[] = {{"ksim", &BuildInfo::ksim},       {"go", &BuildInfo::go},
                             {"package", &BuildInfo::package}, {"module", &BuildInfo::module},
                             {"version", &BuildInfo::version}, {"edits", &BuildInfo::edits},
                             {"inputs", &BuildInfo::inputs},   {"wasm", &BuildInfo::wasm}};

// Go puts these around the text (cmd/go/internal/modload/build.go, infoStart and infoEnd).
constexpr std::string_view kBegin(
    "\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18\xe6", 16);
constexpr std::string_view kEnd("\xf9\x32\x43\x31\x86\x18\x20\x72\x00\x82\x42\x10\x41\x16\xd8\xf2",
                                16);

GoModule ModuleOf(const std::vector<std::string>& words) {
  return {words.size() > 1 ? words[1] : "", words.size() > 2 ? words[2] : ""};
}

}  // namespace

std::string ToJson(const BuildInfo& info) {
  Value json = Value::EmptyObject();
  for (const Field& field : kFields)
    json = std::move(json).Set(field.name, Value::String(info.*field.text));
  return value::ToJson(json);
}

absl::StatusOr<BuildInfo> ReadBuildInfo(std::string_view json) {
  const absl::StatusOr<Value> tree = value::ParseJson(json);
  if (!tree.ok()) return tree.status();
  if (!tree->is_object()) return absl::InvalidArgumentError("it is no object");
  BuildInfo info;
  for (const Field& field : kFields) info.*field.text = tree->Get(field.name).AsString();
  return info;
}

std::optional<GoBuildInfo> FindGoBuildInfo(std::string_view bytes) {
  const std::size_t begin = bytes.find(kBegin);
  if (begin == bytes.npos) return std::nullopt;
  std::string_view text = bytes.substr(begin + kBegin.size());
  const std::size_t end = text.find(kEnd);
  if (end == text.npos) return std::nullopt;
  GoBuildInfo info;
  for (const std::string& line : SplitWords(text.substr(0, end), '\n')) {
    const std::vector<std::string> words = Split(line, '\t');
    if (words[0] == "path" && words.size() > 1) info.package = words[1];
    if (words[0] == "mod") info.module = ModuleOf(words);
    if (words[0] == "dep") info.dependencies.push_back(ModuleOf(words));
    // A module by the same path at another version; one from a folder has no version.
    if (words[0] == "=>" && !info.dependencies.empty() && ModuleOf(words).version != "")
      info.dependencies.back().version = ModuleOf(words).version;
  }
  return info;
}

std::string Sha256Hex(std::string_view bytes) {
  std::string hex;
  for (const std::uint8_t byte : Sha256(bytes)) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace ksim::guest
