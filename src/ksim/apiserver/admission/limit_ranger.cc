// LimitRanger: gives the containers of a new pod the requests and limits that the LimitRanges of
// its namespace have as defaults, and refuses pods and claims that do not keep within their bounds.
//
// Source: plugin/pkg/admission/limitranger/admission.go.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ksim/api/quota/pod_amounts.h"
#include "ksim/apiserver/admission/namespace_policies.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {
namespace {

using api::ResourceList;
using value::Path;
using value::Quantity;
using value::Value;

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

// --- defaults ---

// Puts those of `defaults` that `amounts` lacks into it, and says which: "cpu, memory".
std::string FillIn(const ResourceList& defaults, Value* amounts) {
  std::vector<std::string> set;
  for (const auto& [name, amount] : defaults) {
    if (amounts->Has(name)) continue;
    if (amounts->is_null()) *amounts = Value::EmptyObject();
    *amounts = std::move(*amounts).Set(name, amount.ToTree());
    set.push_back(name);
  }
  return fmt::format("{}", fmt::join(set, ", "));
}

// mergeContainerResources.
Value WithDefaults(Value container, const ResourceList& requests, const ResourceList& limits,
                   std::string_view kind, std::vector<std::string>* told) {
  static const Path kRequests{"resources", "requests"};
  static const Path kLimits{"resources", "limits"};
  const std::string_view name = container.Get("name").AsString();
  Value requested = container.Get(kRequests), limited = container.Get(kLimits);
  const std::string set_requests = FillIn(requests, &requested);
  const std::string set_limits = FillIn(limits, &limited);
  if (!set_requests.empty())
    told->push_back(fmt::format("{} request for {} {}", set_requests, kind, name));
  if (!set_limits.empty())
    told->push_back(fmt::format("{} limit for {} {}", set_limits, kind, name));
  if (!set_requests.empty()) container = container.Set(kRequests, requested);
  if (!set_limits.empty()) container = container.Set(kLimits, limited);
  return container;
}

// PodMutateLimitFunc.
Value WithDefaults(Value pod, const Value& range) {
  ResourceList requests, limits;
  for (const Value& limit : range.Get("spec").Get("limits").items()) {
    if (limit.Get("type").AsString() != "Container") continue;
    for (auto& [name, amount] : api::ResourceListOf(limit.Get("defaultRequest")))
      requests[name] = amount;
    for (auto& [name, amount] : api::ResourceListOf(limit.Get("default"))) limits[name] = amount;
  }
  std::vector<std::string> told;
  for (const auto& [list, kind] :
       {std::pair("containers", "container"), std::pair("initContainers", "init container")}) {
    const Path path{"spec", list};
    std::vector<Value> containers;
    for (const Value& container : pod.Get(path).items())
      containers.push_back(WithDefaults(container, requests, limits, kind, &told));
    if (!containers.empty()) pod = pod.Set(path, Value::Array(std::move(containers)));
  }
  if (told.empty()) return pod;
  const Path annotation{"metadata", "annotations", kAnnotation};
  return pod.Set(annotation,
                 Value::Of(fmt::format("LimitRanger plugin set: {}", fmt::join(told, "; "))));
}

// --- bounds ---

const Quantity* Find(const ResourceList& list, std::string_view name) {
  const auto it = list.find(name);
  return it == list.end() ? nullptr : &it->second;
}

// The bounds that one LimitRange item sets, held against what an object asks for.
class Bounds {
 public:
  Bounds(const Value& item, std::vector<std::string>* errors)
      : type_(item.Get("type").AsString()),
        min_(api::ResourceListOf(item.Get("min"))),
        max_(api::ResourceListOf(item.Get("max"))),
        ratio_(api::ResourceListOf(item.Get("maxLimitRequestRatio"))),
        errors_(errors) {}

  std::string_view type() const { return type_; }

  void Check(const ResourceList& requests, const ResourceList& limits) {
    CheckMinimum(requests, limits);
    for (const auto& [name, most] : max_) {
      const Quantity* request = Find(requests, name);
      const Quantity* limit = Find(limits, name);
      if (limit == nullptr)
        Usage("maximum", name, most, ".  No limit is specified");
      else if (*limit > most)
        Usage("maximum", name, most, fmt::format(", but limit is {}", limit->ToString()));
      else if (request != nullptr && *request > most)
        Usage("maximum", name, most, fmt::format(", but request is {}", request->ToString()));
    }
    for (const auto& [name, most] : ratio_) CheckRatio(name, most, requests, limits);
  }

  // Claims have no limits.
  void CheckClaim(const ResourceList& requests) {
    CheckMinimum(requests, ResourceList());
    for (const auto& [name, most] : max_) {
      const Quantity* request = Find(requests, name);
      if (request == nullptr)
        Usage("maximum", name, most, ".  No request is specified");
      else if (*request > most)
        Usage("maximum", name, most, fmt::format(", but request is {}", request->ToString()));
    }
  }

 private:
  void CheckMinimum(const ResourceList& requests, const ResourceList& limits) {
    for (const auto& [name, least] : min_) {
      const Quantity* request = Find(requests, name);
      const Quantity* limit = Find(limits, name);
      if (request == nullptr)
        Usage("minimum", name, least, ".  No request is specified");
      else if (*request < least)
        Usage("minimum", name, least, fmt::format(", but request is {}", request->ToString()));
      else if (limit != nullptr && *limit < least)
        Usage("minimum", name, least, fmt::format(", but limit is {}", limit->ToString()));
    }
  }

  // limitRequestRatioConstraint; upstream divides floats. The ratio shown has six digits, rounded.
  void CheckRatio(std::string_view name, const Quantity& most, const ResourceList& requests,
                  const ResourceList& limits) {
    const Quantity* request = Find(requests, name);
    const Quantity* limit = Find(limits, name);
    const auto refuse = [&](std::string_view why) {
      errors_->push_back(fmt::format("{} max limit to request ratio per {} is {}, but {}", name,
                                     type_, most.ToString(), why));
    };
    if (request == nullptr || request->MilliValue() == 0)
      return refuse("no request is specified or request is 0");
    if (limit == nullptr || limit->MilliValue() == 0)
      return refuse("no limit is specified or limit is 0");
    __extension__ using Wide = __int128;
    const Wide asked = request->MilliValue(), given = limit->MilliValue();
    if (given * 1000 <= asked * most.MilliValue()) return;
    constexpr std::int64_t kDigits = 1'000'000;
    const auto millionths = static_cast<std::int64_t>((given * kDigits * 2 + asked) / (asked * 2));
    refuse(fmt::format("provided ratio is {}.{:06}", millionths / kDigits, millionths % kDigits));
  }

  void Usage(std::string_view which, std::string_view name, const Quantity& bound,
             std::string_view rest) {
    errors_->push_back(
        fmt::format("{} {} usage per {} is {}{}", which, name, type_, bound.ToString(), rest));
  }

  std::string_view type_;
  ResourceList min_, max_, ratio_;
  std::vector<std::string>* errors_;
};

// utilerrors.NewAggregate.
std::string Aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> once;
  for (const std::string& error : errors)
    if (std::find(once.begin(), once.end(), error) == once.end()) once.push_back(error);
  if (once.size() < 2) return once.empty() ? std::string() : once.front();
  return fmt::format("[{}]", fmt::join(once, ", "));
}

// PodValidateLimitFunc; `options` are those of the pod as a whole.
std::string PodRefusal(const Value& range, const Value& pod, const api::PodAmountOptions& options) {
  std::vector<std::string> errors;
  for (const Value& item : range.Get("spec").Get("limits").items()) {
    Bounds bounds(item, &errors);
    if (bounds.type() == "Container") {
      for (const char* list : {"containers", "initContainers"})
        for (const Value& container : pod.Get("spec").Get(list).items())
          bounds.Check(api::ResourceListOf(container.Get("resources").Get("requests")),
                       api::ResourceListOf(container.Get("resources").Get("limits")));
    } else if (bounds.type() == "Pod") {
      bounds.Check(api::PodRequestList(pod, options), api::PodLimitList(pod, options));
    }
  }
  return Aggregate(errors);
}

// PersistentVolumeClaimValidateLimitFunc.
std::string ClaimRefusal(const Value& range, const Value& claim) {
  static const Path kRequests{"spec", "resources", "requests"};
  std::vector<std::string> errors;
  for (const Value& item : range.Get("spec").Get("limits").items()) {
    Bounds bounds(item, &errors);
    if (bounds.type() == "PersistentVolumeClaim")
      bounds.CheckClaim(api::ResourceListOf(claim.Get(kRequests)));
  }
  return Aggregate(errors);
}

class LimitRanger final : public Plugin {
 public:
  explicit LimitRanger(const PluginContext& context)
      : context_(context), ranges_(context, "limitranges", true) {
    options_.overhead = false;
    options_.pod_level = api::CountsPodLevelResources(context.shared.compat);
    options_.pod_level_hugepages = false;
  }
  std::string_view name() const override { return "LimitRanger"; }
  bool Handles(const Attributes& a) const override { return IsPods(a) && Supports(a); }
  bool Judges() const override { return context_.shared.limit_ranges_stored; }
  bool Validates(const Attributes& a) const override { return Supports(a); }

  sim::Task<api::Status> Admit(Attributes& a) override {
    const api::Result<std::vector<api::Object>> ranges = co_await ranges_.In(a.ns.str());
    if (!ranges.ok()) co_return AdmissionForbidden(a, ranges.status().message.view());
    for (const api::Object& range : *ranges) a.object = WithDefaults(a.object, range.tree());
    co_return api::Status();
  }

  sim::Task<api::Status> Validate(Attributes& a) override {
    const api::Result<std::vector<api::Object>> ranges = co_await ranges_.In(a.ns.str());
    if (!ranges.ok()) co_return AdmissionForbidden(a, ranges.status().message.view());
    for (const api::Object& range : *ranges) {
      const std::string refusal = IsPods(a) ? PodRefusal(range.tree(), a.object, options_)
                                            : ClaimRefusal(range.tree(), a.object);
      if (!refusal.empty()) co_return AdmissionForbidden(a, refusal);
    }
    co_return api::Status();
  }

 private:
  static bool IsPods(const Attributes& a) {
    return a.resource.group.empty() && a.resource.resource == "pods";
  }

  // SupportsAttributes. A server of a cluster that never had a LimitRange looks for none
  // (docs/fidelity.md).
  bool Supports(const Attributes& a) const {
    static const Path kDeleted{"metadata", "deletionTimestamp"};
    if (!context_.shared.limit_ranges_stored || a.operation == Operation::kDelete) return false;
    if (!a.old.Get(kDeleted).is_null()) return false;
    const bool update = a.operation == Operation::kUpdate;
    if (IsPods(a)) return update ? a.subresource == "resize" : a.subresource.empty();
    return a.Is("", "persistentvolumeclaims");
  }

  PluginContext context_;
  NamespacePolicies ranges_;
  api::PodAmountOptions options_;
};

}  // namespace

std::unique_ptr<Plugin> MakeLimitRanger(const PluginContext& context) {
  return std::make_unique<LimitRanger>(context);
}

}  // namespace ksim::apiserver
