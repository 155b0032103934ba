// `kubectl describe` of namespaces, and of the quotas and limits in them.
//
// Source: kubectl pkg/describe/describe.go describeNamespace, DescribeResourceQuotas,
// describeQuota, DescribeLimitRanges, describeLimitRange.
#include <set>

#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/quantity.h"

namespace ksim::kubectl {
namespace {

using value::Value;

std::string_view ScopeText(std::string_view scope) {
  if (scope == "Terminating")
    return "Matches all pods that have an active deadline. These pods have a limited lifespan on a "
           "node before being actively terminated by the system.";
  if (scope == "NotTerminating")
    return "Matches all pods that do not have an active deadline. These pods usually include long "
           "running pods whose container command is not expected to terminate.";
  if (scope == "BestEffort")
    return "Matches all pods that do not have resource requirements set. These pods have a best "
           "effort quality of service.";
  if (scope == "NotBestEffort")
    return "Matches all pods that have at least one resource requirement set. These pods have a "
           "burstable or guaranteed quality of service.";
  return "";
}

void WriteScopes(TabWriter& w, int level, std::string_view bullet, const Value& list) {
  std::set<std::string_view> scopes;
  for (const Value& scope : list.items()) scopes.insert(scope.AsString());
  if (scopes.empty()) return;
  w.Write(level, "Scopes:\t{}\n", fmt::join(scopes, ", "));
  for (const std::string_view scope : scopes)
    if (!ScopeText(scope).empty()) w.Write(level, "{} {}\n", bullet, ScopeText(scope));
}

void WriteQuotas(TabWriter& w, const std::vector<api::Object>& quotas) {
  if (quotas.empty()) {
    w.Write(0, "No resource quota.\n");
    return;
  }
  w.Write(0, "Resource Quotas\n");
  for (const api::Object& quota : quotas) {
    const Value& used = quota.status().Get("used");
    w.Write(1, "Name:\t{}\n", quota.name());
    WriteScopes(w, 1, "*", quota.spec().Get("scopes"));
    w.Write(1, "Resource\tUsed\tHard\n");
    w.Write(1, "--------\t---\t---\n");
    for (const Value::Member& m : quota.status().Get("hard").members())
      w.Write(1, "{}\t{}\t{}\n", m.name.text(), AmountText(used.Get(m.name)), AmountText(m.value));
  }
}

void WriteLimits(TabWriter& w, const api::Object& range, std::string_view indent) {
  for (const Value& item : range.spec().Get("limits").items()) {
    std::set<std::string_view> names;
    for (const char* of : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"})
      for (const Value::Member& m : item.Get(of).members()) names.insert(m.name.text());
    for (const std::string_view name : names) {
      const auto of = [&](std::string_view field) {
        const Value& amount = item.Get(field).Get(name);
        return amount.is_null() ? "-" : AmountText(amount);
      };
      w.Write(0, "{}{}\t{}\t{}\t{}\t{}\t{}\t{}\n", indent, item.Get("type").AsString(), name,
              of("min"), of("max"), of("defaultRequest"), of("default"),
              of("maxLimitRequestRatio"));
    }
  }
}

void WriteLimitHeadings(TabWriter& w, std::string_view indent) {
  w.Write(0,
          "{}Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n",
          indent);
  w.Write(0,
          "{}----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n",
          indent);
}

}  // namespace

std::string DescribeQuota(const Described& d) {
  TabWriter w;
  WriteHead(w, d.object);
  WriteScopes(w, 0, " *", d.spec().Get("scopes"));
  w.Write(0, "Resource\tUsed\tHard\n");
  w.Write(0, "--------\t----\t----\n");
  for (const Value::Member& m : d.status().Get("hard").members()) {
    const auto hard = value::Quantity::FromTree(m.value).value_or(value::Quantity());
    auto used =
        value::Quantity::FromTree(d.status().Get("used").Get(m.name)).value_or(value::Quantity());
    if (hard.format() != used.format())
      used = value::Quantity::FromInt(used.Value(), hard.format());
    w.Write(0, "{}\t{}\t{}\n", m.name.text(), used.ToString(), hard.ToString());
  }
  return w.Take();
}

std::string DescribeLimitRange(const Described& d) {
  TabWriter w;
  WriteHead(w, d.object);
  WriteLimitHeadings(w, "");
  WriteLimits(w, d.object, "");
  return w.Take();
}

std::string DescribeNamespace(const Described& d) {
  TabWriter w;
  w.Write(0, "Name:\t{}\n", d.object.name());
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "Status:\t{}\n", d.status().Get("phase").AsString());
  if (const Value& conditions = d.status().Get("conditions"); !conditions.empty()) {
    w.Write(0, "Conditions:\n");
    w.Write(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
    w.Write(1, "----\t------\t------------------\t------\t-------\n");
    for (const Value& c : conditions.items())
      w.Write(1, "{}\t{}\t{}\t{}\t{}\n", c.Get("type").AsString(), c.Get("status").AsString(),
              LongTime(c.Get("lastTransitionTime")), c.Get("reason").AsString(),
              c.Get("message").AsString());
  }
  w.Write(0, "\n");
  WriteQuotas(w, d.cluster.List("resourcequotas", d.object.name()));
  w.Write(0, "\n");
  const std::vector<api::Object> ranges = d.cluster.List("limitranges", d.object.name());
  if (ranges.empty()) {
    w.Write(0, "No LimitRange resource.\n");
    return w.Take();
  }
  w.Write(0, "Resource Limits\n");
  WriteLimitHeadings(w, " ");
  for (const api::Object& range : ranges) WriteLimits(w, range, " ");
  return w.Take();
}

}  // namespace ksim::kubectl
