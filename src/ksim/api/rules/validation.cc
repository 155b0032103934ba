#include "ksim/api/rules/validation.h"

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/rules/meta_validation.h"

namespace ksim::api {

using value::Value;

namespace {

const Value& Metadata(const Value& tree) { return tree.Get(Fields().metadata); }

// One run over an object: the steps of its kind in their order.
class Run {
 public:
  Run(const ResourceInfo& kind, const Value& tree, const Value& old, Compat compat)
      : kind_(kind), rules_(SpecOf(kind).validation), tree_(tree), old_(old), errors_(compat) {}

  FieldErrors Create() {
    TakeSteps(rules_.on_create);
    const ValidationSteps& steps = rules_.on_create;
    const bool with_meta = std::find(steps.begin(), steps.end(), kCheckMeta) != steps.end();
    if (errors_.empty() && !with_meta) {
      ValidateCommonMeta(kind_, Metadata(tree_), &errors_);
    }
    return errors_.Take();
  }

  FieldErrors Update(std::string_view subresource) {
    on_status_ = subresource == "status";
    ValidateCommonMeta(kind_, Metadata(tree_), &errors_);
    const std::size_t before = errors_.size();
    MetaUpdate(/*good_contents=*/before == 0);
    updates_meta_ = errors_.size() > before;
    if (subresource == "finalize") {
      StrategyMetaUpdate();
      if (rules_.finalized != nullptr) rules_.finalized(tree_, &errors_);
    } else if (subresource == "approval" && rules_.approval_change != nullptr) {
      StrategyMetaUpdate();
      rules_.approval_change(tree_, old_, &errors_);
    } else if (on_status_) {
      TakeSteps(rules_.on_status_update);
    } else if (!subresource.empty() && rules_.subresource_change != nullptr) {
      StrategyMetaUpdate();
      ValidateObjectMeta(kind_, Metadata(tree_), &errors_);
      rules_.subresource_change(tree_, old_, subresource, &errors_);
    } else {
      const bool plain = !errors_.profile().updates_validate_as_new;
      const bool other = plain && rules_.on_plain_update[0] != kCheckNothing;
      TakeSteps(other ? rules_.on_plain_update : rules_.on_update);
    }
    return errors_.Take();
  }

 private:
  void MetaUpdate(bool good_contents = false) {
    ValidateObjectMetaUpdate(Metadata(tree_), Metadata(old_), good_contents, &errors_);
  }

  // ValidateObjectMetaUpdate of pkg/apis/core/validation, where the kind has that: it looks at the
  // names of finalizers, too.
  void StrategyMetaUpdate() {
    if (updates_meta_) MetaUpdate();
    if (rules_.standard_finalizers) ValidateKubeFinalizers(Metadata(tree_), &errors_);
  }

  // Takes the steps; a spec without errors is not validated twice.
  void TakeSteps(const ValidationSteps& steps) {
    const Value& spec = tree_.Get(Fields().spec);
    const bool same_spec =
        !on_status_ && spec.is_object() && spec.SameTree(old_.Get(Fields().spec));
    bool good_spec = false;
    for (const ValidationStep step : steps) {
      const std::size_t before = errors_.size();
      switch (step) {
        case kCheckNothing:
          return;
        case kCheckMeta:
          ValidateObjectMeta(kind_, Metadata(tree_), &errors_);
          break;
        case kCheckMetaUpdate:
          StrategyMetaUpdate();
          break;
        case kCheckObject:
          if (same_spec || good_spec) break;
          rules_.object(tree_, &errors_);
          good_spec = errors_.size() == before;
          break;
        case kCheckNewObject:
          rules_.new_object(tree_, &errors_);
          break;
        case kCheckChange:
          CheckChange();
          break;
        case kCheckStatus:
          rules_.status(tree_, &errors_);
          break;
      }
    }
  }

  void CheckChange() {
    const bool other = on_status_ && rules_.status_change != nullptr;
    (other ? rules_.status_change : rules_.change)(tree_, old_, &errors_);
  }

  const ResourceInfo& kind_;
  const KindSpec::Validation& rules_;
  const Value& tree_;
  const Value& old_;
  FieldErrorList errors_;
  bool on_status_ = false;
  bool updates_meta_ = false;  // ValidateObjectMetaUpdate finds errors
};

}  // namespace

FieldErrors ValidateCreate(const ResourceInfo& kind, const Value& tree, Compat compat) {
  return Run(kind, tree, Value(), compat).Create();
}

FieldErrors ValidateUpdate(const ResourceInfo& kind, const Value& updated, const Value& old,
                           std::string_view subresource, Compat compat) {
  return Run(kind, updated, old, compat).Update(subresource);
}

FieldErrors ValidateBinding(const Value& binding) {
  FieldErrorList errors(kDefaultCompat);  // these errors read alike in all versions
  const FieldPath path("target");
  const Value& target = binding.Get("target");
  const std::string_view kind = target.Get("kind").AsString();
  if (!kind.empty() && kind != "Node") {
    errors.NotSupported(path.Child("kind"), kind, {"Node", "<empty>"});
  }
  if (target.Get("name").AsString().empty()) errors.Required(path.Child("name"));
  return errors.Take();
}

Status InvalidObject(const ResourceInfo& kind, std::string_view name, FieldErrors errors) {
  const bool core = SpecOf(kind).core_group_in_errors;
  return Invalid(core ? "" : std::string_view(kind.group), kind.kind, name, std::move(errors));
}

}  // namespace ksim::api
