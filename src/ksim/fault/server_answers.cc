#include "ksim/fault/server_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/filters/authentication.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/filters/max_in_flight.h"

namespace ksim::fault {
namespace {

using From = AnswerFrom;
using Effect = AnswerEffect;

// storage/names/generate.go: the base is cut, and five of these letters are added
// (apimachinery pkg/util/rand alphanums).
constexpr std::size_t kLongestBase = 58, kSuffix = 5;
constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";

bool IsMaster(const api::Request& q) {
  const std::vector<std::string> groups = apiserver::Authenticate(q).groups;
  return std::find(groups.begin(), groups.end(), "system:masters") != groups.end();
}

std::int64_t Number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The resource version that the write insists on; 0: none.
std::int64_t InsistsOn(const api::Request& q) {
  if (q.verb == api::Verb::kDelete) return Number(q.del.resource_version.value_or(SharedText()));
  if (q.verb != api::Verb::kUpdate && q.verb != api::Verb::kPatch) return 0;
  if (q.body_version != 0) return q.body_version;
  return Number(q.body.Get("metadata").Get("resourceVersion").AsString());
}

// The object of a write that names it; an empty KeyValue if there is none.
store::KeyValue Stored(const api::Request& q, Cluster& cluster) {
  if (q.name.empty()) return store::KeyValue();
  const store::RangeRequest range(api::StorageKey(*q.resource, q.ns, q.name));
  const auto found = cluster.etcd().store().Range(range);
  if (!found.ok() || found->kvs.empty()) return store::KeyValue();
  return found->kvs.front();
}

// An object whose name the server could have generated for this create; "" if there is none.
std::string TakenName(const api::Request& q, Cluster& cluster) {
  const value::Value& metadata = q.body.Get("metadata");
  const std::string_view base = metadata.Get("generateName").AsString().substr(0, kLongestBase);
  if (base.empty() || !metadata.Get("name").AsString().empty()) return "";
  const std::string prefix = api::StorageKey(*q.resource, q.ns, std::string(base));
  store::RangeRequest range(prefix, store::PrefixEnd(prefix));
  range.keys_only = true;
  const auto found = cluster.etcd().store().Range(range);
  if (!found.ok()) return "";
  for (const store::KeyValue& kv : found->kvs) {
    const std::string_view suffix = kv.key().substr(prefix.size());
    if (suffix.size() == kSuffix && suffix.find_first_not_of(kSuffixLetters) == suffix.npos)
      return std::string(base) + std::string(suffix);
  }
  return "";
}

bool TriesOneName(Cluster& cluster) {
  return !apiserver::ProfileOf(cluster.apiserver_shared().compat).retry_generate_name;
}

std::string WhyNoConflict(const api::Request& q, Cluster& cluster) {
  if (q.verb == api::Verb::kCreate && !q.subresource.empty())
    return fmt::format("a {} is refused only for what the pod is", q.subresource);
  if (q.verb == api::Verb::kCreate) {
    if (q.body.Get("metadata").Get("generateName").AsString().empty())
      return "the name is not taken, or the server says so of itself";
    if (!TriesOneName(cluster)) return "this version tries eight names that it generates";
    return TakenName(q, cluster).empty() ? "no object has a name that could be generated" : "";
  }
  if (InsistsOn(q) == 0) return "the write names no resourceVersion, so nothing can be newer";
  return Stored(q, cluster) ? "" : "the object is not there";
}

std::vector<int> Codes(bool with_effect) {
  std::vector<int> codes;
  for (const ServerAnswer& answer : ServerAnswers())
    if ((!with_effect || answer.effect == Effect::kUnknown) &&
        (codes.empty() || codes.back() != answer.code))
      codes.push_back(answer.code);
  return codes;
}

}  // namespace

const std::vector<ServerAnswer>& ServerAnswers() {
  static const std::vector<ServerAnswer>& answers = *new std::vector<ServerAnswer>{
      {401, "Unauthorized", "all", "always: whose credentials are good is not ksim's to say",
       From::kFilter, Effect::kNone,
       "apiserver pkg/endpoints/filters/authentication.go WithAuthentication"},
      {403, "Forbidden", "all, but not to system:masters", "always: roles are not ksim's to say",
       From::kFilter, Effect::kNone,
       "apiserver pkg/endpoints/filters/authorization.go WithAuthorization"},
      {409, "AlreadyExists", "create with generateName, in 1.25 and 1.30",
       "an object has a name that the server could have generated", From::kHandler, Effect::kNone,
       "apiserver pkg/registry/rest/create.go CheckGeneratedNameError"},
      {409, "Conflict", "update, patch and delete with a resourceVersion",
       "the object is there, and another writer is faster", From::kHandler, Effect::kNone,
       "apiserver pkg/registry/generic/registry/store.go Update, pkg/registry/rest/delete.go "
       "BeforeDelete"},
      {429, "TooManyRequests", "all, but not to system:masters",
       "always: how much else a server has to do is not ksim's to say", From::kFilter,
       Effect::kNone,
       "apiserver pkg/server/filters/maxinflight.go tooManyRequests, priority-and-fairness.go"},
      {500, "", "all", "the write reaches etcd, which has too many to apply", From::kEtcd,
       Effect::kNone, "etcd server/etcdserver/v3_server.go processInternalRaftRequestOnce"},
      {500, "", "all", "the write reaches etcd, which hears nothing of it for 7 s", From::kEtcd,
       Effect::kUnknown, "etcd server/config/config.go ReqTimeout"},
      {504, "Timeout", "all", "the write reaches etcd, which does not answer", From::kDeadline,
       Effect::kUnknown,
       "apiserver pkg/endpoints/handlers/finisher/finisher.go FinishRequest, "
       "pkg/server/filters/timeout.go"}};
  return answers;
}

const std::vector<int>& RejectingCodes() {
  static const std::vector<int>& codes = *new std::vector<int>(Codes(false));
  return codes;
}

const std::vector<int>& UnknownCodes() {
  static const std::vector<int>& codes = *new std::vector<int>(Codes(true));
  return codes;
}

std::string WhyNeverSaid(int code, const api::Request& q, Cluster& cluster) {
  switch (code) {
    case 401:
      return "";
    case 403:
    case 429:
      return IsMaster(q) ? "system:masters are never refused" : "";
    case 409:
      return WhyNoConflict(q, cluster);
    case 500:
    case 504:
      return q.dry_run ? "a dry run writes nothing" : "";
    default:
      return fmt::format("no server answers {} by chance", code);
  }
}

std::optional<api::Status> EarlyAnswer(int code, const api::Request& q, Cluster& cluster) {
  if (code == 401) return api::Unauthorized();
  if (code == 403) return apiserver::NotAuthorized(apiserver::Authenticate(q), q);
  if (code == 429) return apiserver::TooManyInFlight();
  if (code != 409 || q.verb != api::Verb::kCreate) return std::nullopt;
  return api::GenerateNameConflict(api::GroupResource(q.resource->group, q.resource->resource),
                                   TakenName(q, cluster));
}

bool WriteFirst(const api::Request& q, Cluster& cluster, std::uint64_t cause) {
  static const value::Path kAnnotation{"metadata", "annotations", "ksim.dev/another-writer"};
  const store::KeyValue found = Stored(q, cluster);
  // A write that is too old anyway needs no help.
  if (!found || found.mod_revision() != InsistsOn(q)) return false;
  store::PutRequest put(found.key(),
                        found.value().Set(kAnnotation, value::Value::Of(fmt::format(
                                                           "since {}", found.mod_revision()))));
  put.lease = found.lease();
  store::TxnRequest txn = store::OptimisticPut(std::move(put), found.mod_revision(), false);
  txn.origin = store::WriteOrigin(sim::ActorId::Of("ksim"), 0);
  sim::Context& context = cluster.sim().context();
  const sim::Context before = context;
  context.cause = cause;
  context.background = false;
  // Cannot fail: the revision was looked at.
  (void)cluster.etcd().store().Txn(txn);
  context = before;
  return true;
}

}  // namespace ksim::fault
