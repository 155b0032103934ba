// The kind CertificateSigningRequest of certificates.k8s.io/v1. The request itself, an encoded
// PKCS#10, is not read, and no certificate either.
//
// Source: pkg/registry/certificates/certificates/strategy.go;
// pkg/apis/certificates/validation/validation.go; pkg/printers/internalversion/printers.go
// printCertificateSigningRequest.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/timestamp.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kSigningRequestTypes = R"(
CertificateSigningRequest: apiVersion=string kind=string metadata=ObjectMeta
   spec!=CertificateSigningRequestSpec status=CertificateSigningRequestStatus
CertificateSigningRequestSpec: expirationSeconds=*int32 extra={}[]string groups=[]string
   request!=bytes signerName!=string uid=string usages=[]s:KeyUsage username=string
CertificateSigningRequestStatus: certificate=bytes conditions=[]CertificateSigningRequestCondition
CertificateSigningRequestCondition: lastTransitionTime=Time lastUpdateTime=Time message=string
   reason=string status!=s:ConditionStatus type!=s:RequestConditionType
)";

// PrepareForCreate: users cannot say who they are.
Value RecordCreator(Value tree, std::string_view user, const std::vector<std::string>& groups) {
  std::vector<Value> names;
  for (const std::string& group : groups) names.push_back(Value::Of(group));
  Value spec = tree.Get(Fields().spec).Erase("uid").Erase("extra").Erase("groups");
  spec = std::move(spec).Set("username", Value::Of(user));
  if (!names.empty()) spec = std::move(spec).Set("groups", Value::Array(std::move(names)));
  return std::move(tree).Set(Fields().spec, std::move(spec));
}

Value KeepSpec(const Value& old, Value updated, Compat) {
  return SetOrErase(std::move(updated), Fields().spec, old.Get(Fields().spec));
}

// csrApprovalStrategy: of the status the conditions alone.
Value PrepareApproval(const Value& old, Value updated, Compat compat) {
  const Value conditions = updated.Get(Fields().status).Get(Fields().conditions);
  Value status = old.Get(Fields().status);
  if (!status.is_object()) status = Value::EmptyObject();
  status = SetOrErase(std::move(status), Fields().conditions, conditions);
  return KeepSpec(old, std::move(updated).Set(Fields().status, std::move(status)), compat);
}

void CheckUsages(const Value& usages, const FieldPath& path, FieldErrorList* errors) {
  static const std::initializer_list<std::string_view> kUsages = {"any",
                                                                  "cert sign",
                                                                  "client auth",
                                                                  "code signing",
                                                                  "content commitment",
                                                                  "crl sign",
                                                                  "data encipherment",
                                                                  "decipher only",
                                                                  "digital signature",
                                                                  "email protection",
                                                                  "encipher only",
                                                                  "ipsec end system",
                                                                  "ipsec tunnel",
                                                                  "ipsec user",
                                                                  "key agreement",
                                                                  "key encipherment",
                                                                  "microsoft sgc",
                                                                  "netscape sgc",
                                                                  "ocsp signing",
                                                                  "s/mime",
                                                                  "server auth",
                                                                  "signing",
                                                                  "timestamping"};
  if (usages.empty()) errors->Required(path);
  for (std::size_t i = 0; i < usages.size(); ++i) {
    const std::string_view usage = usages.at(i).AsString();
    if (std::find(kUsages.begin(), kUsages.end(), usage) == kUsages.end())
      errors->NotSupported(path.Index(i), usage, kUsages);
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < usages.size(); ++i) {
    const std::string_view usage = usages.at(i).AsString();
    if (!seen.insert(usage).second) errors->Duplicate(path.Index(i), usage);
  }
}

// validateConditions
void CheckConditions(const Value& conditions, FieldErrorList* errors) {
  const FieldPath status("status");
  const FieldPath path = status.Child("conditions");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view type = conditions.at(i).Get(Fields().type).AsString();
    const std::string_view is = conditions.at(i).Get(Fields().status).AsString();
    if (type.empty()) errors->Required(at.Child("type"));
    const bool only_true = type == "Approved" || type == "Denied" || type == "Failed";
    if (is.empty()) {
      errors->Required(at.Child("status"));
    } else if (only_true && is != "True") {
      errors->NotSupported(at.Child("status"), is, {"True"});
    } else if (is != "True" && is != "False" && is != "Unknown") {
      errors->NotSupported(at.Child("status"), is, {"False", "True", "Unknown"});
    }
    const bool both = (type == "Approved" && seen.contains("Denied")) ||
                      (type == "Denied" && seen.contains("Approved"));
    if (both) errors->Invalid(path, type, "Approved and Denied conditions are mutually exclusive");
    if (!seen.insert(type).second) errors->Duplicate(at.Child("type"), type);
  }
}

void ValidateSigningRequest(const Value& tree, FieldErrorList* errors) {
  constexpr std::int64_t kShortest = 600;
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  CheckUsages(spec.Get("usages"), path.Child("usages"), errors);
  const std::string_view signer = spec.Get("signerName").AsString();
  const FieldPath signer_path = path.Child("signerName");
  if (signer.empty()) {
    errors->Required(signer_path);
  } else if (signer == "kubernetes.io/legacy-unknown") {
    errors->Invalid(signer_path, signer,
                    "the legacy signerName is not allowed via this API version");
  } else if (std::count(signer.begin(), signer.end(), '/') != 1) {
    errors->Invalid(signer_path, signer,
                    "must be a fully qualified domain and path of the form "
                    "'example.com/signer-name'");
  }
  const Value& seconds = spec.Get("expirationSeconds");
  if (!seconds.is_null() && seconds.AsInt() < kShortest)
    errors->Invalid(path.Child("expirationSeconds"), seconds.AsInt(),
                    "may not specify a duration less than 600 seconds (10 minutes)");
  CheckConditions(tree.Get(Fields().status).Get(Fields().conditions), errors);
}

std::vector<Value> ConditionsOf(const Value& tree, std::string_view type) {
  std::vector<Value> out;
  for (const Value& c : tree.Get(Fields().status).Get(Fields().conditions).items())
    if (c.Get(Fields().type).AsString() == type) out.push_back(c);
  return out;
}

// validateCertificateSigningRequestUpdate. `approves`: at /approval; `issues`: at /status.
void CheckUpdate(const Value& updated, const Value& old, bool approves, bool issues,
                 FieldErrorList* errors) {
  const FieldPath status("status");
  const FieldPath conditions = status.Child("conditions");
  ValidateSigningRequest(updated, errors);
  for (const char* type : {"Approved", "Denied", "Failed"})
    if (ConditionsOf(updated, type).size() < ConditionsOf(old, type).size())
      errors->Forbidden(conditions,
                        fmt::format("updates may not remove a condition of type \"{}\"", type));
  for (const char* type : {"Approved", "Denied"}) {
    const std::vector<Value> now = ConditionsOf(updated, type), before = ConditionsOf(old, type);
    if (approves || now.size() < before.size()) continue;
    if (now.size() > before.size()) {
      errors->Forbidden(conditions,
                        fmt::format("updates may not add a condition of type \"{}\"", type));
    } else if (now != before) {
      errors->Forbidden(conditions,
                        fmt::format("updates may not modify a condition of type \"{}\"", type));
    }
  }
  const std::string_view now = updated.Get(Fields().status).Get("certificate").AsString();
  const std::string_view before = old.Get(Fields().status).Get("certificate").AsString();
  if (now == before) return;
  if (!issues) {
    errors->Forbidden(status.Child("certificate"), "updates may not set certificate content");
  } else if (!before.empty()) {
    errors->Forbidden(status.Child("certificate"),
                      "updates may not modify existing certificate content");
  }
}

std::vector<std::string> AnyName(std::string_view, Compat) { return {}; }

// extractCSRStatus
std::string StateText(const Object& o) {
  const auto has = [&](const char* type) { return !ConditionsOf(o.tree(), type).empty(); };
  std::string out = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) out += ",Failed";
  if (!o.status().Get("certificate").AsString().empty()) out += ",Issued";
  return out;
}

std::vector<std::string> SigningRequestCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& seconds = spec.Get("expirationSeconds");
  return {cells::Name(o),
          cells::Age(o, now),
          cells::TextOr(spec.Get("signerName"), "<none>"),
          cells::Text(spec.Get("username")),
          seconds.is_null() ? "<none>" : value::HumanDuration(Seconds(seconds.AsInt())),
          StateText(o)};
}

}  // namespace

extern const KindSpec kCertificateSigningRequestKind = {
    .group = "certificates.k8s.io",
    .kind = "CertificateSigningRequest",
    .resource = "certificatesigningrequests",
    .short_names = {"csr"},
    .cached_from_start = false,
    .namespaced = false,
    .has_status = true,
    .go_types = kSigningRequestTypes,
    .patch_schema = &kStatusConditionsPatch,
    .columns =
        {{"Name"}, {"Age"}, {"SignerName"}, {"Requestor"}, {"RequestedDuration"}, {"Condition"}},
    .cells = SigningRequestCells,
    .record_creator = RecordCreator,
    .prepare_update = KeepSpec,
    .prepare_approval = PrepareApproval,
    .validation = {
        .on_create = {kCheckMeta, kCheckObject},
        .on_update = {kCheckChange, kCheckMetaUpdate},
        .on_status_update = {kCheckChange, kCheckMetaUpdate},
        .object = ValidateSigningRequest,
        .change = [](const Value& updated, const Value& old,
                     FieldErrorList* errors) { CheckUpdate(updated, old, false, false, errors); },
        .status_change =
            [](const Value& updated, const Value& old, FieldErrorList* errors) {
              CheckUpdate(updated, old, false, true, errors);
            },
        .approval_change =
            [](const Value& updated, const Value& old, FieldErrorList* errors) {
              CheckUpdate(updated, old, true, false, errors);
            },
        .name = AnyName,
    },
};

}  // namespace ksim::api
