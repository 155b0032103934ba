#include "ksim/scenario/gaps/object_gaps.h"

#include <fmt/format.h>

#include "ksim/api/kinds/admissionregistration/webhook_url.h"

namespace ksim::scenario {

using value::Value;

bool IsPrinted(const Value& tree) {
  return tree.Get("metadata").Has("uid") && !tree.Get("status").empty();
}

std::string ConversionGap(
    const Value& tree, const std::function<bool(const apiserver::WebhookTarget& target)>& serves) {
  const Value& spec = tree.Get("spec");
  const Value& versions = spec.Get("versions");
  if (tree.Get("kind").AsString() != "CustomResourceDefinition" || versions.size() < 2 ||
      spec.Get("conversion").Get("strategy").AsString() != "Webhook")
    return "";
  apiserver::WebhookTarget target;
  const Value& config = spec.Get("conversion").Get("webhook").Get("clientConfig");
  const Value& service = config.Get("service");
  target.service_namespace = service.Get("namespace").AsString();
  target.service = service.Get("name").AsString();
  target.url = config.Get("url").AsString();
  if (!target.url.empty()) target.host = api::WebhookUrl(target.url).HostName();
  if (serves(target)) return "";
  const std::string where =
      target.url.empty() ? fmt::format("service {}/{}", target.service_namespace, target.service)
                         : target.url;
  for (const Value& version : versions.items()) {
    if (version.Get("storage").AsBool())
      return fmt::format(
          "no guest serves {}, which converts {}: of its versions only {}, which is stored, can be "
          "asked for",
          where, tree.Get("metadata").Get("name").AsString(), version.Get("name").AsString());
  }
  return "";
}

}  // namespace ksim::scenario
