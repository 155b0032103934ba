// Indexes by labels: finds the objects that a selector selects, and the selectors that select an
// object, without a look at all others of the namespace.
//
// Upstream's listers look at all of them (labels.Selector.Matches for each); what they find, and in
// which order, is the same.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/informer.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

inline constexpr const char* kLabelIndex = "labels";
inline constexpr const char* kSelectorIndex = "selector";
// The two indexes file an object under these.
void LabelValues(const api::Object& object, client::IndexValues& values);
void SelectorValues(const api::Object& object, client::IndexValues& values);

// Files the objects of a cache under each of their labels, for ListSelected.
void AddLabelIndex(client::SharedInformer& informer);
// Files the objects under the first label that their spec.selector asks for, a plain map as a
// Service has it, for ListSelecting. One that asks for nothing is not filed.
void AddSelectorIndex(client::SharedInformer& informer);

// The namespace's objects whose labels match, in order of key. Without the index it looks at all.
std::vector<api::Object> ListSelected(const client::Lister& lister, std::string_view ns,
                                      const value::LabelSelector& selector);
// The namespace's objects whose spec.selector matches the labels, in order of key. Likewise.
std::vector<api::Object> ListSelecting(const client::Lister& lister, std::string_view ns,
                                       const value::Value& labels);

}  // namespace ksim::controllers
