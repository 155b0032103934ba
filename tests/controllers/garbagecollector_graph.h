// GraphFixture: a GraphBuilder alone, with a sink that writes down what it is told.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/controllers/garbagecollector/graph_builder.h"

namespace ksim::controllers {

inline ObjectIdentity Id(std::string_view api_version, std::string_view kind, std::string_view ns,
                         std::string_view name, std::string_view uid) {
  ObjectIdentity out;
  out.api_version = api_version;
  out.kind = kind;
  out.ns = ns;
  out.name = name;
  out.uid = uid;
  return out;
}

inline value::Value ReferenceTo(const ObjectIdentity& owner, bool blocks = false) {
  value::ObjectBuilder tree;
  tree.Add("apiVersion", value::Value::Of(owner.api_version));
  tree.Add("kind", value::Value::Of(owner.kind));
  tree.Add("name", value::Value::Of(owner.name));
  tree.Add("uid", value::Value::Of(owner.uid));
  tree.AddIf(blocks, "blockOwnerDeletion", value::Value::Of(true));
  return tree.Build();
}

inline api::Object MakeObject(const ObjectIdentity& id, std::vector<value::Value> references = {},
                              bool deleting = false,
                              std::vector<std::string_view> finalizers = {}) {
  using value::Value;
  value::ObjectBuilder meta;
  meta.Add("name", Value::Of(id.name)).Add("uid", Value::Of(id.uid));
  meta.AddIf(!id.ns.empty(), "namespace", Value::Of(id.ns));
  const bool owned = !references.empty();
  meta.AddIf(owned, "ownerReferences", Value::Array(std::move(references)));
  meta.AddIf(deleting, "deletionTimestamp", Value::Of("2024-01-01T00:00:00Z"));
  std::vector<Value> list;
  for (const std::string_view f : finalizers) list.push_back(Value::Of(f));
  const bool kept = !list.empty();
  meta.AddIf(kept, "finalizers", Value::Array(std::move(list)));
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of(id.api_version)},
                                           {"kind", Value::Of(id.kind)},
                                           {"metadata", meta.Build()}}));
}

class GraphFixture : public GraphBuilder::Sink {
 public:
  explicit GraphFixture(bool by_uid = false) : builder(*this, by_uid) {}

  // An informer's event. The kind's resource is not looked at.
  void Add(const ObjectIdentity& id, std::vector<value::Value> references = {},
           bool deleting = false, std::vector<std::string_view> finalizers = {}) {
    builder.Put(ResourceOf(id), api::Object(),
                MakeObject(id, std::move(references), deleting, std::move(finalizers)));
  }
  void Update(const ObjectIdentity& id, const api::Object& before, const api::Object& after) {
    builder.Put(ResourceOf(id), before, after);
  }
  void Delete(const ObjectIdentity& id, std::vector<value::Value> references = {}) {
    builder.Delete(ResourceOf(id), MakeObject(id, std::move(references)));
  }
  NodePtr Find(std::string_view uid) const { return builder.graph().Find(uid); }
  // "delete NAME", "later NAME" (rate limited), "orphan NAME", since the last call.
  std::vector<std::string> Told() { return std::exchange(told_, {}); }

  void AttemptToDelete(const NodePtr& node) override { Note("delete", node->identity); }
  void AttemptToDeleteLater(const NodePtr& node) override { Note("later", node->identity); }
  void AttemptToOrphan(const NodePtr& node) override { Note("orphan", node->identity); }
  void TellOfInvalidNamespace(const Node& dependent, const Owner& owner) override {
    told_.push_back(fmt::format("event {}: {}", dependent.identity.name,
                                owner.In(dependent.identity.ns).ToString()));
  }

  GraphBuilder builder;

 private:
  void Note(std::string_view what, const ObjectIdentity& id) {
    const std::string ns = id.ns.empty() ? "" : id.ns + "/";
    told_.push_back(fmt::format("{} {}{}", what, ns, id.name));
  }
  static api::ResourceInfo ResourceOf(const ObjectIdentity& id) {
    api::ResourceInfo info;
    const std::size_t slash = id.api_version.find('/');
    if (slash != std::string::npos) info.group = id.api_version.substr(0, slash);
    info.version = slash == std::string::npos ? id.api_version : id.api_version.substr(slash + 1);
    info.kind = id.kind;
    return info;
  }

  std::vector<std::string> told_;
};

}  // namespace ksim::controllers
