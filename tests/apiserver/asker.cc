#include "tests/apiserver/asker.h"

#include <algorithm>
#include <charconv>
#include <regex>
#include <utility>
#include <vector>

#include "ksim/api/core/response_body.h"
#include "ksim/api/printing/printers.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

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
                       Verb::kDelete, Verb::kDeleteCollection, Verb::kWatch})
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
  if (name == "allowWatchBookmarks") l.allow_watch_bookmarks = text == "true";
  if (name == "timeoutSeconds") l.timeout_seconds = Number(text);
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

// Null if no such resource is served: the HTTP door has no path for it.
const api::ResourceInfo* FindResource(const api::Kinds& kinds, const Value& line) {
  const std::string_view group = line.Get("group").AsString();
  const std::string_view resource = line.Get("resource").AsString();
  const std::string_view version = line.Get("version").AsString();
  if (version.empty()) return kinds.ByResource(group, resource);
  for (const api::ResourceInfo* r : kinds.all()) {
    const bool same = r->group == group && r->resource == resource && r->version == version;
    if (same && !r->withdrawn) return r;
  }
  return nullptr;
}

// doors/http/paths.cc PageNotFound
Value NoSuchPath() {
  return value::Obj({{"code", Value::Of(404)},
                     {"body", value::Obj({{"raw", Value::Of("404 page not found\n")}})},
                     {"warnings", value::Arr({})}});
}

// Times of the recorded objects are long before it: their ages were the same when it was recorded.
VirtualTime TableTime() { return *value::ParseTimestamp("2026-11-23T00:00:00Z"); }

Value TableOf(const api::ResourceInfo& kind, Verb verb, const api::Response& response) {
  std::vector<api::Object> objects = response.items;
  if (verb == Verb::kGet) objects.push_back(response.object);
  const api::Table table = api::PrintTable(kind, objects, TableTime());
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
  api::Request r;
  r.verb = VerbOf(line.Get("verb").AsString());
  r.resource = FindResource(world_.kinds, line);
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

// Keeps the parts of the answer's body that the line names under "save".
void Asker::Keep(const Value& line, const Value& body) {
  if (!line.Get("save").is_object()) return;
  for (const auto& [name, path] : line.Get("save").members()) {
    const Value* at = &body;
    std::string_view rest = path.AsString();
    while (!rest.empty()) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      const std::string_view step = rest.substr(0, dot);
      at = at->is_array() ? &at->at(static_cast<std::size_t>(Number(step))) : &at->Get(step);
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    kept_[std::string(name.text())] = std::string(at->AsString());
  }
}

Value Asker::OpenWatch(const Value& line) {
  const api::Request request = RequestOf(line);
  if (request.resource == nullptr) return NoSuchPath();
  const std::shared_ptr<TestWatch> watch = world_.StartWatch(request);
  world_.RunUntil([&] { return watch->response.code != 0; });
  value::ObjectBuilder answer;
  answer.Add("code", Value::Of(watch->response.code));
  if (watch->response.code >= 400) answer.Add("body", watch->response.status.ToTree());
  if (watch->response.code < 400) watches_[std::string(line.Get("as").AsString())] = watch;
  return answer.Build();
}

Value Asker::EventsOf(const Value& line) {
  world_.Advance(Seconds(line.Has("seconds") ? line.Get("seconds").AsInt() : 1));
  const auto it = watches_.find(line.Get("of").AsString());
  if (it == watches_.end()) return value::Obj({});
  std::vector<Value> events;
  for (const TestWatch::Seen& seen : it->second->seen) {
    const api::WatchEvent& e = seen.event;
    const bool error = e.type == api::WatchEventType::kError;
    events.push_back(value::Obj({{"type", Value::Of(api::ToString(e.type))},
                                 {"object", error ? e.status().ToTree() : e.object.ToTree()}}));
  }
  it->second->seen.clear();
  return value::Obj(
      {{"events", Value::Array(std::move(events))}, {"ended", Value::Of(it->second->closed)}});
}

Value Asker::Compact(const Value& line) {
  const std::int64_t revision = Number(line.Get("at").AsString());
  EXPECT_TRUE(world_.store().Compact(store::CompactRequest(revision, {})).ok()) << revision;
  return value::Obj({});
}

Value Asker::Answer(const Value& line) {
  const api::Request request = RequestOf(line);
  if (request.resource == nullptr) return NoSuchPath();
  const api::Response response = world_.Do(request);
  const Value body = api::ResponseBody(*request.resource, request.verb, response);
  Keep(line, body);
  std::vector<Value> warnings;
  for (const std::string& w : response.warnings) warnings.push_back(Value::Of(w));
  value::ObjectBuilder answer;
  answer.Add("code", Value::Of(response.code)).Add("body", body);
  answer.Add("warnings", Value::Array(std::move(warnings)));
  if (line.Get("table").AsBool() && response.code == 200)
    answer.Add("table", TableOf(*request.resource, request.verb, response));
  return answer.Build();
}

Value Asker::Ask(const Value& unfilled) {
  const Value line = Filled(unfilled);
  const std::string_view verb = line.Get("verb").AsString();
  if (verb == "wait") {
    world_.Advance(Seconds(line.Get("seconds").AsInt()));
    return value::Obj({});
  }
  if (verb == "compact") return Compact(line);
  if (verb == "watch") return OpenWatch(line);
  const bool events = verb == "events";
  Value answer = events ? EventsOf(line) : Answer(line);
  if (events ? answer.empty() : !line.Get("versions").AsBool()) return answer;
  Value versions = VersionsIn(answer, kept_);
  return answer.Set("versions", std::move(versions));
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
  static const std::regex kCurrent("current: [0-9]+");
  static const std::regex kOldest("version: [0-9]+ \\([0-9]+\\)");
  text = std::regex_replace(text, kCurrent, "current: N");
  text = std::regex_replace(text, kOldest, "version: N (N)");
  // Structs of definitions, which ksim shows as JSON (docs/fidelity.md).
  static const std::regex kStruct(
      R"(Invalid value: (\[\{.*\}\]|\[\]apiextensions\..*\}|\{".*\}|apiextensions\.JSON.*\}): )"
      R"((must have exactly|must contain unique|only \[Description))");
  if (text.find("must have exactly one") != text.npos ||
      text.find("must contain unique version") != text.npos ||
      text.find("only [Description") != text.npos)
    text = std::regex_replace(text, kStruct, "Invalid value: STRUCT: $2");
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
         field == "continue" || field == "deletionTimestamp" || field == "lastTransitionTime";
}

// A column of a custom kind that finds nothing is null, which is printed as nothing.
Value CellText(const Value& cell) { return cell.AsString() == "<nil>" ? Value::Of("") : cell; }

bool IsTimeColumn(const Value& column) {
  const std::string_view name = column.Get("name").AsString();
  return name == "Age" || name == "Created At";
}

// A table without the cells of the column Age, which count from the time of creation.
Value WithoutAges(const Value& table) {
  const Value& columns = table.Get("columns");
  std::vector<Value> rows;
  for (const Value& row : table.Get("rows").items()) {
    std::vector<Value> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(IsTimeColumn(columns.at(i)) ? Value::Of("-") : CellText(row.at(i)));
    rows.push_back(Value::Array(std::move(cells)));
  }
  return table.Set("rows", Value::Array(std::move(rows)));
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
                     : Comparable(field == "table" ? WithoutAges(child) : child);
    const bool no_port = field == "Port" && kept.is_int() && kept.AsInt() == 0;  // of a kubelet
    const bool nothing = no_port || kept.is_null() ||
                         (kept.is_string() && kept.AsString().empty()) ||
                         (kept.is_object() && kept.empty());
    if (!nothing) out.Add(field, std::move(kept));
  }
  return out.Build();
}

namespace {

// The causes of a Status as its message has them, sorted.
std::vector<std::string> SortedCauses(const Value& causes) {
  std::vector<std::string> texts;
  for (const Value& cause : causes.items())
    texts.push_back(std::string(cause.Get("field").AsString()) + ": " +
                    std::string(cause.Get("message").AsString()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

// A message that lists exactly these causes, in whatever order, with them sorted; any other as it
// is.
std::string WithSortedList(std::string message, std::vector<std::string> texts) {
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  const std::size_t open = message.find(" is invalid: [");
  if (open == message.npos) return message;
  std::string rest = message.substr(open), sorted;
  std::vector<std::string> longest = texts;
  std::sort(longest.begin(), longest.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  for (const std::string& text : longest) {
    const std::size_t at = rest.find(text);
    if (at == rest.npos) return message;
    rest.erase(at, text.size());
  }
  for (const std::string& text : texts) sorted += "\n" + text;
  return message.substr(0, open) + rest + sorted;
}

bool HasApproval(const Value& conditions) {
  const auto all = conditions.items();
  return std::any_of(all.begin(), all.end(), [](const Value& c) {
    return c.Get("type").AsString() == "KubernetesAPIApprovalPolicyConformant";
  });
}

Value SortedItems(const Value& list) {
  std::vector<Value> items(list.items().begin(), list.items().end());
  std::sort(items.begin(), items.end(),
            [](const Value& a, const Value& b) { return value::ToJson(a) < value::ToJson(b); });
  return Value::Array(std::move(items));
}

}  // namespace

Value WithoutMapOrder(const Value& answer) {
  static const value::Path kCauses{"body", "details", "causes"}, kMessage{"body", "message"};
  static const value::Path kConditions{"body", "status", "conditions"};
  if (HasApproval(answer.Get(kConditions)))
    return answer.Set(kConditions, SortedItems(answer.Get(kConditions)));
  const Value& causes = answer.Get(kCauses);
  if (causes.size() < 2) return answer;
  const std::string message(answer.Get(kMessage).AsString());
  return answer.Set(kMessage, Value::Of(WithSortedList(message, SortedCauses(causes))))
      .Set(kCauses, SortedItems(causes));
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
