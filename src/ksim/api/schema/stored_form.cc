#include "ksim/api/schema/stored_form.h"

#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/schema/go_order.h"
#include "ksim/api/schema/protobuf.h"
#include "ksim/value/json.h"

namespace ksim::api {
namespace {

// The extension server's and the aggregator's codecs for etcd write JSON.
bool IsOfAnotherServer(std::string_view group) {
  return group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io";
}

}  // namespace

std::string StoredForm(const Kinds& kinds, const value::Value& tree, Compat compat) {
  if (tree.is_null() || tree.is_string()) return std::string(tree.AsString());
  const std::string_view api_version = tree.Get("apiVersion").AsString();
  const std::string_view kind = tree.Get("kind").AsString();
  if (kind.empty()) return value::ToJson(tree);
  if (!IsOfAnotherServer(GroupOf(api_version)) && HasProtobuf(api_version, kind)) {
    const absl::StatusOr<std::string> bytes = ToProtobuf(tree);
    if (bytes.ok()) return *bytes;
  }
  const ResourceInfo* const info = kinds.ByKind(api_version, kind);
  return ToGoJson(info == nullptr ? tree : GoForm(*info, tree, compat)) + "\n";
}

}  // namespace ksim::api
