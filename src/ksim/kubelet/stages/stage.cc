#include "ksim/kubelet/stages/stage.h"

#include <algorithm>

#include "ksim/value/selector.h"
#include "ksim/value/text.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {
namespace {

using value::Value;

constexpr std::int64_t kHeaviest = std::int64_t{1} << 50;

// hasValue: a number of the object is a float64, which is no value of a list.
bool IsAmong(const Jq::Output& output, const std::vector<std::string>& values) {
  const Value& v = output.value;
  std::string text;
  if (v.is_string())
    text = v.AsString();
  else if (v.is_bool())
    text = v.AsBool() ? "true" : "false";
  else if (v.is_int() && output.computed)
    text = std::to_string(v.AsInt());
  else
    return false;
  return std::find(values.begin(), values.end(), text) != values.end();
}

// strconv.ParseInt(text, 0, 0) as far as people write weights: decimal, with underscores not.
std::optional<std::int64_t> WeightOfText(std::string_view text) { return value::ParseGoInt(text); }

Value JsonOperation(const char* op, const std::string& path, Value v) {
  value::ObjectBuilder out;
  out.Add("op", Value::Of(op)).Add("path", Value::Of(path));
  out.AddIf(!v.is_null(), "value", v);
  return out.Build();
}

bool IsIn(const std::vector<std::string>& list, const std::string& s) {
  return std::find(list.begin(), list.end(), s) != list.end();
}

void AddFinalizers(const std::vector<std::string>& present, const std::vector<std::string>& add,
                   std::vector<Value>* operations) {
  if (present.empty()) {
    std::vector<Value> all;
    for (const std::string& f : add) all.push_back(Value::Of(f));
    operations->push_back(
        JsonOperation("add", "/metadata/finalizers", Value::Array(std::move(all))));
    return;
  }
  for (const std::string& f : add)
    if (!IsIn(present, f))
      operations->push_back(JsonOperation("add", "/metadata/finalizers/-", Value::Of(f)));
}

}  // namespace

bool StageRequirement::Matches(const Value& object) const {
  const std::vector<Jq::Output> found = key.Run(object);
  const bool among = std::any_of(found.begin(), found.end(),
                                 [&](const Jq::Output& o) { return IsAmong(o, values); });
  switch (op) {
    case Operator::kIn:
      return among;
    case Operator::kNotIn:
      return !among;
    case Operator::kExists:
      return !found.empty();
    case Operator::kDoesNotExist:
      return found.empty();
  }
  return false;
}

// durationFrom.Get: a time is as far off as it is, "" is no delay at all, and what is neither a
// time nor a duration leaves the value that was given.
std::optional<Duration> StageDuration::Get(const Value& object, VirtualTime now) const {
  if (!from) return value;
  const std::vector<Jq::Output> found = from->Run(object);
  if (found.empty() || !found.front().value.is_string()) return value;
  const std::string_view text = found.front().value.AsString();
  if (text.empty()) return std::nullopt;
  if (const auto time = value::ParseTimestamp(text); time.ok()) return *time - now;
  if (const auto duration = ParseDuration(text); duration.ok()) return *duration;
  return value;
}

bool Stage::Matches(const api::Object& pod, const Value& tree) const {
  if (!selects || !value::LabelSelector::FromSet(labels).Matches(pod.labels()) ||
      !value::LabelSelector::FromSet(annotations).Matches(pod.annotations()))
    return false;
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const StageRequirement& r) { return r.Matches(tree); });
}

bool Stage::MayMatch(const api::Object& pod, const Value& tree) const {
  if (!selects || !value::LabelSelector::FromSet(labels).Matches(pod.labels()) ||
      !value::LabelSelector::FromSet(annotations).Matches(pod.annotations()))
    return false;
  return std::all_of(requirements.begin(), requirements.end(), [&](const StageRequirement& r) {
    return !r.key.IsOfIdentity() || r.Matches(tree);
  });
}

// int64From.Get.
std::optional<std::int64_t> Stage::WeightOf(const Value& tree) const {
  if (!weight_from) return weight;
  const std::vector<Jq::Output> found = weight_from->Run(tree);
  if (found.empty()) return weight;
  const Value& v = found.front().value;
  if (v.is_string()) return WeightOfText(v.AsString());
  return v.is_int() ? v.AsInt() : weight;
}

// Stage.Delay: the jitter is no addition, but where the range ends; one that is not beyond the
// delay takes its place.
Stage::Range Stage::DelayOf(const Value& tree, VirtualTime now) const {
  const std::optional<Duration> base = delay.Get(tree, now);
  if (!base) return Range();
  const std::optional<Duration> end = jitter.Get(tree, now);
  Range range{*base, end.value_or(*base)};
  range.min = std::min(range.min, range.max);
  const Duration zero;
  return Range{std::max(range.min, zero), std::max(range.max, zero)};
}

Value FinalizersPatch(const std::vector<std::string>& present, const StageFinalizers& wanted) {
  std::vector<Value> operations, removals;
  bool all_go = wanted.empty;
  if (!wanted.empty && !wanted.remove.empty()) {
    for (std::size_t i = present.size(); i-- > 0;)
      if (IsIn(wanted.remove, present[i]))
        removals.push_back(
            JsonOperation("remove", "/metadata/finalizers/" + std::to_string(i), Value()));
    all_go = removals.size() == present.size();
  }
  if (!all_go) {
    operations = std::move(removals);
    if (!wanted.add.empty()) AddFinalizers(present, wanted.add, &operations);
  } else {
    if (!present.empty())
      operations.push_back(JsonOperation("remove", "/metadata/finalizers", Value()));
    if (!wanted.add.empty()) AddFinalizers({}, wanted.add, &operations);
  }
  return Value::Array(std::move(operations));
}

bool StageSet::Selects(const api::Object& pod) const {
  const Value tree = pod.ToTree();
  return std::any_of(stages_.begin(), stages_.end(),
                     [&](const Stage& stage) { return stage.MayMatch(pod, tree); });
}

// Lifecycle.Match: stages whose weight cannot be read stand back behind those that have one; of
// weights that are all 0 each counts the same.
StageSet::Candidates StageSet::Match(const api::Object& pod, const Value& tree) const {
  Candidates found;
  std::vector<std::optional<std::int64_t>> weights;
  bool any_known = false, any_above_zero = false;
  for (const Stage& stage : stages_) {
    if (!stage.Matches(pod, tree)) continue;
    found.stages.push_back(&stage);
    weights.push_back(stage.WeightOf(tree));
    any_known = any_known || weights.back();
    any_above_zero = any_above_zero || weights.back().value_or(0) > 0;
  }
  for (const std::optional<std::int64_t>& weight : weights) {
    const std::int64_t equal = weight || !any_known ? 1 : 0;
    const std::int64_t w =
        any_above_zero ? std::clamp(weight.value_or(0), std::int64_t{0}, kHeaviest) : equal;
    found.weights.push_back(static_cast<std::uint64_t>(w));
  }
  return found;
}

}  // namespace ksim::kubelet
