// The kind LimitRange of v1.
//
// Sources: pkg/apis/core/v1/defaults.go SetDefaults_LimitRangeItem;
// pkg/apis/core/validation/validation.go ValidateLimitRange; pkg/registry/core/limitrange.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/quota/resource_list.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/resource_names.h"
#include "ksim/value/quantity.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Quantity;
using value::Value;

namespace {

constexpr std::string_view kLimitRangeTypes = R"(
LimitRange: apiVersion=string kind=string metadata=ObjectMeta spec=LimitRangeSpec
LimitRangeItem: default={}Quantity@ResourceList defaultRequest={}Quantity@ResourceList
   max={}Quantity@ResourceList maxLimitRequestRatio={}Quantity@ResourceList
   min={}Quantity@ResourceList type!=s:LimitType
LimitRangeSpec: limits!=[]LimitRangeItem
)";

// --- defaults ---

// The entries of `from` that `to` lacks.
Value FillFrom(Value to, const Value& from) {
  if (to.is_null()) to = Value::EmptyObject();
  for (const Value::Member& m : from.members())
    if (!to.Has(m.name.text())) to = std::move(to).Set(m.name, m.value);
  return to;
}

// For containers the default limit is the maximum, the default request is that limit, else the
// minimum.
Value DefaultItem(const Value& item) {
  if (item.Get("type").AsString() != "Container") return item;
  const Value limit = FillFrom(item.Get("default"), item.Get("max"));
  const Value request = FillFrom(FillFrom(item.Get("defaultRequest"), limit), item.Get("min"));
  Value out = item;
  if (!limit.empty()) out = out.Set("default", limit);
  if (!request.empty()) out = out.Set("defaultRequest", request);
  return out;
}

Value DefaultLimitRange(const Value& tree, Compat) {
  static const Path kLimits{"spec", "limits"};
  const Value& limits = tree.Get(kLimits);
  if (limits.empty()) return tree;
  std::vector<Value> items;
  for (const Value& item : limits.items()) items.push_back(DefaultItem(item));
  return tree.Set(kLimits, Value::Array(std::move(items)));
}

// --- validation ---

void ValidateType(std::string_view type, const FieldPath& path, FieldErrorList* errors) {
  const NameProblems problems = QualifiedName(type, errors->compat());
  errors->InvalidAll(path, type, problems);
  const bool standard = type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
  if (problems.empty() && type.find('/') == type.npos && !standard)
    errors->Invalid(path, type, "must be a standard limit type or fully qualified");
}

// The amounts of one item that belong to one resource; null: it has none.
struct Amounts {
  Amounts() = default;
  const Quantity *min = nullptr, *max = nullptr, *limit = nullptr, *request = nullptr,
                 *ratio = nullptr;
};

class ItemValidation {
 public:
  ItemValidation(const Value& item, const FieldPath& path, FieldErrorList* errors)
      : type_(item.Get("type").AsString()), item_(item), path_(path), errors_(errors) {}

  void Run() {
    const ResourceList max = Names("max"), min = Names("min");
    ResourceList limit, request;
    if (type_ == "Pod") {
      for (const char* field : {"default", "defaultRequest"})
        if (!item_.Get(field).empty())
          errors_->Forbidden(path_.Child(field), "may not be specified when `type` is 'Pod'");
    } else {
      limit = Names("default");
      request = Names("defaultRequest");
    }
    if (type_ == "PersistentVolumeClaim" && !min.contains("storage") && !max.contains("storage"))
      errors_->Required(path_.Child("limits"),
                        "either minimum or maximum storage value is required, but neither was "
                        "provided");
    const ResourceList ratio = Names("maxLimitRequestRatio");
    for (const std::string& name : seen_) {
      Amounts a;
      a.min = In(min, name);
      a.max = In(max, name);
      a.limit = In(limit, name);
      a.request = In(request, name);
      a.ratio = In(ratio, name);
      Compare(name, a);
    }
  }

 private:
  ResourceList Names(std::string_view field) {
    const FieldPath list = path_.Child(field);
    for (const Value::Member& m : item_.Get(field).members()) {
      const FieldPath at = list.Key(m.name.text());
      if (type_ == "Pod" || type_ == "Container")
        ValidateContainerResourceName(m.name.text(), at, errors_);
      else
        ValidateResourceName(m.name.text(), at, errors_);
      seen_.emplace(m.name.text());
    }
    return ResourceListOf(item_.Get(field));
  }

  static const Quantity* In(const ResourceList& list, const std::string& name) {
    const auto it = list.find(name);
    return it == list.end() ? nullptr : &it->second;
  }

  // Refuses that `less` is more than `more`; says so of `shown` at a field.
  void Order(const Quantity* less, const Quantity* more, const char* field, const std::string& name,
             const Quantity* shown, std::string_view less_name, std::string_view more_name) {
    if (less == nullptr || more == nullptr || *less <= *more) return;
    Refuse(field, name, *shown,
           fmt::format("{} value {} is greater than {} value {}", less_name, less->ToString(),
                       more_name, more->ToString()));
  }
  void Refuse(const char* field, const std::string& name, const Quantity& shown,
              const std::string& detail) {
    const FieldPath list = path_.Child(field);
    errors_->Invalid(list.Key(name), shown.ToString(), detail);
  }

  void Compare(const std::string& name, const Amounts& a) {
    Order(a.min, a.max, "min", name, a.min, "min", "max");
    Order(a.min, a.request, "defaultRequest", name, a.request, "min", "default request");
    Order(a.request, a.max, "defaultRequest", name, a.request, "default request", "max");
    Order(a.request, a.limit, "defaultRequest", name, a.request, "default request",
          "default limit");
    Order(a.min, a.limit, "default", name, a.min, "min", "default");
    Order(a.limit, a.max, "default", name, a.max, "default", "max");
    if (a.ratio != nullptr) CheckRatio(name, a);
    if (!MayOvercommit(name) && a.limit != nullptr && a.request != nullptr &&
        *a.limit != *a.request)
      Refuse("defaultRequest", name, *a.request,
             fmt::format("default value {} must equal to defaultRequest value {} in {}",
                         a.limit->ToString(), a.request->ToString(), name));
  }

  // Upstream divides floats; the quotient is shown with six digits, rounded.
  void CheckRatio(const std::string& name, const Amounts& a) {
    const std::string text = a.ratio->ToString();
    if (*a.ratio < Quantity::FromInt(1))
      Refuse("maxLimitRequestRatio", name, *a.ratio, fmt::format("ratio {} is less than 1", text));
    if (a.min == nullptr || a.max == nullptr) return;
    __extension__ using Wide = __int128;
    const Wide least = a.min->MilliValue(), most = a.max->MilliValue();
    if (least == 0) return;  // a quotient beyond all bounds
    if (Wide{a.ratio->MilliValue()} * least <= most * 1000) return;
    constexpr std::int64_t kDigits = 1'000'000;
    const auto millionths = static_cast<std::int64_t>((most * kDigits * 2 + least) / (least * 2));
    Refuse("maxLimitRequestRatio", name, *a.ratio,
           fmt::format("ratio {} is greater than max/min = {}.{:06}", text, millionths / kDigits,
                       millionths % kDigits));
  }

  std::string_view type_;
  const Value& item_;
  const FieldPath& path_;
  FieldErrorList* errors_;
  std::set<std::string> seen_;  // the resources that the item names
};

void ValidateLimitRange(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath limits = spec.Child("limits");
  const Value& items = tree.Get("spec").Get("limits");
  std::set<std::string_view> types;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const FieldPath path = limits.Index(i);
    const std::string_view type = items.at(i).Get("type").AsString();
    ValidateType(type, path.Child("type"), errors);
    if (!types.insert(type).second) errors->Duplicate(path.Child("type"), type);
    ItemValidation(items.at(i), path, errors).Run();
  }
}

}  // namespace

extern const KindSpec kLimitRangeKind = {
    .kind = "LimitRange",
    .resource = "limitranges",
    .short_names = {"limits"},
    .create_on_update = true,
    .go_types = kLimitRangeTypes,
    .columns = {{"Name"}, {"Created At"}},
    .cells = cells::NameAndCreation,
    .defaults = DefaultLimitRange,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject},
            .object = ValidateLimitRange,
        },
};

}  // namespace ksim::api
