#include "ksim/check/invariant_tree.h"

#include <fmt/format.h>

#include "ksim/check/oracle.h"

namespace ksim::check {
namespace {

using value::ObjectBuilder;
using value::Value;

constexpr InvariantKind kKinds[] = {InvariantKind::kAlways,     InvariantKind::kNever,
                                    InvariantKind::kEventually, InvariantKind::kFinally,
                                    InvariantKind::kLeadsTo,    InvariantKind::kStable};

Value DurationTree(Duration d) { return Value::Of(FormatDuration(d)); }

Duration DurationAt(const Value& tree, std::string_view field) {
  return ParseDuration(tree.Get(field).AsString()).value_or(Duration());
}

std::string TextAt(const Value& tree, std::string_view field) {
  return std::string(tree.Get(field).AsString());
}

Value ForTree(const Invariant& i) {
  ObjectBuilder out;
  out.Add("resource", Value::Of(ResourceOf(i)));
  out.AddIf(!i.ns.empty(), "namespace", Value::Of(i.ns));
  out.AddIf(!i.object.empty(), "name", Value::Of(i.object));
  out.AddIf(!i.selector.empty(), "selector", Value::Of(i.selector));
  return out.Build();
}

Value LeadsToTree(const Invariant& i) {
  ObjectBuilder out;
  out.Add("when", Value::Of(i.expression)).Add("then", Value::Of(i.then));
  if (i.within) out.Add("within", DurationTree(*i.within));
  return out.Build();
}

Value StableTree(const Invariant& i) {
  ObjectBuilder out;
  out.Add("writes", Value::Of(i.writes)).Add("after", DurationTree(i.after));
  out.AddIf(!i.by.empty(), "by", Value::Of(i.by));
  return out.Build();
}

Invariant FromTree(const Value& tree) {
  Invariant i;
  i.name = TextAt(tree, "name");
  const Value& objects = tree.Get("for");
  const std::string_view resource = objects.Get("resource").AsString();
  const std::size_t dot = resource.find('.');
  i.resource = resource.substr(0, dot);
  if (dot != std::string_view::npos) i.group = resource.substr(dot + 1);
  i.ns = TextAt(objects, "namespace");
  i.object = TextAt(objects, "name");
  i.selector = TextAt(objects, "selector");
  for (const InvariantKind kind : kKinds)
    if (tree.Has(ToString(kind))) i.kind = kind;
  const Value& what = tree.Get(ToString(i.kind));
  i.expression = i.kind == InvariantKind::kLeadsTo ? TextAt(what, "when") : what.AsString();
  i.then = TextAt(what, "then");
  if (what.Has("within")) i.within = DurationAt(what, "within");
  i.writes = what.Get("writes").AsInt();
  i.after = DurationAt(what, "after");
  i.by = TextAt(what, "by");
  return i;
}

}  // namespace

std::string_view ToString(InvariantKind kind) {
  static constexpr std::string_view kNames[] = {"always",  "never",   "eventually",
                                                "finally", "leadsTo", "stable"};
  return kNames[static_cast<int>(kind)];
}

std::string OracleOf(const Invariant& invariant) {
  return std::string(kInvariantPrefix) + invariant.name;
}

std::string ResourceOf(const Invariant& i) {
  return i.group.empty() ? i.resource : i.resource + "." + i.group;
}

std::string ObjectsInWords(const Invariant& i) {
  std::string out = ResourceOf(i);
  if (!i.object.empty()) out += "/" + i.object;
  if (!i.ns.empty()) out += " in " + i.ns;
  if (!i.selector.empty()) out += " with " + i.selector;
  return out;
}

Value ToTree(const Invariant& i) {
  ObjectBuilder out;
  out.Add("name", Value::Of(i.name)).Add("for", ForTree(i));
  const Value what = i.kind == InvariantKind::kLeadsTo  ? LeadsToTree(i)
                     : i.kind == InvariantKind::kStable ? StableTree(i)
                                                        : Value::Of(i.expression);
  out.Add(ToString(i.kind), what);
  return out.Build();
}

std::vector<Invariant> InvariantsFromTree(const Value& list) {
  std::vector<Invariant> out;
  for (const Value& tree : list.items()) out.push_back(FromTree(tree));
  return out;
}

}  // namespace ksim::check
