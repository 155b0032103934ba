#include "ksim/cli/story/process_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ksim/api/core/request_uri.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/schema/go_order.h"
#include "ksim/apiserver/core/audit_event.h"
#include "ksim/apiserver/doors/http/discovery.h"
#include "ksim/apiserver/doors/http/openapi.h"
#include "ksim/apiserver/doors/http/paths.h"
#include "ksim/base/hash.h"
#include "ksim/cli/story/reflector_lines.h"
#include "ksim/client/core/payloads.h"
#include "ksim/kubectl/printing/http_texts.h"
#include "ksim/kubectl/printing/klog.h"
#include "ksim/trace/events.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::cli {
namespace {

using api::Verb;
using kubectl::IndentedGoJson;
using kubectl::KlogHead;
using kubectl::Method;
using value::Value;

constexpr std::int64_t kFirstPid = 1001;  // of the first command; the others count on
constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

constexpr const char* kServer = "192.168.0.2:6443";  // the address of every API server

// The feature gates of client-go 0.36, of which kubectl tells.
constexpr std::pair<const char*, bool> kGates[] = {{"AtomicFIFO", true},
                                                   {"ClientsAllowCARotation", true},
                                                   {"ClientsAllowCBOR", false},
                                                   {"ClientsAllowTLSCacheGC", true},
                                                   {"ClientsPreferCBOR", false},
                                                   {"InOrderInformers", true},
                                                   {"InOrderInformersBatchProcess", true},
                                                   {"InformerResourceVersion", true},
                                                   {"UnlockWhileProcessingFIFO", true},
                                                   {"WatchListClient", true}};

// The caller of client-go for a request of kubectl in 1.36 (cli-runtime pkg/resource/helper.go,
// client-go scale/client.go).
const char* CallerOf(const api::Request& r) {
  if (r.subresource == "scale") return r.verb == Verb::kPatch ? "client.go:232" : "client.go:168";
  switch (r.verb) {
    case Verb::kCreate:
      return "helper.go:246";
    case Verb::kPatch:
      return "helper.go:269";
    case Verb::kUpdate:
      return "helper.go:319";
    case Verb::kDelete:
    case Verb::kDeleteCollection:
      return "helper.go:202";
    case Verb::kList:
      return "helper.go:113";
    default:
      return "helper.go:105";
  }
}

// The headers of an answer with those that every answer has, by name.
kubectl::HttpExchange::Fields WithCommonHeaders(kubectl::HttpExchange::Fields headers,
                                                std::string audit_id, VirtualTime now) {
  headers.emplace_back("Audit-Id", std::move(audit_id));
  headers.emplace_back("Date", value::FormatRfc1123(now, "GMT"));
  // A cluster's administrator is exempt from priority and fairness.
  headers.emplace_back("X-Kubernetes-Pf-Flowschema-Uid",
                       apiserver::HashedUuid("flowschema/exempt"));
  headers.emplace_back("X-Kubernetes-Pf-Prioritylevel-Uid",
                       apiserver::HashedUuid("prioritylevel/exempt"));
  std::stable_sort(headers.begin(), headers.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return headers;
}

bool Validates(std::string_view verb) {
  return verb == "create" || verb == "apply" || verb == "replace";
}

// Kubectl's options of a deletion go in the body.
Value DeleteBody(const api::DeleteOptions& o) {
  value::ObjectBuilder body;
  if (o.grace_period_seconds) body.Add("gracePeriodSeconds", Value::Int(*o.grace_period_seconds));
  if (o.uid) body.Add("preconditions", value::Obj({{"uid", Value::Of(*o.uid)}}));
  if (o.orphan_dependents) body.Add("orphanDependents", Value::Of(*o.orphan_dependents));
  body.AddIf(!o.propagation_policy.empty(), "propagationPolicy", Value::Of(o.propagation_policy));
  return body.Build();
}

// A patch goes as its bytes, an object through an encoder, which ends it with a newline.
std::string BodyOf(const api::Request& r) {
  if (r.verb == Verb::kDelete || r.verb == Verb::kDeleteCollection)
    return value::ToJson(DeleteBody(r.del)) + "\n";
  if (r.body.is_null()) return "";
  return value::ToJson(r.WholeBody()) + (r.verb == Verb::kPatch ? "" : "\n");
}

std::string Path(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

kubectl::HttpExchange ExchangeOf(const client::RequestPayload& p) {
  kubectl::HttpExchange x;
  x.method = Method(p.request.verb);
  x.url = kubectl::UrlOf(p.server, api::RequestUri(p.request));
  x.caller = CallerOf(p.request);
  return x;
}

}  // namespace

ProcessLog::ProcessLog(std::string process, int level, const sim::Simulation& sim,
                       const api::Kinds& kinds, api::Compat compat)
    : process_(std::move(process)),
      level_(level),
      sim_(sim),
      kinds_(kinds),
      compat_(compat),
      profile_(kubectl::ProfileOf(compat)) {}

void ProcessLog::Take(const sim::Event& e) {
  last_seq_ = e.seq;
  if (level_ < kTellsRequests) return;
  if (e.kind == sim::EventKind::kStep && process_ == "kubectl") TakeStep(e);
  if (e.kind == sim::EventKind::kRequest) TakeRequest(e);
  if (e.kind == sim::EventKind::kResponse) TakeResponse(e);
}

void ProcessLog::Hear(const client::CacheMoment& moment) {
  for (const ReflectorLine& line : LinesOfMoment(moment, process_, compat_))
    if (line.level <= level_)
      Add(last_seq_,
          fmt::format("{}{}\n", KlogHead(sim_.now(), runs_[0].pid, line.place, line.severity),
                      line.text));
}

void ProcessLog::TakeStep(const sim::Event& e) {
  const auto& step = e.payload.As<trace::StepPayload>();
  if (!step.begin) return TellError(e, runs_[step.number], step.result);
  Run run;
  run.pid = kFirstPid + step.number - 1;
  run.verb = step.verb;
  run.asked = false;
  runs_[step.number] = std::move(run);
  run_of_[e.seq] = last_begun_ = step.number;
}

ProcessLog::Run& ProcessLog::RunOf(const sim::Event& e) {
  const auto found = run_of_.find(e.cause);
  const std::int64_t number = found == run_of_.end() ? last_begun_ : found->second;
  run_of_[e.seq] = number;
  return runs_[number];
}

void ProcessLog::TakeRequest(const sim::Event& e) {
  const auto& p = e.payload.As<client::RequestPayload>();
  const api::Request& r = p.request;
  if (r.client != process_) return;
  Run& run = RunOf(e);
  if (!std::exchange(run.asked, true)) AskBefore(e, run, p);
  sent_[r.id] = e.payload;
  kubectl::HttpExchange x = ExchangeOf(p);
  x.sent = BodyOf(r);
  x.request.emplace_back("Accept", "application/json");
  if (!x.sent.empty()) {
    const bool patch = r.verb == Verb::kPatch;
    x.request.emplace_back(
        "Content-Type", patch ? std::string(api::ContentType(r.patch_type)) : "application/json");
  }
  x.request.emplace_back("User-Agent", UserAgent());
  Ask(e, run, x, p.server);
}

void ProcessLog::TakeResponse(const sim::Event& e) {
  const auto& p = e.payload.As<client::ResponsePayload>();
  const auto it = sent_.find(p.id);
  if (it == sent_.end()) return;
  const sim::PayloadRef sent = std::move(it->second);
  sent_.erase(it);
  const auto& request = sent.As<client::RequestPayload>();
  kubectl::HttpExchange x = ExchangeOf(request);
  x.code = p.code;
  x.milliseconds = p.latency.ns() / 1'000'000;
  if (!p.object.empty())
    x.answer =
        api::ToGoJson(api::GoForm(*request.request.resource, p.object.ToTree(), compat_)) + "\n";
  if (x.answer.empty() && p.code >= 400) x.answer = api::ToGoJson(p.status.ToTree()) + "\n";
  if (p.code != 0) {
    x.response = {{"Cache-Control", "no-cache, private"}, {"Content-Type", "application/json"}};
    if (!x.answer.empty())
      x.response.emplace_back("Content-Length", fmt::format("{}", x.answer.size()));
    if (p.code >= 400 && p.status.details->retry_after_seconds > 0)
      x.response.emplace_back("Retry-After",
                              fmt::format("{}", p.status.details->retry_after_seconds));
    x.response =
        WithCommonHeaders(std::move(x.response), apiserver::AuditId(request.server, p.id), e.time);
  }
  Run& run = RunOf(e);
  Answer(e, run, x);
  if (p.code >= 400) run.refusal = p.status.ToTree();
}

// --- before the first request ---

void ProcessLog::AskBefore(const sim::Event& e, Run& run, const client::RequestPayload& p) {
  TellConfig(e, run);
  if (Validates(run.verb)) {
    Fetch(e, run, p.server, "/openapi/v3?timeout=32s", "application/json, */*", "client.go:46");
    const api::ResourceInfo& resource = *p.request.resource;
    const Value document =
        apiserver::http::OpenApiDocument({kinds_, compat_}, resource.group, resource.version);
    Fetch(e, run, p.server,
          fmt::format("/openapi/v3/{}?hash={}&timeout=32s", Path(resource.group, resource.version),
                      apiserver::http::OpenApiHash(document)),
          "application/json", "groupversion.go:75");
  }
  if (std::exchange(discovered_, true))
    TellCachedDiscovery(e, run, p.server);
  else
    AskDiscovery(e, run, p.server);
}

void ProcessLog::AskDiscovery(const sim::Event& e, Run& run, std::string_view server) {
  Fetch(e, run, server, "/api?timeout=32s", kAggregated, "discovery_client.go:255");
  Fetch(e, run, server, "/apis?timeout=32s", kAggregated, "discovery_client.go:318");
}

void ProcessLog::TellCachedDiscovery(const sim::Event& e, const Run& run, std::string_view server) {
  if (level_ < 10) return;
  const std::string folder =
      fmt::format("returning cached discovery info from /.kube/cache/discovery/{}_6443/", server);
  Line(e, run, profile_.logs_cached_groups, folder + "servergroups.json");
  const auto line = [&](std::string_view group_version) {
    Line(e, run, profile_.logs_cached_resources,
         fmt::format("{}{}/serverresources.json", folder, group_version));
  };
  line("v1");
  const api::ServedKinds served(kinds_, compat_);
  const Value groups = apiserver::http::ApiGroupList(served);
  for (const Value& group : groups.Get("groups").items())
    for (const Value& version : group.Get("versions").items())
      line(version.Get("groupVersion").AsString());
}

// Tells of a GET that the simulated kubectl leaves out, with the answer of the server's door.
void ProcessLog::Fetch(const sim::Event& e, Run& run, std::string_view server,
                       const std::string& target, const char* accept, const char* caller) {
  apiserver::http::HttpRequest http;
  http.method = "GET";
  http.target = target;
  http.headers.Add("Accept", accept);
  const std::optional<apiserver::http::Url> url = apiserver::http::ParseTarget(target);
  const apiserver::http::HttpResponse answer =
      apiserver::http::Paths(kinds_, compat_).Serve(http, *url);
  kubectl::HttpExchange x;
  x.method = "GET";
  x.url = kubectl::UrlOf(server, target);
  x.caller = caller;
  x.request = {{"Accept", accept}, {"User-Agent", UserAgent()}};
  Ask(e, run, x, server);
  x.code = answer.code;
  x.answer = answer.body;
  for (const auto& field : answer.headers.fields())
    x.response.emplace_back(field.name, field.value);
  if (target.starts_with("/openapi")) {
    // These handlers write bytes that are there (http.ServeContent).
    if (x.answer.ends_with('\n')) x.answer.pop_back();
    x.response.emplace_back("Content-Length", fmt::format("{}", x.answer.size()));
    x.response.emplace_back(
        "Last-Modified",
        value::FormatRfc1123(answer.headers.Has("Etag") ? VirtualTime() : e.time, "GMT"));
  }
  // Documents by their hashes are good for a year, and kubectl's cache notes how it asked for them
  // (gregjones/httpcache).
  if (answer.headers.Get("Cache-Control").starts_with("public, "))
    x.response.emplace_back("Expires", value::FormatRfc1123(e.time + Seconds(365 * 86400), "UTC"));
  if (answer.headers.Has("Vary")) x.response.emplace_back("X-Varied-Accept", accept);
  x.response = WithCommonHeaders(
      std::move(x.response), apiserver::HashedUuid(fmt::format("{}/{}", server, target)), e.time);
  Answer(e, run, x);
}

// --- lines ---

kubectl::ClientGoLines ProcessLog::LinesOf(const sim::Event& e, const Run& run) {
  return {compat_, level_, [this, &e, &run](std::string_view place, std::string_view text) {
            Line(e, run, place, text);
          }};
}

void ProcessLog::Ask(const sim::Event& e, const Run& run, const kubectl::HttpExchange& x,
                     std::string_view server) {
  LinesOf(e, run).Request(x);
  if (!run.connected) LinesOf(e, run).Connection(server, kServer);
  if (!run.connected && profile_.logs_structured && process_ == "kubectl")
    Line(e, run, profile_.logs_certificate,
         "\"Starting client certificate rotation controller\" logger=\"tls-transport-cache\"");
}

void ProcessLog::Answer(const sim::Event& e, Run& run, const kubectl::HttpExchange& x) {
  LinesOf(e, run).Response(x, std::exchange(run.connected, true));
}

// The kubeconfig has a client certificate, as kubeadm and kind write it.
void ProcessLog::TellConfig(const sim::Event& e, const Run& run) {
  Line(e, run, profile_.logs_config, "Config loaded from file:  /etc/kubernetes/admin.conf");
  if (!profile_.logs_structured)
    return Line(e, run, profile_.logs_certificate,
                "Starting client certificate rotation controller");
  for (const auto& [gate, on] : kGates)
    Line(e, run, "envvar.go:195",
         fmt::format("\"Feature gate default state\" feature=\"{}\" enabled={}", gate, on));
}

// helpers.go StandardErrorMessage tells the Status that a command ended with, with the words that
// the command has put before its message.
void ProcessLog::TellError(const sim::Event& e, const Run& run, std::string_view result) {
  const std::string_view last = result.substr(result.rfind('\n') + 1);
  if (run.refusal.is_null() || !last.starts_with("Error from server (")) return;
  const std::string_view message = last.substr(last.find("): ") + 3);
  const Value status = run.refusal.Set("message", Value::String(message));
  Line(e, run, "helpers.go:246",
       fmt::format("server response object: {}[{}]", profile_.logs_refusal_unformatted ? "%s" : "",
                   IndentedGoJson(status)));
}

void ProcessLog::Line(const sim::Event& e, const Run& run, std::string_view place,
                      std::string_view text) {
  Add(e.seq, fmt::format("{}{}\n", KlogHead(e.time, run.pid, place), text));
}

void ProcessLog::Add(std::uint64_t seq, std::string_view line) {
  if (texts_.empty() || texts_.back().seq != seq) texts_.emplace_back(seq, "");
  texts_.back().text += line;
}

// rest/config.go DefaultKubernetesUserAgent. The commit is what a program says that was built from
// the Go module.
std::string ProcessLog::UserAgent() const {
  const Value version = apiserver::http::VersionInfo(compat_);
  const std::string_view name = std::string_view(process_).substr(0, process_.find('/'));
  return fmt::format("{}/{} (linux/amd64) kubernetes/$Format", name,
                     version.Get("gitVersion").AsString());
}

}  // namespace ksim::cli
