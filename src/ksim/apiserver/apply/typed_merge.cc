// Part of typed.h: merging and removing.
#include <utility>
#include <vector>

#include "ksim/apiserver/apply/typed.h"

namespace ksim::apiserver {

using value::Value;

namespace {

using How = Shape::Merge;

Value MergeFields(const Shape& shape, const Value& live, const Value& config) {
  Value out = live.is_object() ? live : Value::EmptyObject();
  for (const Value::Member& m : config.members())
    out = std::move(out).Set(m.name, Merge(shape.Field(m.name), live.Get(m.name), m.value));
  return out;
}

struct Item {
  Item(PathElement e, const Value& v) : element(std::move(e)), value(&v) {}
  PathElement element;
  const Value* value;
};

std::vector<Item> ItemsOf(const Shape& shape, const Value& list) {
  std::vector<Item> out;
  for (const Value& v : list.items()) {
    absl::StatusOr<PathElement> element = shape.ElementOf(v);
    if (element.ok()) out.emplace_back(*std::move(element), v);
  }
  return out;
}

const Item* Find(const std::vector<Item>& items, const PathElement& element) {
  for (const Item& item : items)
    if (item.element == element) return &item;
  return nullptr;
}

// The items of two lists in one order: items that both have come as `config` orders them, the
// others of `live` stay behind what they were behind. visitListItems of typed/merge.go.
class ListMerger {
 public:
  ListMerger(const Shape& shape, const Value& live, const Value& config)
      : shape_(shape), live_(ItemsOf(shape, live)), config_(ItemsOf(shape, config)) {
    for (const Item& item : config_)
      if (Find(live_, item.element) != nullptr) shared_.push_back(item.element);
  }

  Value Run() {
    while (l_ < live_.size() || c_ < config_.size()) {
      if (SkipsSharedItem()) continue;
      if (l_ < live_.size() && Find(config_, live_[l_].element) == nullptr) {
        out_.push_back(*live_[l_++].value);
        continue;
      }
      if (l_ < live_.size() && taken_.HasMember(live_[l_].element)) ++l_;
      if (c_ < config_.size()) TakeConfigured();
    }
    return Value::Array(std::move(out_));
  }

 private:
  // The next live item is one that both have, and its turn is another's.
  bool SkipsSharedItem() {
    if (l_ == live_.size() || c_ == config_.size()) return false;
    const PathElement& element = live_[l_].element;
    if (element == config_[c_].element) {
      ++l_;
      TakeConfigured();
      return true;
    }
    const bool not_its_turn =
        Find(config_, element) != nullptr && next_ < shared_.size() && shared_[next_] != element;
    if (not_its_turn) ++l_;
    return not_its_turn;
  }

  void TakeConfigured() {
    const Item& item = config_[c_++];
    taken_.Insert({item.element});
    const Item* live = Find(live_, item.element);
    const Value merged = live == nullptr
                             ? *item.value
                             : Merge(shape_.Below(item.element), *live->value, *item.value);
    out_.push_back(merged);
    if (next_ < shared_.size() && shared_[next_] == item.element) ++next_;
  }

  const Shape& shape_;
  std::vector<Item> live_, config_;
  std::vector<PathElement> shared_;  // in the order of `config`
  std::size_t l_ = 0, c_ = 0, next_ = 0;
  FieldSet taken_;
  std::vector<Value> out_;
};

Value RemoveFields(const Shape& shape, const Value& v, const FieldSet& remove) {
  Value out = v;
  for (const FieldSet::Entry& entry : remove.entries()) {
    const std::string* name = entry.element.field();
    const Value* field = name != nullptr ? v.Find(value::Atom(*name)) : nullptr;
    if (field == nullptr) continue;
    const Value left =
        entry.member ? Value() : RemoveItems(shape.Field(value::Atom(*name)), *field, entry.below);
    out = left.is_null() ? out.Erase(*name) : std::move(out).Set(*name, left);
  }
  return out.empty() ? Value() : out;
}

Value RemoveFromList(const Shape& shape, const Value& v, const FieldSet& remove) {
  std::vector<Value> out;
  for (const Item& item : ItemsOf(shape, v)) {
    if (remove.HasMember(item.element)) continue;
    Value left = RemoveItems(shape.Below(item.element), *item.value, remove.Below(item.element));
    if (!left.is_null()) out.push_back(std::move(left));
  }
  return out.empty() ? Value() : Value::Array(std::move(out));
}

}  // namespace

Value Merge(const Shape& shape, const Value& live, const Value& config) {
  const How how = shape.MergeOf(config);
  const bool nothing_there = live.is_null() || (live.empty() && config.empty());
  if (how == How::kLeaf || nothing_there) return config;
  if (how == How::kMap) return MergeFields(shape, live, config);
  return ListMerger(shape, live, config).Run();
}

Value RemoveItems(const Shape& shape, const Value& v, const FieldSet& remove) {
  if (remove.empty() || v.empty()) return v;
  const How how = shape.MergeOf(v);
  if (how == How::kLeaf) return Value();
  return how == How::kMap ? RemoveFields(shape, v, remove) : RemoveFromList(shape, v, remove);
}

}  // namespace ksim::apiserver
