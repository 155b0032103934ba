#include "tests/apiserver/world.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {

using value::Obj;
using value::Value;

std::vector<std::string> TestWatch::Lines() const {
  std::vector<std::string> lines;
  for (const Seen& s : seen) {
    const api::WatchEvent& e = s.event;
    std::string line(api::ToString(e.type));
    if (e.type == api::WatchEventType::kError) {
      line += fmt::format(" {} {}", e.status().code, e.status().reason);
    } else {
      if (!e.object.name().empty()) line += fmt::format(" {}", e.object.name());
      line += fmt::format(" {}", e.object.resource_version());
      if (e.initial_end) line += " end";
    }
    lines.push_back(line);
  }
  if (closed) lines.emplace_back(end == api::StreamEnd::kEof ? "EOF" : "RESET");
  return lines;
}

std::vector<std::string> TestWatch::TakeLines() {
  std::vector<std::string> lines = Lines();
  seen.clear();
  return lines;
}

namespace {

sim::SimulationOptions Seeded(std::uint64_t seed) {
  sim::SimulationOptions options;
  options.seed = seed;
  return options;
}

}  // namespace

World::World(const WorldOptions& options)
    : sim(Seeded(options.seed)),
      network(sim, sim::LatencyRange()),
      shared(sim, network, kinds, identities, options.compat),
      etcd(network, store::EtcdOptions()) {
  shared.service_cidr = options.service_cidr;
  if (options.variants) shared.variants = *options.variants;
  etcd.process().Start();
  for (int i = 0; i < options.servers; ++i) {
    ServerOptions server = options.server;
    server.name = fmt::format("kube-apiserver-{}", i);
    servers_.push_back(std::make_unique<Server>(shared, etcd, server));
    servers_.back()->Start();
    RunUntil([&] { return servers_.back()->ready(); });
  }
}

World::~World() { sim.Shutdown(); }

const api::ResourceInfo& World::Kind(std::string_view resource) const {
  const api::ResourceInfo* r = kinds.ByName(resource);
  EXPECT_NE(r, nullptr) << resource;
  return *r;
}

void World::RunUntil(const std::function<bool()>& done, Duration limit) {
  const VirtualTime end = sim.now() + limit;
  while (!done() && sim.now() <= end && sim.Step()) {
  }
  EXPECT_TRUE(done()) << "not done after " << FormatDuration(limit);
}

api::Request World::Request(api::Verb verb, std::string_view resource, std::string_view ns,
                            std::string_view name) const {
  api::Request r;
  r.verb = verb;
  r.resource = &Kind(resource);
  r.ns = ns;
  r.name = name;
  r.user = "system:admin";
  r.client = "test";
  r.actor = sim::ActorId::Of("test");
  return r;
}

std::shared_ptr<api::Response> World::Start(api::Request request, int to) {
  request.id = next_request_++;
  auto answer = std::make_shared<api::Response>();
  answer->code = 0;
  server(to).endpoint().Accept(
      std::move(request), [answer](api::Response r) { *answer = std::move(r); }, nullptr);
  return answer;
}

api::Response World::Do(api::Request request, int to) {
  const std::shared_ptr<api::Response> answer = Start(std::move(request), to);
  RunUntil([&] { return Answered(answer); });
  return *answer;
}

api::Response World::Create(std::string_view resource, std::string_view ns, Value body) {
  api::Request r = Request(api::Verb::kCreate, resource, ns, "");
  r.body = std::move(body);
  return Do(std::move(r));
}

api::Response World::Get(std::string_view resource, std::string_view ns, std::string_view name,
                         std::string_view rv) {
  api::Request r = Request(api::Verb::kGet, resource, ns, name);
  r.list.resource_version = rv;
  return Do(std::move(r));
}

api::Response World::List(std::string_view resource, std::string_view ns, api::ListOptions options,
                          int to) {
  api::Request r = Request(api::Verb::kList, resource, ns, "");
  r.list = std::move(options);
  return Do(std::move(r), to);
}

api::Response World::Update(std::string_view resource, Value body, std::string_view sub) {
  const Value& metadata = body.Get("metadata");
  api::Request r = Request(api::Verb::kUpdate, resource, metadata.Get("namespace").AsString(),
                           metadata.Get("name").AsString());
  r.subresource = sub;
  r.body = std::move(body);
  return Do(std::move(r));
}

api::Response World::Patch(std::string_view resource, std::string_view ns, std::string_view name,
                           api::PatchType type, std::string_view json, std::string_view sub) {
  api::Request r = Request(api::Verb::kPatch, resource, ns, name);
  r.patch_type = type;
  r.subresource = sub;
  r.body = Json(json);
  return Do(std::move(r));
}

api::Response World::Delete(std::string_view resource, std::string_view ns, std::string_view name,
                            api::DeleteOptions options) {
  api::Request r = Request(api::Verb::kDelete, resource, ns, name);
  r.del = std::move(options);
  return Do(std::move(r));
}

api::Response World::Bind(std::string_view ns, std::string_view pod, std::string_view node) {
  api::Request r = Request(api::Verb::kCreate, "pods", ns, pod);
  r.subresource = "binding";
  r.body = Obj({{"apiVersion", Value::Of("v1")},
                {"kind", Value::Of("Binding")},
                {"metadata", Obj({{"name", Value::Of(pod)}, {"namespace", Value::Of(ns)}})},
                {"target", Obj({{"kind", Value::Of("Node")}, {"name", Value::Of(node)}})}});
  return Do(std::move(r));
}

std::shared_ptr<TestWatch> World::StartWatch(std::string_view resource, std::string_view ns,
                                             api::ListOptions options, int to) {
  api::Request r = Request(api::Verb::kWatch, resource, ns, "");
  r.list = std::move(options);
  return StartWatch(std::move(r), to);
}

std::shared_ptr<TestWatch> World::StartWatch(api::Request request, int to) {
  request.id = next_request_++;
  auto watch = std::make_shared<TestWatch>(sim);
  watch->response.code = 0;
  server(to).endpoint().Accept(
      std::move(request),
      [answer = std::weak_ptr<TestWatch>(watch)](api::Response response) {
        if (const auto w = answer.lock()) w->response = std::move(response);
      },
      watch);
  return watch;
}

std::shared_ptr<TestWatch> World::Watch(std::string_view resource, std::string_view ns,
                                        api::ListOptions options, int to) {
  std::shared_ptr<TestWatch> watch = StartWatch(resource, ns, std::move(options), to);
  RunUntil([&] { return watch->response.code != 0; });
  return watch;
}

void World::Read(TestWatch& watch, std::int64_t room, int to) {
  watch.room = room;
  server(to).endpoint().ResumeWatch(watch.response.stream);
}

Value Json(std::string_view text) {
  const auto tree = value::ParseJson(text);
  EXPECT_TRUE(tree.ok()) << (tree.ok() ? "" : std::string(Message(tree.status())));
  return tree.ok() ? *tree : Value();
}

Value Pod(std::string_view ns, std::string_view name, std::string_view node) {
  Value pod = Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"app":"a"}},
    "spec":{"containers":[{"name":"c","image":"i:1"}]}})");
  pod = pod.Set(value::Path{"metadata", "name"}, Value::Of(name))
            .Set(value::Path{"metadata", "namespace"}, Value::Of(ns));
  return node.empty() ? pod : pod.Set(value::Path{"spec", "nodeName"}, Value::Of(node));
}

Value ConfigMap(std::string_view ns, std::string_view name, std::string_view data) {
  return Obj({{"apiVersion", Value::Of("v1")},
              {"kind", Value::Of("ConfigMap")},
              {"metadata", Obj({{"name", Value::Of(name)}, {"namespace", Value::Of(ns)}})},
              {"data", Obj({{"k", Value::Of(data)}})}});
}

std::vector<std::string> Names(const api::Response& list) {
  std::vector<std::string> names;
  for (const api::Object& o : list.items) names.emplace_back(o.name());
  return names;
}

api::ListOptions Options(std::string_view rv, std::string_view match, std::int64_t limit) {
  api::ListOptions options;
  options.resource_version = rv;
  options.resource_version_match = match;
  options.limit = limit;
  return options;
}

}  // namespace ksim::apiserver
