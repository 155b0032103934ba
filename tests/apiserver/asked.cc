#include "tests/apiserver/asked.h"

#include <algorithm>
#include <charconv>
#include <regex>
#include <utility>
#include <vector>

#include "ksim/api/printers.h"
#include "ksim/api/response_body.h"

namespace ksim::apiserver {

using api::Verb;
using value::Value;

namespace {

std::int64_t Number(std::string_view text) {
  std::int64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

Verb VerbOf(std::string_view name) {
  for (const Verb v : {Verb::kGet, Verb::kList, Verb::kCreate, Verb::kUpdate, Verb::kPatch,
                       Verb::kDelete, Verb::kDeleteCollection})
    if (api::ToString(v) == name) return v;
  ADD_FAILURE() << "no verb: " << name;
  return Verb::kGet;
}

api::PatchType PatchOf(std::string_view name) {
  if (name == "json") return api::PatchType::kJson;
  if (name == "strategic") return api::PatchType::kStrategic;
  if (name == "apply") return api::PatchType::kApply;
  return api::PatchType::kMerge;
}

void TakeQuery(std::string_view name, std::string_view text, api::Request* r) {
  api::ListOptions& l = r->list;
  if (name == "dryRun") r->dry_run = true;
  if (name == "fieldManager") r->field_manager = text;
  if (name == "fieldValidation") r->field_validation = text;
  if (name == "force") r->force = text == "true";
  if (name == "labelSelector") l.label_selector = text;
  if (name == "fieldSelector") l.field_selector = text;
  if (name == "resourceVersion") l.resource_version = text;
  if (name == "resourceVersionMatch") l.resource_version_match = text;
  if (name == "limit") l.limit = Number(text);
  if (name == "continue") l.continue_token = text;
  if (name == "sendInitialEvents") l.send_initial_events = text == "true";
}

void TakeDeleteOptions(const Value& body, api::Request* r) {
  if (!body.Get("gracePeriodSeconds").is_null())
    r->del.grace_period_seconds = body.Get("gracePeriodSeconds").AsInt();
  r->del.propagation_policy = body.Get("propagationPolicy").AsString();
  if (!body.Get("dryRun").empty()) r->dry_run = true;
  if (!body.Get("orphanDependents").is_null())
    r->del.orphan_dependents = body.Get("orphanDependents").AsBool();
  const Value& conditions = body.Get("preconditions");
  if (conditions.Get("uid").is_string()) r->del.uid = SharedText(conditions.Get("uid").AsString());
  if (conditions.Get("resourceVersion").is_string())
    r->del.resource_version = SharedText(conditions.Get("resourceVersion").AsString());
}

Value TableOf(const api::ResourceInfo& kind, const api::Response& response) {
  std::vector<api::Object> objects = response.items;
  if (objects.empty()) objects.push_back(response.object);
  const api::Table table = api::PrintTable(kind, objects, VirtualTime());
  std::vector<Value> columns, rows;
  for (const api::TableColumn& c : table.columns)
    columns.push_back(
        value::Obj({{"name", Value::Of(c.name)}, {"priority", Value::Of(c.priority)}}));
  for (const auto& row : table.rows) {
    std::vector<Value> cells;
    for (const std::string& cell : row) cells.push_back(Value::Of(cell));
    rows.push_back(Value::Array(std::move(cells)));
  }
  return value::Obj(
      {{"columns", Value::Array(std::move(columns))}, {"rows", Value::Array(std::move(rows))}});
}

}  // namespace

Value Asker::Filled(const Value& v) const {
  if (v.is_string() && v.AsString().starts_with("$")) {
    const auto it = kept_.find(v.AsString().substr(1));
    return it == kept_.end() ? v : Value::Of(it->second);
  }
  if (v.is_object()) {
    Value out = v;
    for (const auto& [name, child] : v.members()) {
      Value filled = Filled(child);
      if (!(filled == child)) out = out.Set(name.text(), std::move(filled));
    }
    return out;
  }
  if (!v.is_array()) return v;
  std::vector<Value> items;
  for (std::size_t i = 0; i < v.size(); ++i) items.push_back(Filled(v.at(i)));
  return Value::Array(std::move(items));
}

api::Request Asker::RequestOf(const Value& line) const {
  const std::string_view group = line.Get("group").AsString();
  api::Request r;
  r.verb = VerbOf(line.Get("verb").AsString());
  r.resource = world_.kinds.ByResource(group, line.Get("resource").AsString());
  EXPECT_NE(r.resource, nullptr) << line.Get("resource").AsString();
  r.ns = line.Get("ns").AsString();
  r.name = line.Get("name").AsString();
  r.subresource = line.Get("sub").AsString();
  r.user = line.Get("user").is_null() ? "system:admin" : line.Get("user").AsString();
  r.client = "test";
  r.user_agent = "asker";
  r.actor = sim::ActorId::Of("test");
  r.patch_type = PatchOf(line.Get("patch").AsString());
  const Value& query = line.Get("query");
  if (query.is_object())
    for (const auto& [name, text] : query.members()) TakeQuery(name.text(), text.AsString(), &r);
  r.body = line.Get("body");
  const bool deletes = r.verb == Verb::kDelete || r.verb == Verb::kDeleteCollection;
  if (deletes && r.body.is_object()) TakeDeleteOptions(std::exchange(r.body, Value()), &r);
  return r;
}

Value Asker::Ask(const Value& unfilled) {
  const Value line = Filled(unfilled);
  const api::Request request = RequestOf(line);
  if (request.resource == nullptr) return Value();
  const api::Response response = world_.Do(request);
  const Value body = api::ResponseBody(*request.resource, request.verb, response);
  if (line.Get("save").is_object())
    for (const auto& [name, path] : line.Get("save").members()) {
      const Value* at = &body;
      std::string_view rest = path.AsString();
      while (!rest.empty()) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        at = &at->Get(rest.substr(0, dot));
        rest.remove_prefix(std::min(dot + 1, rest.size()));
      }
      kept_[std::string(name.text())] = std::string(at->AsString());
    }
  std::vector<Value> warnings;
  for (const std::string& w : response.warnings) warnings.push_back(Value::Of(w));
  value::ObjectBuilder answer;
  answer.Add("code", Value::Of(response.code)).Add("body", body);
  answer.Add("warnings", Value::Array(std::move(warnings)));
  if (line.Get("table").AsBool() && response.code == 200)
    answer.Add("table", TableOf(*request.resource, response));
  return answer.Build();
}

namespace {

// kube-api-access-x7xq2, and uids and resource versions within texts; where a scheme was made,
// which is another line in every build; the object that a patch made, whose fields Go prints in an
// order of its own; and how a pod differs, which docs/fidelity.md names.
std::string Masked(std::string text) {
  static const std::regex kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex kToken("kube-api-access-[a-z0-9]{5}");
  static const std::regex kVersion(
      "(ResourceVersion in object meta:|in the precondition|the ResourceVersion in record) "
      "\\(?[0-9]+\\)?");
  static const std::regex kScheme("in scheme \"[^\"]*\"");
  text = std::regex_replace(std::regex_replace(text, kUid, "UID"), kToken, "kube-api-access-T");
  text = std::regex_replace(text, kScheme, "in scheme S");
  text = std::regex_replace(text, kVersion, "$1 N");
  constexpr std::string_view kPatch = "Invalid value: \"{", kEnd = "}\": ";
  constexpr std::string_view kPodUpdates = "if it was previously negative)\n";
  const std::size_t from = text.find(kPatch), to = text.rfind(kEnd);
  if (from != text.npos && to != text.npos && to > from)
    text.replace(from, to + kEnd.size() - from, "Invalid value: OBJECT: ");
  const std::size_t pod = text.find(kPodUpdates);
  return pod == text.npos ? text : text.substr(0, pod + kPodUpdates.size());
}

bool DiffersEachTime(std::string_view field) {
  return field == "resourceVersion" || field == "uid" || field == "creationTimestamp" ||
         field == "deletionTimestamp" || field == "lastTransitionTime";
}

}  // namespace

Value Comparable(const Value& v) {
  if (v.is_string()) return Value::Of(Masked(std::string(v.AsString())));
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(Comparable(item));
    return Value::Array(std::move(items));
  }
  if (!v.is_object()) return v;
  value::ObjectBuilder out;
  for (const auto& [name, child] : v.members()) {
    const std::string_view field = name.text();
    if (field == "managedFields") continue;
    Value kept = DiffersEachTime(field) && child.is_string() && !child.AsString().empty()
                     ? Value::Of("-")
                     : Comparable(child);
    const bool nothing = kept.is_null() || (kept.is_string() && kept.AsString().empty()) ||
                         (kept.is_object() && kept.empty());
    if (!nothing) out.Add(field, std::move(kept));
  }
  return out.Build();
}

std::string Versions::Of(const Value& answer) {
  const Value& body = answer.Get("body");
  const Value& metadata = body.Get("metadata");
  const std::string version(metadata.Get("resourceVersion").AsString());
  if (version.empty() || metadata.Get("name").is_null()) return "";
  std::string object;
  for (const Value& part : {body.Get("kind"), metadata.Get("namespace"), metadata.Get("name")})
    object.append(part.AsString()).append("/");
  std::vector<std::string>& seen = seen_[object];
  const auto at = std::find(seen.begin(), seen.end(), version);
  const auto number = at - seen.begin();
  if (at == seen.end()) seen.push_back(version);
  return std::to_string(number);
}

}  // namespace ksim::apiserver
