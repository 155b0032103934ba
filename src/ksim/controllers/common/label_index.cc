#include "ksim/controllers/common/label_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace ksim::controllers {

using value::LabelSelector;
using value::Value;

namespace {

// No namespace, key or value of a label has a '/' and '=' where these are.
std::string LabelIndexKey(std::string_view ns, std::string_view key, std::string_view value) {
  return fmt::format("{}\n{}={}", ns, key, value);
}

const Value& SelectorOf(const api::Object& object) { return object.spec().Get("selector"); }

// A requirement that only one value of its label fulfils; null if there is none.
const LabelSelector::Requirement* OneValue(const LabelSelector& selector) {
  for (const LabelSelector::Requirement& r : selector.requirements()) {
    const bool equals = r.op == LabelSelector::Operator::kIn ||
                        r.op == LabelSelector::Operator::kEquals ||
                        r.op == LabelSelector::Operator::kDoubleEquals;
    if (equals && r.values.size() == 1) return &r;
  }
  return nullptr;
}

}  // namespace

void LabelValues(const api::Object& object, client::IndexValues& values) {
  for (const Value::Member& label : object.labels().members())
    values.Add(LabelIndexKey(object.ns(), label.name.text(), label.value.AsString()));
}

void SelectorValues(const api::Object& object, client::IndexValues& values) {
  const Value& selector = SelectorOf(object);
  if (selector.empty()) return;
  const Value::Member& first = *selector.members().begin();
  values.Add(LabelIndexKey(object.ns(), first.name.text(), first.value.AsString()));
}

void AddLabelIndex(client::SharedInformer& informer) {
  if (informer.lister().HasIndex(kLabelIndex)) return;
  informer.AddIndex(kLabelIndex, &LabelValues);
}

void AddSelectorIndex(client::SharedInformer& informer) {
  if (informer.lister().HasIndex(kSelectorIndex)) return;
  informer.AddIndex(kSelectorIndex, &SelectorValues);
}

std::vector<api::Object> ListSelected(const client::Lister& lister, std::string_view ns,
                                      const LabelSelector& selector) {
  if (selector.selects_nothing()) return {};
  const LabelSelector::Requirement* const one = OneValue(selector);
  std::vector<api::Object> found =
      one != nullptr && !ns.empty() && lister.HasIndex(kLabelIndex)
          ? lister.ByIndex(kLabelIndex, LabelIndexKey(ns, one->key.text(), one->values[0]))
          : lister.List(ns);
  std::erase_if(found, [&](const api::Object& o) { return !selector.Matches(o.labels()); });
  return found;
}

std::vector<api::Object> ListSelecting(const client::Lister& lister, std::string_view ns,
                                       const Value& labels) {
  std::vector<api::Object> found;
  if (lister.HasIndex(kSelectorIndex)) {
    // Each stands under one label: none comes twice.
    for (const Value::Member& label : labels.members()) {
      std::vector<api::Object> under = lister.ByIndex(
          kSelectorIndex, LabelIndexKey(ns, label.name.text(), label.value.AsString()));
      std::move(under.begin(), under.end(), std::back_inserter(found));
    }
    std::sort(found.begin(), found.end(),
              [](const api::Object& a, const api::Object& b) { return a.name() < b.name(); });
  } else {
    found = lister.List(ns);
  }
  std::erase_if(found, [&](const api::Object& o) {
    return SelectorOf(o).empty() || !LabelSelector::FromSet(SelectorOf(o)).Matches(labels);
  });
  return found;
}

}  // namespace ksim::controllers
