#include "ksim/trace/schema.h"

#include "ksim/base/check.h"

namespace ksim::trace {
namespace {

using Fields = std::vector<std::string_view>;

struct KindRow {
  std::string_view name;
  Fields fields;
};

const std::vector<KindRow>& Kinds() {
  static const std::vector<KindRow> kinds{
      {"", {}},
      {"request",
       {"id", "server", "verb", "resource", "subresource", "namespace", "name", "uid",
        "preconditions", "params", "user", "version", "body"}},
      {"response",
       {"id", "code", "reason", "rv", "from", "items", "itemsHash", "continue", "lost", "latency",
        "object"}},
      {"stage", {"request", "stage", "result"}},
      {"commit",
       {"revision", "sub", "op", "key", "resource", "namespace", "name", "uid", "rv", "prevRv",
        "by", "request", "changed", "object"}},
      {"compact", {"revision", "by"}},
      {"watch",
       {"stream", "server", "client", "request", "resource", "namespace", "key", "selectors", "rv",
        "options", "state", "lastRv", "reason"}},
      {"event",
       {"stream", "n", "type", "resource", "namespace", "name", "key", "knownAs", "uid", "rv",
        "initialEnd", "server", "response", "object"}},
      {"deliver",
       {"stream", "n", "type", "resource", "namespace", "name", "key", "knownAs", "uid", "rv",
        "initialEnd", "server", "response", "object"}},
      {"handler",
       {"informer", "listener", "type", "resource", "namespace", "name", "uid", "rv", "oldUid",
        "oldRv", "initial", "tombstone", "object"}},
      {"relist",
       {"informer", "resource", "requests", "rv", "gotRv", "items", "itemsHash", "reason"}},
      {"cache", {"informer", "rv", "items", "itemsHash"}},
      {"reconcile", {"controller", "key", "state", "result"}},
      {"runtime", {"pod", "uid", "node", "container", "action", "result"}},
      {"fault", {"id", "verb", "target", "args", "plan", "state"}},
      {"phase", {"name"}},
      {"actor", {"process", "state"}},
      {"step", {"n", "verb", "target", "args", "state", "result"}},
      {"violation", {"oracle", "message", "objects", "first"}},
      {"input",
       {"what", "connection", "stream", "method", "target", "headers", "body", "encoding"}},
      {"webhook",
       {"request", "type", "configuration", "webhook", "url", "server", "round", "state", "result",
        "message", "latency"}},
      {"log", {"stream", "level", "place", "text", "pod", "uid", "container"}}};
  return kinds;
}

const KindRow& At(sim::EventKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  KSIM_CHECK(i >= 1 && i < Kinds().size()) << "event kind " << i;
  return Kinds()[i];
}

}  // namespace

std::string_view KindName(sim::EventKind kind) { return At(kind).name; }

std::optional<sim::EventKind> ParseKind(std::string_view name) {
  for (std::size_t i = 1; i < Kinds().size(); ++i)
    if (Kinds()[i].name == name) return static_cast<sim::EventKind>(i);
  return std::nullopt;
}

const std::vector<std::string_view>& KindNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> out;
    for (std::size_t i = 1; i < Kinds().size(); ++i) out.push_back(Kinds()[i].name);
    return out;
  }();
  return names;
}

const std::vector<std::string_view>& FieldsOf(sim::EventKind kind) { return At(kind).fields; }

const std::vector<value::Atom>& FieldAtomsOf(sim::EventKind kind) {
  static const std::vector<std::vector<value::Atom>> atoms = [] {
    std::vector<std::vector<value::Atom>> out;
    for (const KindRow& row : Kinds()) out.emplace_back(row.fields.begin(), row.fields.end());
    return out;
  }();
  At(kind);  // checks the number
  return atoms[static_cast<std::size_t>(kind)];
}

}  // namespace ksim::trace
