// A slow, obvious model of the store: a full copy of the state for every revision, and every change
// in one list. The oracle of model_test.cc.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ksim/store/kv_request.h"

namespace ksim::store {

struct ModelKv {
  std::string value;
  Revision create = 0, mod = 0;
  std::int64_t version = 0;
  friend bool operator==(const ModelKv&, const ModelKv&) = default;
};
using ModelState = std::map<std::string, ModelKv>;

struct ModelChange {
  Revision revision = 0;
  std::string key;
  std::optional<ModelKv> now, before;  // nothing: absent
};

class ReferenceModel {
 public:
  ReferenceModel() : states_(2) {}  // revisions 0 and 1: empty

  Revision revision() const { return static_cast<Revision>(states_.size()) - 1; }
  Revision compacted() const { return compacted_; }
  const ModelState& At(Revision revision) const {
    return states_[static_cast<std::size_t>(revision)];
  }
  const ModelState& Latest() const { return states_.back(); }

  // Writes of one revision; an empty value deletes. Deletes of missing keys do nothing.
  struct Write {
    std::string key;
    std::optional<std::string> value;
  };
  void Apply(const std::vector<Write>& writes);
  void Compact(Revision revision) { compacted_ = revision; }

  // The events that a watch of [key, end) from `start` must get, with prev_kv as the present
  // compaction revision leaves it.
  std::vector<ModelChange> Changes(const std::string& key, const std::string& end,
                                   Revision start) const;

 private:
  std::vector<ModelState> states_;
  std::vector<ModelChange> changes_;
  Revision compacted_ = -1;
};

}  // namespace ksim::store
