// The kind ResourceQuota of v1.
//
// Source: pkg/printers/internalversion/printers.go printResourceQuota.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/quantity.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kResourceQuotaTypes = R"(
ResourceQuota: apiVersion=string kind=string metadata=ObjectMeta spec=ResourceQuotaSpec
   status=ResourceQuotaStatus
ResourceQuotaSpec: hard={}Quantity@ResourceList scopeSelector=*ScopeSelector
   scopes=[]s:ResourceQuotaScope
ResourceQuotaStatus: hard={}Quantity@ResourceList used={}Quantity@ResourceList
ScopeSelector: matchExpressions=[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: operator!=s:ScopeSelectorOperator
   scopeName!=s:ResourceQuotaScope values=[]string
)";

std::vector<std::string> QuotaCells(const Object& o, VirtualTime now) {
  std::vector<std::string> requests, limits;
  for (const Value::Member& m : o.status().Get("hard").members()) {
    const bool limit = m.name.text().starts_with("limits.");
    (limit ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", m.name.text(),
                               cells::AmountText(o.status().Get("used").Get(m.name)),
                               cells::AmountText(m.value)));
  }
  return {cells::Name(o), cells::JoinTexts(requests, ", "), cells::JoinTexts(limits, ", "),
          cells::Age(o, now)};
}

// resourcequota/strategy.go WarningsOnCreate
std::vector<std::string> QuotaWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  if (!ProfileOf(compat).warns_of_quotas) return warnings;
  const Value& hard = tree.Get("spec").Get("hard");
  for (const std::string_view name : {"cpu", "memory", "storage", "ephemeral-storage"}) {
    std::string request = fmt::format("requests.{}", name);
    if (!hard.Has(request) && (name == "cpu" || name == "memory")) request = name;
    const std::string limit = fmt::format("limits.{}", name);
    if (!hard.Has(request) || !hard.Has(limit)) continue;
    const auto asked = value::Quantity::FromTree(hard.Get(request));
    const auto most = value::Quantity::FromTree(hard.Get(limit));
    if (!asked.ok() || !most.ok() || *asked <= *most) continue;
    warnings.push_back(fmt::format("ResourceQuota {} ({}) should be less than {} ({})", request,
                                   asked->ToString(), limit, most->ToString()));
  }
  return warnings;
}

}  // namespace

extern const KindSpec kResourceQuotaKind = {
    .kind = "ResourceQuota",
    .resource = "resourcequotas",
    .short_names = {"quota"},
    .has_status = true,
    .go_types = kResourceQuotaTypes,
    .columns = {{"Name"}, {"Request"}, {"Limit"}, {"Age"}},
    .cells = QuotaCells,
    .warnings_on_create = QuotaWarnings,
};

}  // namespace ksim::api
