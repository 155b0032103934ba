// The controller-runtime layer on real API servers: the keys that events lead to, and the cached
// reader's answers.
#include "ksim/client/controller_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "ksim/client/cached_reader.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using client::ObjectEvent;
using client::ReconcileResult;
using testing::ElementsAre;

using Wire = std::function<void(client::ControllerBuilder&, const api::Kinds&)>;

// A reconciler that notes its keys.
class Noting : public controllers::Controller, public client::Reconciler {
 public:
  Noting(controllers::ControllerContext context, Wire wire, std::vector<std::string>* keys)
      : context_(std::move(context)), wire_(std::move(wire)), keys_(keys) {}
  void Start() override {
    client::ControllerBuilder builder(context_.connection, context_.informers, context_.name);
    wire_(builder, context_.env().kinds);
    built_ = builder.Build(*this);
  }
  sim::Task<ReconcileResult> Reconcile(std::string key) override {
    keys_->push_back(std::move(key));
    co_return ReconcileResult::Done();
  }

 private:
  controllers::ControllerContext context_;
  Wire wire_;
  std::vector<std::string>* keys_;
  std::unique_ptr<client::BuiltController> built_;
};

struct Fixture {
  explicit Fixture(Wire wire) {
    w.StartController("noting", [this, wire](controllers::ControllerContext context) {
      return std::make_unique<Noting>(std::move(context), wire, &keys);
    });
  }
  std::vector<std::string> Keys() {
    w.Settle();
    std::vector<std::string> out = std::exchange(keys, {});
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  ActorWorld w;
  std::vector<std::string> keys;
};

std::string ConfigMap(const std::string& name, const std::string& labels = "{}") {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"(","labels":)" +
         labels + "}}";
}

// CLIENT-131, CLIENT-137: For() enqueues the object itself; many events become one key.
TEST(ControllerBuilder, ForLeadsToTheObjectItself) {
  Fixture f([](client::ControllerBuilder& b, const api::Kinds& kinds) {
    b.For(kinds.ByResource("", "configmaps"));
  });
  f.w.Create("configmaps", ConfigMap("a"));
  EXPECT_THAT(f.Keys(), ElementsAre("default/a"));
  f.w.Patch("configmaps", "a", R"({"data":{"x":"y"}})");
  EXPECT_THAT(f.Keys(), ElementsAre("default/a"));
  f.w.Delete("configmaps", "a");
  EXPECT_THAT(f.Keys(), ElementsAre("default/a"));
}

std::string Ref(const std::string& api_version, const std::string& kind, const std::string& name,
                bool controller) {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" + name +
         R"(","uid":"u","controller":)" + (controller ? "true" : "false") + "}";
}

// CLIENT-137: Owns() matches the owner's group and kind, whatever its version and uid, in the
// object's namespace; the controller alone or all owners.
TEST(ControllerBuilder, OwnersAreMatchedByGroupAndKind) {
  const api::Kinds kinds;
  const api::ResourceInfo& sets = *kinds.ByResource("apps", "replicasets");
  const api::ResourceInfo& nodes = *kinds.ByResource("", "nodes");
  struct Case {
    std::string refs;
    const api::ResourceInfo& owner;
    bool controller_only;
    std::vector<std::string> keys;
  };
  const std::string set = Ref("apps/v1", "ReplicaSet", "web", true);
  for (const Case& c : std::vector<Case>{
           {set, sets, true, {"default/web"}},
           {Ref("apps/v1beta2", "ReplicaSet", "web", true), sets, true, {"default/web"}},
           {Ref("extensions/v1beta1", "ReplicaSet", "web", true), sets, true, {}},
           {Ref("apps/v1", "StatefulSet", "web", true), sets, true, {}},
           {Ref("apps/v1", "ReplicaSet", "web", false), sets, true, {}},
           {Ref("apps/v1", "ReplicaSet", "b", false) + "," + set,
            sets,
            false,
            {"default/b", "default/web"}},
           {Ref("v1", "Node", "n1", true), nodes, true, {"n1"}}}) {
    value::Value pod = apiserver::Json(PodJson("p", "{}", c.refs));
    pod = pod.Set(value::Path{"metadata", "namespace"}, value::Value::Of("default"));
    EXPECT_EQ(client::KeysOfOwners(api::Object::FromTree(pod), c.owner, c.controller_only), c.keys)
        << c.refs;
  }
}

// CLIENT-137: an update enqueues the old owner and the new one; a map function runs for both
// objects too.
TEST(ControllerBuilder, UpdatesLeadToWhatOldAndNewNameBoth) {
  Fixture f([](client::ControllerBuilder& b, const api::Kinds& kinds) {
    b.For(kinds.ByResource("apps", "replicasets"))
        .Owns(kinds.ByResource("", "pods"))
        .Watches(kinds.ByResource("", "configmaps"), [](const api::Object& o) {
          const std::string group(o.Label("group"));
          return group.empty() ? std::vector<std::string>() : std::vector<std::string>{group};
        });
  });
  f.Keys();
  f.w.Create("pods", PodJson("p", "{}", Ref("apps/v1", "ReplicaSet", "old", true)));
  EXPECT_THAT(f.Keys(), ElementsAre("default/old"));
  f.w.Patch("pods", "p",
            R"({"metadata":{"ownerReferences":[{"$patch":"delete","uid":"u"},
              {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"new","uid":"v",
               "controller":true}]}})");
  EXPECT_THAT(f.Keys(), ElementsAre("default/new", "default/old"));
  f.w.Create("configmaps", ConfigMap("m", R"({"group":"red"})"));
  EXPECT_THAT(f.Keys(), ElementsAre("red"));
  f.w.Patch("configmaps", "m", R"({"metadata":{"labels":{"group":"blue"}}})");
  EXPECT_THAT(f.Keys(), ElementsAre("blue", "red"));
}

// CLIENT-138
TEST(ControllerBuilder, PredicatesOfASourceMustAllAgreeAndTouchNoCache) {
  struct Case {
    const char* name;
    std::vector<client::Predicate> predicates;
    bool status, spec, label;
  };
  for (const Case& c : std::vector<Case>{
           {"none", {}, true, true, true},
           {"generation", {client::GenerationChanged()}, false, true, false},
           {"label", {client::LabelChanged()}, false, false, true},
           {"either",
            {client::AnyOf({client::GenerationChanged(), client::LabelChanged()})},
            false,
            true,
            true},
           {"both", {client::GenerationChanged(), client::LabelChanged()}, false, false, false},
           {"not", {client::Not(client::GenerationChanged())}, true, false, true}}) {
    Fixture f([&c](client::ControllerBuilder& b, const api::Kinds& kinds) {
      b.For(kinds.ByResource("apps", "replicasets"), c.predicates);
    });
    f.w.Create("replicasets", ReplicaSetJson("web", 1));
    f.Keys();
    f.w.Patch("replicasets", "web", R"({"status":{"observedGeneration":9}})", "status");
    EXPECT_EQ(f.Keys().size(), c.status ? 1u : 0u) << c.name;
    f.w.Patch("replicasets", "web", R"({"spec":{"replicas":2}})");
    EXPECT_EQ(f.Keys().size(), c.spec ? 1u : 0u) << c.name;
    f.w.Patch("replicasets", "web", R"({"metadata":{"labels":{"a":"b"}}})");
    EXPECT_EQ(f.Keys().size(), c.label ? 1u : 0u) << c.name;
  }
}

// CLIENT-138: the predicates see a resync, and a relist of unchanged objects.
TEST(ControllerBuilder, ResourceVersionChangedDropsWhatIsNoChange) {
  for (const bool filtered : {false, true}) {
    Fixture f([filtered](client::ControllerBuilder& b, const api::Kinds& kinds) {
      b.For(kinds.ByResource("", "configmaps"));
      if (filtered) b.WithPredicates({client::ResourceVersionChanged()});
    });
    f.w.Create("configmaps", ConfigMap("a"));
    f.Keys();
    f.w.Freeze("configmaps");
    f.w.Create("configmaps", ConfigMap("b"));
    f.w.Relist("configmaps");
    const std::vector<std::string> keys = f.Keys();
    EXPECT_EQ(std::count(keys.begin(), keys.end(), "default/a"), filtered ? 0 : 1);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), "default/b"), 1);
  }
}

// CLIENT-139
TEST(ControllerBuilder, ATombstoneIsUnwrappedAndSaidToBeOne) {
  std::vector<std::string> deletes;
  Fixture f([&](client::ControllerBuilder& b, const api::Kinds& kinds) {
    b.For(kinds.ByResource("", "configmaps"), {[&](const ObjectEvent& e) {
            if (e.kind == ObjectEvent::Kind::kDelete)
              deletes.push_back(std::string(e.object.name()) +
                                (e.delete_state_unknown ? " unknown" : ""));
            return true;
          }});
  });
  f.w.Create("configmaps", ConfigMap("seen"));
  f.w.Create("configmaps", ConfigMap("unseen"));
  f.Keys();
  f.w.Delete("configmaps", "seen");
  EXPECT_THAT(f.Keys(), ElementsAre("default/seen"));
  f.w.Freeze("configmaps");
  f.w.Delete("configmaps", "unseen");
  f.w.Relist("configmaps");
  EXPECT_THAT(f.Keys(), testing::Contains("default/unseen"));
  EXPECT_THAT(deletes, ElementsAre("seen", "unseen unknown"));
}

// A reconciler whose first call throws.
class Throwing : public controllers::Controller, public client::Reconciler {
 public:
  Throwing(controllers::ControllerContext context, int* calls)
      : context_(std::move(context)), calls_(calls) {}
  void Start() override {
    built_ = client::ControllerBuilder(context_.connection, context_.informers, context_.name)
                 .For(context_.Resource("", "configmaps"))
                 .Build(*this);
  }
  sim::Task<ReconcileResult> Reconcile(std::string) override {
    if (++*calls_ == 1) throw std::runtime_error("index out of range");
    co_return ReconcileResult::Done();
  }

 private:
  controllers::ControllerContext context_;
  int* calls_;
  std::unique_ptr<client::BuiltController> built_;
};

// CLIENT-132: since controller-runtime 0.19 a panic is an error and the key comes again; before, it
// ends the process and so the program.
TEST(ControllerBuilder, APanicIsAnErrorOnlyIn136) {
  const auto calls_in = [](api::Compat compat) {
    ActorWorld w(compat);
    int calls = 0;
    w.StartController("throwing", [&](controllers::ControllerContext context) {
      return std::make_unique<Throwing>(std::move(context), &calls);
    });
    w.Create("configmaps", ConfigMap("a"));
    w.Settle();
    return calls;
  };
  EXPECT_EQ(calls_in(api::Compat::k1_36), 2);
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30})
    EXPECT_EXIT(calls_in(compat), testing::ExitedWithCode(70), "index out of range");
}

// --- the cached reader ---

// Runs one call when it is constructed and keeps the result.
class Asking : public controllers::Controller {
 public:
  using Ask = std::function<sim::Task<void>(client::CachedReader&, const api::Kinds&)>;
  Asking(controllers::ControllerContext context, Ask before, Ask later)
      : context_(std::move(context)),
        client_(context_.connection, context_.actor(), client::ClientOptions()),
        reader_(context_.connection, context_.informers, client_),
        before_(std::move(before)),
        later_(std::move(later)) {}
  void Start() override { context_.process.Spawn(Run(this), context_.name); }

 private:
  static sim::Task<void> Run(Asking* self) {
    const api::Kinds& kinds = self->context_.env().kinds;
    co_await self->before_(self->reader_, kinds);
    co_await self->context_.env().sim.Sleep(Milliseconds(10));
    co_await self->later_(self->reader_, kinds);
  }
  controllers::ControllerContext context_;
  client::Client client_;
  client::CachedReader reader_;
  Ask before_, later_;
};

sim::Task<void> Nothing(client::CachedReader&, const api::Kinds&) { co_return; }

// CLIENT-140: the first read creates the informer and waits for its sync; a read misses writes that
// the cache has not seen; NotFound means not in the cache.
TEST(CachedReader, ReadsTheCacheAndWaitsForItToBeFilled) {
  ActorWorld w;
  w.Create("configmaps", ConfigMap("a"));
  std::vector<std::string> got;
  const auto read = [&](client::CachedReader& reader, const api::Kinds& kinds) -> sim::Task<void> {
    const api::ResourceInfo* maps = kinds.ByResource("", "configmaps");
    const auto first = co_await reader.Get(maps, "default", "a");
    got.push_back(first.ok() ? "a" : first.status().message.str());
    w.Freeze("configmaps");
    co_await w.api.sim.Sleep(Milliseconds(500));
    const auto stale = co_await reader.Get(maps, "default", "b");
    got.push_back(stale.ok() ? "b" : stale.status().message.str());
    reader.ReadLive(maps);
    const auto live = co_await reader.Get(maps, "default", "b");
    got.push_back(live.ok() ? "b" : live.status().message.str());
  };
  w.api.sim.After(Milliseconds(300), sim::TimerKind::kWork, "create", [&] {
    api::Request r = w.api.Request(api::Verb::kCreate, "configmaps", "default", "");
    r.body = apiserver::Json(ConfigMap("b"));
    w.api.Start(std::move(r), 1);
  });
  w.StartController("asking", [&](controllers::ControllerContext context) {
    return std::make_unique<Asking>(std::move(context), Nothing, read);
  });
  EXPECT_THAT(got, ElementsAre("a", "configmaps \"b\" not found", "b"));
}

// CLIENT-140
TEST(CachedReader, ListsByNamespaceLabelsAndIndexedFields) {
  ActorWorld w;
  w.Create("pods", PodJson("a", R"({"app":"x"})", "", R"(,"nodeName":"n1")"));
  w.Create("pods", PodJson("b", R"({"app":"y"})", "", R"(,"nodeName":"n1")"));
  w.Create("pods", PodJson("c", R"({"app":"x"})", "", R"(,"nodeName":"n2")"));
  struct Case {
    std::string ns, labels, fields;
    std::int64_t limit;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"default", "", "", 0, "a b c "},
      {"kube-system", "", "", 0, ""},
      {"", "app=x", "", 0, "a c "},
      {"default", "", "", 2, "a b "},
      {"default", "", "spec.nodeName=n1", 0, "a b "},
      {"", "", "spec.nodeName=n1,metadata.name=b", 0, "b "},
      {"", "", "spec.nodeName=n2,metadata.name=b", 0, ""},
      {"", "", "spec.nodeName=n3,status.phase=Running", 0, ""},
      {"", "", "spec.nodeName=n1,status.phase=Running", 0,
       "index with name field:status.phase does not exist"},
      {"", "", "spec.nodeName=n1,metadata.name!=b", 0,
       "non-exact field matches are not supported by the cache"},
      {"", "app=x", "spec.nodeName=n1", 0, "a "},
      {"", "", "spec.nodeName!=n1", 0, "non-exact field matches are not supported by the cache"},
      {"", "", "status.phase=Running", 0, "Index with name field:status.phase does not exist"}};
  std::vector<std::string> results;
  const auto before = [&](client::CachedReader& reader,
                          const api::Kinds& kinds) -> sim::Task<void> {
    reader.IndexField(
        kinds.ByResource("", "pods"), "spec.nodeName",
        [](const api::Object& pod, client::IndexValues& values) { values.Add(pod.node_name()); });
    reader.IndexField(
        kinds.ByResource("", "pods"), "metadata.name",
        [](const api::Object& pod, client::IndexValues& values) { values.Add(pod.name()); });
    co_return;
  };
  const auto read = [&](client::CachedReader& reader, const api::Kinds& kinds) -> sim::Task<void> {
    for (const Case& c : cases) {
      client::CacheListOptions options;
      options.ns = c.ns;
      options.label_selector = c.labels;
      options.field_selector = c.fields;
      options.limit = c.limit;
      const auto listed = co_await reader.List(kinds.ByResource("", "pods"), options);
      std::string names = listed.ok() ? "" : listed.status().message.str();
      if (listed.ok())
        for (const api::Object& o : *listed) names += std::string(o.name()) + " ";
      results.push_back(names);
    }
  };
  w.StartController("asking", [&](controllers::ControllerContext context) {
    return std::make_unique<Asking>(std::move(context), before, read);
  });
  ASSERT_EQ(results.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(results[i], cases[i].result) << i;
}

// CLIENT-140: a read of a cluster-scoped object ignores the namespace; before controller-runtime
// 0.15 a list takes one field selector only.
TEST(CachedReader, ReadsClusterObjectsWithoutNamespaceAndOneFieldIn125) {
  ActorWorld w(api::Compat::k1_25);
  w.Create("nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})");
  std::vector<std::string> results;
  const auto read = [&](client::CachedReader& reader, const api::Kinds& kinds) -> sim::Task<void> {
    const api::ResourceInfo* nodes = kinds.ByResource("", "nodes");
    const auto got = co_await reader.Get(nodes, "default", "n1");
    results.push_back(got.ok() ? std::string(got->name()) : got.status().message.str());
    client::CacheListOptions options;
    options.field_selector = "a=b,c=d";
    const auto listed = co_await reader.List(nodes, options);
    results.push_back(listed.status().message.str());
  };
  w.StartController("asking", [&](controllers::ControllerContext context) {
    return std::make_unique<Asking>(std::move(context), Nothing, read);
  });
  EXPECT_THAT(results, ElementsAre("n1", "non-exact field matches are not supported by the cache"));
}

// CLIENT-97
TEST(ControllerContext, ItsClientsAreLimitedAsControllerRuntimeLimitsThem) {
  for (const auto& [compat, qps] :
       {std::pair(api::Compat::k1_25, 20), {api::Compat::k1_30, 20}, {api::Compat::k1_36, -1}}) {
    ActorWorldOptions options;
    options.compat = compat;
    ActorWorld w(options);
    client::ClientOptions seen;
    w.StartController("noting", [&](controllers::ControllerContext context) {
      seen = context.client_options();
      return std::make_unique<Noting>(
          std::move(context),
          [](client::ControllerBuilder& b, const api::Kinds& kinds) {
            b.For(kinds.ByResource("", "pods"));
          },
          nullptr);
    });
    EXPECT_EQ(seen.qps, qps);
    EXPECT_EQ(seen.user, "noting");
  }
}

// CLIENT-140
TEST(CachedReader, FailsBeforeTheCachesHaveStarted) {
  ActorWorld w;
  sim::Process& process = w.api.sim.AddProcess("early");
  process.Start();
  client::Connection connection(w.env, process, w.api.server(0).endpoint());
  client::InformerFactory informers(connection, client::ClientOptions(), Duration());
  client::Client live(connection, process.actor(), client::ClientOptions());
  client::CachedReader reader(connection, informers, live);
  std::string message;
  process.Spawn([](client::CachedReader* r, const api::ResourceInfo* pods,
                   std::string* out) -> sim::Task<void> {
    const auto got = co_await r->Get(pods, "default", "a");
    *out = got.status().message;
  }(&reader, &w.api.Kind("pods"), &message));
  w.Settle();
  EXPECT_EQ(message, "the cache is not started, can not read objects");
  w.api.sim.Shutdown();
}

}  // namespace
}  // namespace ksim
