// Random documents and random places in them, for property tests.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::value {

// Small alphabets, so that documents made apart have much in common.
class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::string Name() {
    static constexpr const char* kNames[] = {"a", "b", "c", "name", "x.y/z", "", "aa", "é"};
    return kNames[Below(std::size(kNames))];
  }

  Value Scalar() {
    switch (Below(6)) {
      case 0:
        return Value();
      case 1:
        return Value::Bool(Below(2) == 0);
      case 2:
        return Value::Int(static_cast<std::int64_t>(Below(3)));
      case 3:
        return Value::Int(static_cast<std::int64_t>(random_()));
      case 4:
        return Value::Double(Below(8) / 4.0);
      default:
        return Value::String(Name());
    }
  }

  Value Any(int depth) {
    if (depth == 0 || Below(4) == 0) return Scalar();
    if (Below(2) == 0) return Object(depth);
    std::vector<Value> items;
    for (unsigned n = Below(4); n > 0; --n) items.push_back(Any(depth - 1));
    return Value::Array(std::move(items));
  }

  Value Object(int depth) {
    ObjectBuilder object;
    for (unsigned n = Below(5); n > 0; --n) object.Add(Name(), Any(depth - 1));
    return object.Build();
  }

  // Fields and indexes, mostly ones that exist in `v`.
  Path Place(const Value& v) {
    std::vector<PathStep> steps;
    const Value* at = &v;
    for (unsigned n = 1 + Below(4); n > 0; --n) {
      if (at->is_array()) {
        steps.push_back(PathStep::Index(Below(static_cast<unsigned>(at->size()) + 2)));
        at = &at->at(steps.back().index);
      } else {
        const bool existing = at->size() > 0 && Below(3) > 0;
        steps.emplace_back(existing ? at->member(Below(static_cast<unsigned>(at->size()))).name
                                    : Atom(Name()));
        at = &at->Get(steps.back().name);
      }
    }
    return Path(std::move(steps));
  }

  // `v` with a few changes at random places.
  Value Variation(Value v, int changes) {
    for (; changes > 0; --changes) {
      const Path place = Place(v);
      v = Below(4) == 0 ? v.Erase(place) : v.Set(place, Any(2));
    }
    return v;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace ksim::value
