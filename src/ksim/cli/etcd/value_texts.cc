#include "ksim/cli/etcd/value_texts.h"

#include <fmt/format.h>

#include "ksim/api/schema/go_form.h"
#include "ksim/api/schema/stored_form.h"
#include "ksim/kubectl/printing/http_texts.h"
#include "ksim/value/json.h"

namespace ksim::cli {

using value::Value;

std::string JsonText(const Value& value) {
  if (value.is_null() || value.is_string()) return std::string(value.AsString());
  return value::ToJson(value);
}

ValueText StoredText(const api::Kinds& kinds, api::Compat compat) {
  return [&kinds, compat](const Value& value) { return api::StoredForm(kinds, value, compat); };
}

ValueText DecodedText(const api::Kinds& kinds, api::Compat compat) {
  return [&kinds, compat](const Value& value) -> std::string {
    const std::string_view api_version = value.Get("apiVersion").AsString();
    const std::string_view kind = value.Get("kind").AsString();
    if (kind.empty()) return JsonText(value);
    const api::ResourceInfo* const info = kinds.ByKind(api_version, kind);
    const Value tree = info == nullptr ? value : api::GoForm(*info, value, compat);
    const char* const slash = api_version.find('/') == api_version.npos ? "/" : "";
    return fmt::format("{}{}, Kind={}\n{}", slash, api_version, kind,
                       kubectl::IndentedGoJson(tree));
  };
}

}  // namespace ksim::cli
