#include "ksim/controllers/common/node_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ksim/api/patch_schema.h"
#include "ksim/client/core/backoff.h"
#include "ksim/value/patch.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

bool Matches(const Value& a, const Value& b) {
  return a.Get("key") == b.Get("key") && a.Get("effect") == b.Get("effect");
}

// UpdateTaintBackoff, UpdateLabelBackoff.
client::Backoff RetryBackoff() { return client::Backoff(Milliseconds(100), 0, 100, 5); }

Value TwoWayPatch(const Value& before, const Value& after) {
  const auto patch =
      value::CreateTwoWayMergePatch(before, after, api::FindPatchSchema("v1", "Node"));
  return patch.ok() ? *patch : Value();
}

// PatchNodeTaints: the patch names the version that was read, as the list of taints has no key to
// merge by.
Value TaintPatch(const api::Object& node, const Value& taints) {
  static const Path kTaints{"spec", "taints"};
  static const Path kVersion{"metadata", "resourceVersion"};
  const Value after =
      taints.empty() ? node.tree().Erase(kTaints) : node.tree().Set(kTaints, taints);
  return TwoWayPatch(node.tree(), after)
      .Set(kVersion, Value::String(fmt::format("{}", node.resource_version())));
}

}  // namespace

Value MakeTaint(std::string_view key, std::string_view effect) {
  return value::Obj({{"key", Value::String(key)}, {"effect", Value::String(effect)}});
}

bool TaintExists(const Value& taints, const Value& taint) {
  const Value::Items items = taints.items();
  return std::any_of(items.begin(), items.end(),
                     [&taint](const Value& t) { return Matches(t, taint); });
}

bool TaintKeyExists(const Value& taints, std::string_view key) {
  const Value::Items items = taints.items();
  return std::any_of(items.begin(), items.end(),
                     [key](const Value& t) { return t.Get("key").AsString() == key; });
}

Value WithTaint(const Value& taints, const Value& taint) {
  Taints all(taints.items().begin(), taints.items().end());
  const auto it =
      std::find_if(all.begin(), all.end(), [&taint](const Value& t) { return Matches(t, taint); });
  if (it == all.end())
    all.push_back(taint);
  else
    *it = taint;
  return Value::Array(std::move(all));
}

Value WithoutTaint(const Value& taints, const Value& taint) {
  Taints all(taints.items().begin(), taints.items().end());
  std::erase_if(all, [&taint](const Value& t) { return Matches(t, taint); });
  return Value::Array(std::move(all));
}

NodeWrites::NodeWrites(client::Client& client)
    : client_(client), nodes_(client.connection().env().kinds.ByResource("", "nodes")) {}

sim::Task<bool> NodeWrites::SwapTaints(Taints to_add, Taints to_remove, api::Object node) {
  const Value now = value::TimestampValue(client_.connection().process().Now());
  for (Value& taint : to_add) taint = taint.Set("timeAdded", now);
  if (!to_add.empty()) {
    // The time makes each of them new, also where the node has it already.
    const Change change = [&to_add](const api::Object& read) {
      Value taints = read.spec().Get("taints");
      for (const Value& taint : to_add) taints = WithTaint(taints, taint);
      return TaintPatch(read, taints);
    };
    const bool added = co_await Patch(std::string(node.name()), change);
    if (!added) co_return false;
  }
  co_return co_await RemoveTaints(std::move(to_remove), node);
}

sim::Task<bool> NodeWrites::RemoveTaints(Taints taints, api::Object node) {
  const auto has = [&taints](const Value& of) {
    return std::any_of(taints.begin(), taints.end(),
                       [&of](const Value& taint) { return TaintExists(of, taint); });
  };
  if (!has(node.spec().Get("taints"))) co_return true;
  const Change change = [&taints, &has](const api::Object& read) {
    Value left = read.spec().Get("taints");
    if (!has(left)) return Value();
    for (const Value& taint : taints) left = WithoutTaint(left, taint);
    return TaintPatch(read, left);
  };
  co_return co_await Patch(std::string(node.name()), change);
}

sim::Task<bool> NodeWrites::SetLabels(std::string node, Labels labels) {
  const Change change = [&labels](const api::Object& read) {
    Value after = read.tree();
    for (const auto& [key, text] : labels)
      after = after.Set(Path{"metadata", "labels", std::string_view(key)}, Value::String(text));
    return TwoWayPatch(read.tree(), after);
  };
  co_return co_await Patch(std::move(node), change);
}

sim::Task<bool> NodeWrites::Patch(std::string node, Change change) {
  client::Environment& env = client_.connection().env();
  client::JitterSource jitter(env,
                              fmt::format("retry/{}/nodes", client_.connection().process().name()));
  client::ExponentialPoll poll(RetryBackoff(), jitter);
  const client::PatchOptions options(api::PatchType::kStrategic);
  SharedText version("0");  // from the watch cache, as it is cheaper
  for (;;) {
    client::Client::ObjectResult read = co_await client_.Get(nodes_, "", node, version);
    if (!read.ok()) co_return false;
    const Value patch = change(*read);
    if (patch.is_null()) co_return true;
    client::Client::ObjectResult patched = co_await client_.Patch(nodes_, "", node, patch, options);
    if (patched.ok()) co_return true;
    const std::optional<Duration> sleep = poll.NextSleep();
    if (!api::IsConflict(patched.status()) || !sleep) co_return false;
    co_await env.sim.Sleep(*sleep, sim::TimerKind::kWork, "retry on conflict");
    if (!poll.TriesLeft()) co_return false;
    version = SharedText();
  }
}

}  // namespace ksim::controllers
