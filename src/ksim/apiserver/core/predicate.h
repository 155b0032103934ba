// Predicate: the objects that a list or watch selects, by namespace and name, labels and fields.
//
// Source: apiserver pkg/storage/selection_predicate.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// "labels" or "fields" or both, as in `k=v;metadata.name=x`; for traces.
std::string SelectorText(const api::ListOptions& options);

class Predicate {
 public:
  Predicate() = default;
  // Parses the selectors of `options`: 400 for what cannot be parsed or selected. `ns` and `name`
  // are the request's.
  static api::Result<Predicate> Make(const api::ResourceInfo& r, std::string_view ns,
                                     std::string_view name, const api::ListOptions& options,
                                     const Profile& profile = NewestProfile());

  // Namespace, labels and fields all match.
  bool Matches(const api::Object& object) const {
    return matches_everything_ || MatchesAll(object);
  }
  bool matches_everything() const { return matches_everything_; }
  // Labels and fields only: the object is known to be in the namespace.
  bool MatchesSelectors(const api::Object& object) const;
  bool has_selectors() const { return !labels_.empty() || !fields_.empty(); }

  const api::ResourceInfo& resource() const { return *resource_; }
  // The one namespace asked for, by the request or else by metadata.namespace=; "" = all.
  std::string_view ns() const { return scope_.AsString().substr(0, ns_size_); }
  // The one name asked for; "" = all.
  std::string_view name() const {
    return scope_.is_null() ? std::string_view() : scope_.AsString().substr(ns_size_ + 1);
  }
  // Key of the single object asked for, if it can be only one: "ns/name" or "name"; else "".
  std::string SingleKey() const;
  // The prefix of the keys of all possible matches: "ns/" or "".
  std::string KeyPrefix() const;
  // True for a request for one namespace whose selector names another: nothing can match.
  bool contradictory() const { return contradictory_; }
  // The value of spec.nodeName that every match must have; null if none is demanded.
  const std::string* node_name() const;

 private:
  bool MatchesAll(const api::Object& object) const;

  const api::ResourceInfo* resource_ = nullptr;
  value::Value scope_;  // "namespace/name"; null: neither, as most watches have it
  std::uint32_t ns_size_ = 0;
  bool matches_everything_ = false;  // as most watches do
  bool contradictory_ = false;
  value::LabelSelector labels_;
  // Hardly a watch tests two fields, and those of thousands of kubelets test one.
  absl::InlinedVector<value::FieldSelector::Term, 1> fields_;
};

}  // namespace ksim::apiserver
