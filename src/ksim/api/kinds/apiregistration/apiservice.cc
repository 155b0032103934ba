// The kind APIService of apiregistration.k8s.io/v1. No other API server is asked for anything.
//
// Source: kube-aggregator pkg/apis/apiregistration/validation/validation.go, v1/defaults.go;
// pkg/registry/apiservice/{strategy.go,etcd/etcd.go}.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kAPIServiceTypes = R"(
APIService: apiVersion=string kind=string metadata=ObjectMeta spec=APIServiceSpec
   status=APIServiceStatus
APIServiceSpec: caBundle=bytes group=string groupPriorityMinimum!=int32
   insecureSkipTLSVerify=bool service=*apiregistration.ServiceReference version=string
   versionPriority!=int32
apiregistration.ServiceReference: name=string namespace=string port=*int32
APIServiceStatus: conditions=[]APIServiceCondition
APIServiceCondition: lastTransitionTime=Time message=string reason=string status!=s:ConditionStatus
   type!=s:APIServiceConditionType
)";

Value DefaultAPIService(const Value& tree, Compat) {
  static const value::Path kService{"spec", "service"};
  const Value service = tree.Get(kService);
  if (!service.is_object() || !service.Get("port").is_null()) return tree;
  return tree.Set(kService, service.Set("port", Value::Of(443)));
}

// A service of this server itself is available at once (NewLocalAvailableAPIServiceCondition), at a
// time that is left out here.
Value InitialAPIServiceStatus(const Value& tree, Compat) {
  if (!tree.Get("spec").Get("service").is_null()) return Value::EmptyObject();
  const Value available =
      value::Obj({{"type", Value::Of("Available")},
                  {"status", Value::Of("True")},
                  {"reason", Value::Of("Local")},
                  {"message", Value::Of("Local APIServices are always available")},
                  {"lastTransitionTime", Value()}});
  return value::Obj({{"conditions", value::Arr({available})}});
}

void CheckService(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& service = spec.Get("service");
  const bool insecure = spec.Get("insecureSkipTLSVerify").AsBool();
  const bool bundle = !spec.Get("caBundle").AsString().empty();
  const FieldPath skip = path.Child("insecureSkipTLSVerify");
  if (service.is_null()) {
    if (bundle)
      errors->Invalid(path.Child("caBundle"), spec.Get("caBundle").AsString(),
                      "local APIServices may not have a caBundle");
    if (insecure)
      errors->Invalid(skip, Value::Bool(true), GoShape::kOther,
                      "local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  const FieldPath at = path.Child("service");
  for (const char* field : {"namespace", "name"})
    if (service.Get(field).AsString().empty()) errors->Required(at.Child(field));
  const std::int64_t port = service.Get("port").AsInt();
  const NameProblems problems = PortNumber(port);
  if (!problems.empty())
    errors->Invalid(at.Child("port"), port, "port is not valid: " + problems.front());
  if (insecure && bundle)
    errors->Invalid(skip, Value::Bool(true), GoShape::kOther,
                    "may not be true if caBundle is present");
}

void ValidateAPIService(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const std::string_view name = tree.Get(Fields().metadata).Get(Fields().name).AsString();
  const std::string_view group = spec.Get("group").AsString();
  const std::string_view version = spec.Get("version").AsString();
  const std::string wanted = fmt::format("{}.{}", version, group);
  const FieldPath metadata("metadata");
  if (name != wanted && PathSegmentName(name).empty())
    errors->Invalid(metadata.Child("name"), name,
                    fmt::format("must be `spec.version+\".\"+spec.group`: {}", GoQuote(wanted)));
  if (group.empty() && version != "v1")
    errors->Required(path.Child("group"),
                     "only v1 may have an empty group and it better be legacy kube");
  if (!group.empty()) errors->InvalidAll(path.Child("group"), group, Dns1123Subdomain(group));
  errors->InvalidAll(path.Child("version"), version, Dns1035Label(version));
  const std::int64_t minimum = spec.Get("groupPriorityMinimum").AsInt();
  if (minimum <= 0 || minimum > 20000)
    errors->Invalid(path.Child("groupPriorityMinimum"), minimum,
                    "must be positive and less than 20000");
  const std::int64_t priority = spec.Get("versionPriority").AsInt();
  if (priority <= 0 || priority > 1000)
    errors->Invalid(path.Child("versionPriority"), priority, "must be positive and less than 1000");
  CheckService(spec, path, errors);
}

std::vector<std::string> APIServiceNameProblems(std::string_view name, Compat) {
  return PathSegmentName(name);
}

// printAPIService
std::vector<std::string> APIServiceCells(const Object& o, VirtualTime now) {
  const Value& service = o.spec().Get("service");
  std::string available = "Unknown";
  for (const Value& c : o.status().Get("conditions").items()) {
    if (c.Get("type").AsString() != "Available") continue;
    available = cells::Text(c.Get("status"));
    const std::string_view reason = c.Get("reason").AsString();
    if (available != "True" && !reason.empty()) available += fmt::format(" ({})", reason);
    break;
  }
  return {cells::Name(o),
          service.is_null() ? "Local"
                            : fmt::format("{}/{}", service.Get("namespace").AsString(),
                                          service.Get("name").AsString()),
          available, cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kAPIServiceKind = {
    .group = "apiregistration.k8s.io",
    .kind = "APIService",
    .resource = "apiservices",
    .category = "api-extensions",
    .storage_prefix = "apiregistration.k8s.io/apiservices",
    .cached_from_start = false,
    .namespaced = false,
    .has_status = true,
    .unconditional_update = false,
    .go_types = kAPIServiceTypes,
    .patch_schema = &kStatusConditionsPatch,
    .columns = {{"Name"}, {"Service"}, {"Available"}, {"Age"}},
    .cells = APIServiceCells,
    .defaults = DefaultAPIService,
    .initial_status = InitialAPIServiceStatus,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckMeta, kCheckObject},
            .object = ValidateAPIService,
            .name = APIServiceNameProblems,
            .standard_finalizers = false,
        },
};

}  // namespace ksim::api
