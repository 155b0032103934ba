#include "ksim/cel/eval/nodes.h"

#include "ksim/cel/values/containers.h"
#include "ksim/cel/values/operations.h"

namespace ksim::cel {

Val Cancelled() { return Val::Error("operation cancelled: actual cost limit exceeded"); }

Val LogicNode::Eval(Run& run) const {
  std::optional<Val> error;
  for (const PlanPtr& term : terms_) {
    Val v = term->Eval(run);
    if (run.cancelled) return Cancelled();
    if (v.is_bool()) {
      if (v.is_true() == decides_) return v;
    } else if (!error.has_value()) {
      error = v.is_error() ? std::move(v) : Val::NoSuchOverload();
    }
  }
  return error.has_value() ? *std::move(error) : Val::Bool(!decides_);
}

bool CallNode::AddInPlace(std::vector<Val>* args, Val* result) {
  Val& container = (*args)[0];
  const Val& more = (*args)[1];
  if (std::vector<Val>* items = more.is_list() ? container.UniqueItems() : nullptr) {
    for (std::size_t i = 0; i < more.list().size(); ++i) items->push_back(more.list().at(i));
    *result = std::move(container);
    return true;
  }
  EntryMap* entries = container.UniqueEntries();
  if (entries == nullptr) return false;
  const auto insert = [&](const Val& key, const Val& v) {
    if (entries->Insert(key, v)) return true;
    *result = Val::Error("insert failed: key " + key.ToText() + " already exists");
    return false;
  };
  bool inserted = true;
  if (args->size() == 3) {
    inserted = insert(more, (*args)[2]);
  } else if (!more.is_map()) {
    return false;
  } else {
    for (std::size_t i = 0; i < more.map().size() && inserted; ++i) {
      inserted = insert(more.map().key(i), more.map().value(i));
    }
  }
  if (inserted) *result = std::move(container);
  return true;
}

Val CallNode::Eval(Run& run) const {
  std::vector<Val> args(args_.size());
  std::optional<Val> error;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    args[i] = args_[i]->Eval(run);
    if (run.cancelled) return Cancelled();
    if (i == 0 && taken_slot_ >= 0) run.slots[static_cast<std::size_t>(taken_slot_)].value = Val();
    if (!args[i].is_error() || !target_.strict) continue;
    if (!error.has_value()) error = args[i];
    if (target_.stops_at_error && i + 1 < args_.size()) return *error;
  }
  Val result;
  if (error.has_value()) {
    result = *std::move(error);
  } else if (taken_slot_ >= 0 && AddInPlace(&args, &result)) {
    run.Charge(1);
    return run.cancelled ? Cancelled() : result;
  } else {
    result = target_.run(args);
  }
  run.Charge(CallCost(*policy_, target_.function, target_.overload, args, result));
  return run.cancelled ? Cancelled() : result;
}

Val MembershipNode::Eval(Run& run) const {
  const Val item = item_->Eval(run);
  if (item.is_error()) return item;
  return Val::Bool(list_.list().Contains(item).is_true());
}

Val OptionalOrNode::Eval(Run& run) const {
  Val left = left_->Eval(run);
  if (!left.is_optional()) return left;
  if (left.optional_value() == nullptr) return right_->Eval(run);
  return unwrap_ ? *left.optional_value() : left;
}

Val ListMaker::Eval(Run& run) const {
  std::vector<Val> items;
  items.reserve(items_.size());
  std::optional<Val> error;
  for (std::size_t i = 0; i < items_.size() && !error.has_value(); ++i) {
    Val v = items_[i]->Eval(run);
    if (run.cancelled) return Cancelled();
    if (v.is_error()) {
      error = std::move(v);
    } else if (optional_.empty() || !optional_[i]) {
      items.push_back(std::move(v));
    } else if (!v.is_optional()) {
      error = Val::Error("cannot initialize optional list element from non-optional value " +
                         v.ToText());
    } else if (v.optional_value() != nullptr) {
      items.push_back(*v.optional_value());
    }
  }
  run.Charge(kListCost);
  if (run.cancelled) return Cancelled();
  return error.has_value() ? *std::move(error) : Val::List(std::move(items));
}

bool ListMaker::IsConstant() const {
  if (!optional_.empty()) return false;
  for (const PlanPtr& item : items_) {
    if (item->constant() == nullptr) return false;
  }
  return true;
}

Val MapMaker::Eval(Run& run) const {
  std::vector<std::pair<Val, Val>> entries;
  entries.reserve(entries_.size());
  std::optional<Val> error;
  for (const Entry& entry : entries_) {
    Val key = entry.key->Eval(run);
    if (run.cancelled) return Cancelled();
    if (key.is_error()) {
      error = std::move(key);
      break;
    }
    Val v = entry.value->Eval(run);
    if (run.cancelled) return Cancelled();
    if (v.is_error()) {
      error = std::move(v);
      break;
    }
    if (entry.optional) {
      if (!v.is_optional()) {
        error = Val::Error("cannot initialize optional entry '" + key.ToText() +
                           "' from non-optional value " + v.ToText());
        break;
      }
      if (v.optional_value() == nullptr) continue;
      v = Val(*v.optional_value());
    }
    entries.emplace_back(std::move(key), std::move(v));
  }
  run.Charge(kMapCost);
  if (run.cancelled) return Cancelled();
  return error.has_value() ? *std::move(error) : Val::Map(std::move(entries));
}

bool MapMaker::IsConstant() const {
  for (const Entry& entry : entries_) {
    if (entry.optional || entry.key->constant() == nullptr || entry.value->constant() == nullptr) {
      return false;
    }
  }
  return true;
}

// One turn with the variables set; false: the loop is over.
bool LoopNode::Turn(Run& run) const {
  const Val condition = p_.condition->Eval(run);
  if (run.cancelled || condition.is_false()) return false;
  Val accu = p_.step->Eval(run);
  run.slots[p_.accu] = {std::move(accu), nullptr};
  return !run.cancelled;
}

namespace {

// The Go type of a value that is no list and no map, as %T prints it.
std::string_view GoTypeOf(const Val& v) {
  switch (v.kind()) {
    case ValKind::kBool:
      return "types.Bool";
    case ValKind::kInt:
      return "types.Int";
    case ValKind::kUint:
      return "types.Uint";
    case ValKind::kDouble:
      return "types.Double";
    case ValKind::kString:
      return "types.String";
    case ValKind::kBytes:
      return "types.Bytes";
    case ValKind::kNull:
      return "types.Null";
    case ValKind::kTimestamp:
      return "types.Timestamp";
    case ValKind::kDuration:
      return "types.Duration";
    case ValKind::kType:
      return "*types.Type";
    case ValKind::kOptional:
      return "*types.Optional";
    default:
      return v.type_name();
  }
}

}  // namespace

Val LoopNode::Eval(Run& run) const {
  const Val range = p_.range->Eval(run);
  if (run.cancelled) return Cancelled();
  if (range.is_error()) return range;
  run.slots[p_.accu] = {Val(), p_.init.get()};
  const auto set = [&run](std::size_t slot, Val v) { run.slots[slot] = {std::move(v), nullptr}; };
  if (range.is_list()) {
    for (std::size_t i = 0; i < range.list().size(); ++i) {
      set(p_.var, p_.two_variables ? Val::Int(static_cast<std::int64_t>(i)) : range.list().at(i));
      if (p_.two_variables) set(p_.var2, range.list().at(i));
      if (!Turn(run)) break;
    }
  } else if (range.is_map()) {
    for (std::size_t i = 0; i < range.map().visible(); ++i) {
      set(p_.var, range.map().key(i));
      if (p_.two_variables) set(p_.var2, range.map().value(i));
      if (!Turn(run)) break;
    }
  } else {
    return Val::Error("got '" + std::string(GoTypeOf(range)) + "', expected iterable type");
  }
  if (run.cancelled) return Cancelled();
  Val result = p_.result->Eval(run);
  run.slots[p_.accu] = {};
  return run.cancelled ? Cancelled() : result;
}

}  // namespace ksim::cel
