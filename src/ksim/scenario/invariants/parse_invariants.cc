// ParseInvariants of parse.h.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/check/invariant_tree.h"
#include "ksim/check/invariants/expression.h"
#include "ksim/scenario/parse.h"
#include "ksim/value/selector.h"

namespace ksim::scenario {
namespace {

using check::Invariant;
using check::InvariantKind;
using value::YamlNode;

constexpr InvariantKind kKinds[] = {InvariantKind::kAlways,     InvariantKind::kNever,
                                    InvariantKind::kEventually, InvariantKind::kFinally,
                                    InvariantKind::kLeadsTo,    InvariantKind::kStable};
constexpr std::size_t kLongestName = 63;

bool IsDnsLabel(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto fits = [&plain](char c) { return plain(c) || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && plain(name.front()) &&
         plain(name.back()) && std::all_of(name.begin(), name.end(), fits);
}

// The resource, by whatever name. One with a group of somebody's own may be defined in the run.
const api::ResourceInfo* ResourceOf(ParseContext& context, const std::string& type,
                                    const Span& span) {
  const std::size_t dot = type.find('.');
  const bool own = dot != std::string::npos && type.find('.', dot + 1) != std::string::npos;
  if (context.kinds.ByName(type) != nullptr || !own) return FindResource(context, type, span);
  return context.kinds.AddResource(type.substr(dot + 1), type.substr(0, dot));
}

void ReadObjects(ParseContext& context, MappingReader& reader, Invariant* i) {
  std::string type = reader.RequiredString("resource");
  const std::size_t slash = type.find('/');
  if (slash != std::string::npos) i->object = type.substr(slash + 1);
  type.resize(std::min(slash, type.size()));
  i->ns = reader.String("namespace");
  i->object = reader.String("name", i->object);
  i->selector = reader.String("selector");
  if (const auto s = value::LabelSelector::Parse(i->selector); !s.ok())
    context.problems.Error(reader.Find("selector")->span,
                           fmt::format("bad selector: {}", Message(s.status())));
  if (type.empty()) return;
  const api::ResourceInfo* info = ResourceOf(context, type, reader.Find("resource")->span);
  if (info == nullptr) return;
  CheckIsStored(context, type, reader.Find("resource")->span,
                "objects are judged as they are stored");
  i->resource = info->resource;
  if (info->builtin_number == api::ResourceInfo::kNotBuiltin) i->group = info->group;
  if (!info->namespaced && !i->ns.empty())
    context.problems.Error(reader.Find("namespace")->span,
                           fmt::format("{} are in no namespace", info->resource));
}

// The place in the file of a place in a scalar's text, where the file has the text as it is: a
// string on one line, or a block.
Span PlaceIn(const value::YamlFile& file, const YamlNode& node, int line, int column) {
  if (line <= 0 || node.span.line <= 0) return node.span;
  std::string_view text = node.text;
  for (int l = 1; l < line; ++l) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const bool block = node.text.find('\n') != std::string::npos;
  const std::size_t begin = static_cast<std::size_t>(node.span.line + line - (block ? 1 : 2));
  for (std::size_t n = begin; n < file.lines.size() && n < begin + 2; ++n) {
    const std::string& source = file.lines[n];
    const std::size_t at = text.empty() ? std::string::npos : source.rfind(text);
    if (at == std::string::npos) continue;
    const auto points =
        std::count_if(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char c) { return (c & 0xC0) != 0x80; });
    Span out;
    out.line = out.end_line = static_cast<int>(n) + 1;
    out.column = static_cast<int>(points) + column;
    out.end_column = out.column + 1;
    return out;
  }
  return node.span;
}

void ReportExpression(ParseContext& context, const YamlNode& node, const std::string& path,
                      const check::ExpressionProblem& problem) {
  context.problems.Error(PlaceIn(*context.file, node, problem.line, problem.column),
                         fmt::format("{}: {}", path, problem.message), problem.hint);
}

void CheckExpressions(ParseContext& context, MappingReader& reader, const Invariant& i) {
  for (const check::FieldProblem& p : check::ProblemsOf(i)) {
    const YamlNode* node = &reader.node();
    std::string_view path = p.field;
    while (node != nullptr && !path.empty()) {
      const std::string_view word = path.substr(0, path.find('.'));
      node = node->Find(word);
      path.remove_prefix(std::min(path.size(), word.size() + 1));
    }
    // A field that is missing, or no string, has been reported.
    if (node == nullptr || !node->ToValue().is_string()) continue;
    ReportExpression(context, *node, reader.PathTo(p.field), p.problem);
  }
}

void ReadLeadsTo(ParseContext& context, const YamlNode& node, const std::string& where,
                 Invariant* i) {
  MappingReader reader(context.problems, node, LeadsToType(), where);
  if (!reader.is_mapping()) return;
  i->expression = reader.RequiredString("when");
  i->then = reader.RequiredString("then");
  i->within = reader.OptionalDuration("within");
}

void ReadStable(ParseContext& context, const YamlNode& node, const std::string& where,
                Invariant* i) {
  MappingReader reader(context.problems, node, StableType(), where);
  if (!reader.is_mapping()) return;
  i->writes = reader.Integer("writes", 0, 0);
  i->after = reader.DurationOf("after", Duration());
  i->by = reader.String("by");
}

// The word of an invariant; nothing if it has none, or several.
std::optional<InvariantKind> KindOf(const MappingReader& reader) {
  std::optional<InvariantKind> out;
  for (const InvariantKind kind : kKinds) {
    if (!reader.Has(ToString(kind))) continue;
    if (out) return std::nullopt;
    out = kind;
  }
  return out;
}

void ReadKind(ParseContext& context, MappingReader& reader, Invariant* i) {
  const std::optional<InvariantKind> kind = KindOf(reader);
  if (!kind) {
    context.problems.Error(
        reader.node().span,
        fmt::format("{} wants one of always, never, eventually, finally, leadsTo and stable",
                    reader.where()));
    return;
  }
  i->kind = *kind;
  const std::string_view word = ToString(*kind);
  if (*kind == InvariantKind::kLeadsTo)
    ReadLeadsTo(context, *reader.Find(word), reader.PathTo(word), i);
  else if (*kind == InvariantKind::kStable)
    ReadStable(context, *reader.Find(word), reader.PathTo(word), i);
  else
    i->expression = reader.RequiredString(word);
  CheckExpressions(context, reader, *i);
}

void ReadName(ParseContext& context, MappingReader& reader, std::set<std::string>* names,
              Invariant* i) {
  i->name = reader.RequiredString("name");
  if (i->name.empty()) return;
  const Span& span = reader.Find("name")->span;
  if (!IsDnsLabel(i->name))
    context.problems.Error(
        span, fmt::format("{}: \"{}\" is no DNS label", reader.PathTo("name"), i->name),
        "small letters, digits and dashes: one-config-map");
  else if (!names->insert(i->name).second)
    context.problems.Error(span, fmt::format("a second invariant with the name {}", i->name));
}

std::optional<Invariant> ParseInvariant(ParseContext& context, const YamlNode& node,
                                        const std::string& where, std::set<std::string>* names) {
  MappingReader reader(context.problems, node, InvariantType(), where);
  if (!reader.is_mapping()) return std::nullopt;
  Invariant i;
  i.span = node.span;
  ReadName(context, reader, names, &i);
  if (const YamlNode* objects = reader.Find("for")) {
    MappingReader selection(context.problems, *objects, SelectionType(), reader.PathTo("for"));
    if (selection.is_mapping()) ReadObjects(context, selection, &i);
  } else {
    context.problems.Error(node.span, reader.PathTo("for") + " is missing",
                           "say which objects it is about: for: {resource: configmaps}");
  }
  ReadKind(context, reader, &i);
  return i;
}

}  // namespace

std::vector<Invariant> ParseInvariants(ParseContext& context, MappingReader& reader) {
  std::vector<Invariant> out;
  std::set<std::string> names;
  std::size_t index = 0;
  for (const YamlNode* node : reader.List("invariants")) {
    const std::string where = fmt::format("{}[{}]", reader.PathTo("invariants"), index++);
    if (auto i = ParseInvariant(context, *node, where, &names)) out.push_back(*std::move(i));
  }
  return out;
}

}  // namespace ksim::scenario
