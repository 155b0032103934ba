#include "ksim/api/kinds.h"

#include <algorithm>
#include <map>
#include <set>

#include "ksim/api/core/kind_spec.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

const ResourceInfo& Named(const Kinds& kinds, std::string_view name) {
  const ResourceInfo* info = kinds.ByName(name);
  EXPECT_NE(info, nullptr) << name;
  return *info;
}

TEST(Kinds, NamesThatKubectlTakes) {
  const Kinds kinds;
  const std::pair<const char*, const char*> kCases[] = {
      {"po", "Pod"},
      {"pods", "Pod"},
      {"pod", "Pod"},
      {"Pod", "Pod"},
      {"PODS", "Pod"},
      {"rs", "ReplicaSet"},
      {"replicasets.apps", "ReplicaSet"},
      {"replicasets.v1.apps", "ReplicaSet"},
      {"pods.v1.", "Pod"},
      {"storageclass.storage", "StorageClass"},
      {"ReplicaSet", "ReplicaSet"},
      {"deploy", "Deployment"},
      {"no", "Node"},
      {"ns", "Namespace"},
      {"cm", "ConfigMap"},
      {"sa", "ServiceAccount"},
      {"svc", "Service"},
      {"pc", "PriorityClass"},
      {"pdb", "PodDisruptionBudget"},
      {"crd", "CustomResourceDefinition"},
      {"hpa", "HorizontalPodAutoscaler"},
      {"limits", "LimitRange"},
      {"quota", "ResourceQuota"},
      {"lease", "Lease"},
  };
  for (const auto& [name, kind] : kCases) EXPECT_EQ(Named(kinds, name).kind, kind) << name;
  EXPECT_EQ(Named(kinds, "events").group, "");
  EXPECT_EQ(Named(kinds, "events.events.k8s.io").group, "events.k8s.io");
  EXPECT_EQ(kinds.ByName("widgets"), nullptr);
  EXPECT_EQ(kinds.ByName("pods.apps"), nullptr);
  EXPECT_EQ(kinds.ByName("pods.v1"), nullptr) << "v1 is no group";
  EXPECT_EQ(Named(kinds, "hpa").version, "v2");
  EXPECT_EQ(Named(kinds, "hpa.v1.autoscaling").version, "v1");
  EXPECT_EQ(kinds.ByName(""), nullptr);
}

TEST(Kinds, ByKindAndByResource) {
  const Kinds kinds;
  EXPECT_EQ(kinds.ByKind("apps/v1", "ReplicaSet"), kinds.ByResource("apps", "replicasets"));
  EXPECT_EQ(kinds.ByKind("apps/v1beta1", "ReplicaSet"), nullptr);
  EXPECT_EQ(kinds.ByKind("v1", "ReplicaSet"), nullptr);
  EXPECT_EQ(kinds.ByResource("", "replicasets"), nullptr);
}

using value::Arr;
using value::Obj;
using value::Value;

Value DefinitionOf(std::string_view group, std::string_view kind) {
  const std::string plural = GuessPlural(kind);
  return Obj(
      {{"spec", Obj({{"group", Value::Of(group)},
                     {"names", Obj({{"plural", Value::Of(plural)}, {"kind", Value::Of(kind)}})},
                     {"scope", Value::Of("Namespaced")},
                     {"versions", Arr({Obj({{"name", Value::Of("v1")},
                                            {"served", Value::Bool(true)},
                                            {"storage", Value::Bool(true)}}),
                                       Obj({{"name", Value::Of("v2")},
                                            {"served", Value::Bool(true)},
                                            {"storage", Value::Bool(false)}})})}})}});
}

// CRD-27
TEST(Kinds, OfTwoKindsWithOnePluralTheLaterIsKnownByItsGroup) {
  Kinds kinds;
  const ResourceInfo& service = **kinds.AddFromCrd(DefinitionOf("serving.knative.dev", "Service"));
  const ResourceInfo& b = **kinds.AddFromCrd(DefinitionOf("b.example.com", "Widget"));
  const ResourceInfo& a = **kinds.AddFromCrd(DefinitionOf("a.example.com", "Widget"));
  const ResourceInfo& core = *kinds.ByResource("", "services");
  EXPECT_EQ(core.known_as(), "services");
  EXPECT_EQ(service.known_as(), "services.serving.knative.dev");
  EXPECT_EQ(b.known_as(), "widgets") << "nobody had the plural before it";
  EXPECT_EQ(a.known_as(), "widgets.a.example.com");
  EXPECT_EQ(kinds.KnownAs("widgets"), kinds.ByResource("b.example.com", "widgets"));
  EXPECT_EQ(kinds.KnownAs("widgets.a.example.com"), kinds.ByResource("a.example.com", "widgets"));
  EXPECT_EQ(kinds.KnownAs("widgets.b.example.com"), nullptr);
  // Its plural stays what it is.
  EXPECT_EQ(a.resource, "widgets");
  EXPECT_EQ(StorageKey(a, "d", "x"), "/registry/a.example.com/widgets/d/x");
  EXPECT_EQ(a.UrlPath("d", "x").substr(0, 22), "/apis/a.example.com/v1");
  EXPECT_NE(ObjectHash(service.known_as(), "d", "x"), ObjectHash(core.known_as(), "d", "x"));
}

// CRD-27: all versions have the name, and a definition that goes and comes again.
TEST(Kinds, AKindKeepsTheNameThatItIsKnownBy) {
  Kinds kinds;
  const Value first = DefinitionOf("b.example.com", "Widget"),
              second = DefinitionOf("a.example.com", "Widget");
  ASSERT_TRUE(kinds.AddFromCrd(first).ok() && kinds.AddFromCrd(second).ok());
  for (const ResourceInfo* r : kinds.all()) {
    if (r->group == "a.example.com") {
      EXPECT_EQ(r->known_as(), "widgets.a.example.com");
    }
  }
  kinds.Withdraw("b.example.com", "widgets");
  ASSERT_TRUE(kinds.AddFromCrd(second).ok() && kinds.AddFromCrd(first).ok());
  EXPECT_EQ(kinds.ByResource("a.example.com", "widgets")->known_as(), "widgets.a.example.com");
  EXPECT_EQ(kinds.ByResource("b.example.com", "widgets")->known_as(), "widgets");
  // A reader of traces has it from the run, whatever it reads first.
  Kinds reader;
  reader.SetKnownAs("a.example.com", "widgets", "widgets.a.example.com");
  reader.SetKnownAs("b.example.com", "widgets", "widgets");
  ASSERT_TRUE(reader.AddFromCrd(second).ok());
  EXPECT_EQ(reader.ByResource("a.example.com", "widgets")->known_as(), "widgets.a.example.com");
}

// CRD-27: discovery lists the groups of definitions by name, and kubectl takes the first
// (client-go restmapper/discovery.go NewDiscoveryRESTMapper).
TEST(Kinds, KubectlTakesTheFirstGroup) {
  Kinds kinds;
  for (const char* group : {"b.example.com", "a.example.com"})
    ASSERT_TRUE(kinds.AddFromCrd(DefinitionOf(group, "Widget")).ok());
  ASSERT_TRUE(kinds.AddFromCrd(DefinitionOf("a.example.com", "Service")).ok());
  for (const char* name : {"widgets", "widget", "Widget"}) {
    EXPECT_EQ(Named(kinds, name).group, "a.example.com") << name;
    EXPECT_EQ(kinds.AllByName(name).size(), 2u) << name;
  }
  EXPECT_EQ(Named(kinds, "widgets.b.example.com").group, "b.example.com");
  EXPECT_EQ(Named(kinds, "widgets.v2.b.example.com").group, "b.example.com");
  EXPECT_EQ(Named(kinds, "services").group, "") << "built-in kinds come first";
  EXPECT_EQ(Named(kinds, "services.a.example.com").group, "a.example.com");
  kinds.Withdraw("a.example.com", "widgets");
  EXPECT_EQ(Named(kinds, "widgets").group, "b.example.com") << "discovery has it no longer";
}

// API-14, API-15
TEST(Kinds, StorageKeys) {
  const Kinds kinds;
  const auto key = [&](std::string_view kind, std::string_view ns, std::string_view name) {
    return StorageKey(Named(kinds, kind), ns, name);
  };
  EXPECT_EQ(key("pods", "default", "x"), "/registry/pods/default/x");
  EXPECT_EQ(key("pods", "default", ""), "/registry/pods/default/");
  EXPECT_EQ(key("pods", "", ""), "/registry/pods/");
  EXPECT_EQ(key("rs", "default", "x"), "/registry/replicasets/default/x");
  EXPECT_EQ(key("nodes", "", "n1"), "/registry/minions/n1");
  EXPECT_EQ(key("svc", "default", "x"), "/registry/services/specs/default/x");
  EXPECT_EQ(key("ep", "default", "x"), "/registry/services/endpoints/default/x");
  EXPECT_EQ(key("rc", "default", "x"), "/registry/controllers/default/x");
  EXPECT_EQ(key("ing", "default", "x"), "/registry/ingress/default/x");
  EXPECT_EQ(key("events", "default", "x"), key("events.events.k8s.io", "default", "x"));
  EXPECT_EQ(key("ns", "", "default"), "/registry/namespaces/default");
  Kinds more;
  EXPECT_EQ(StorageKey(*more.AddGeneric("example.com/v1", "Widget"), "d", "x"),
            "/registry/example.com/widgets/d/x");
}

TEST(Kinds, UrlPaths) {
  const Kinds kinds;
  EXPECT_EQ(Named(kinds, "rs").UrlPath("default", "x"),
            "/apis/apps/v1/namespaces/default/replicasets/x");
  EXPECT_EQ(Named(kinds, "pods").UrlPath("default", "x", "binding"),
            "/api/v1/namespaces/default/pods/x/binding");
  EXPECT_EQ(Named(kinds, "pods").UrlPath("", ""), "/api/v1/pods");
  EXPECT_EQ(Named(kinds, "nodes").UrlPath("ignored", "n1", "status"), "/api/v1/nodes/n1/status");
  EXPECT_EQ(Named(kinds, "ns").UrlPath("", "x"), "/api/v1/namespaces/x");
}

// API-69, API-75, API-77
TEST(Kinds, StrategyFlags) {
  const Kinds kinds;
  for (const char* kind : {"events", "leases", "svc"}) {
    EXPECT_TRUE(Named(kinds, kind).create_on_update) << kind;
  }
  for (const char* kind : {"pods", "rs", "deploy", "jobs", "nodes", "ns"}) {
    EXPECT_FALSE(Named(kinds, kind).create_on_update) << kind;
  }
  for (const char* kind :
       {"pods", "rs", "deploy", "ds", "sts", "jobs", "nodes", "ns", "svc", "events"}) {
    EXPECT_TRUE(Named(kinds, kind).unconditional_update) << kind;
  }
  for (const char* kind : {"leases", "pdb"}) {
    EXPECT_FALSE(Named(kinds, kind).unconditional_update) << kind;
  }
  for (const char* kind : {"pods", "rs", "deploy", "jobs", "ds", "sts", "pdb"}) {
    EXPECT_TRUE(Named(kinds, kind).has_generation) << kind;
  }
  for (const char* kind : {"nodes", "ns", "cm", "leases", "events"}) {
    EXPECT_FALSE(Named(kinds, kind).has_generation) << kind;
  }
  EXPECT_TRUE(Named(kinds, "deploy").generation_on_annotations);
  EXPECT_TRUE(Named(kinds, "pods").graceful_delete);
  EXPECT_FALSE(Named(kinds, "events").watch_cached);
  EXPECT_FALSE(Named(kinds, "nodes").namespaced);
  for (const char* kind : {"deploy", "rs", "sts", "rc"}) EXPECT_TRUE(Named(kinds, kind).has_scale);
}

TEST(Kinds, TheTableContradictsItselfNowhere) {
  const Kinds kinds;
  std::set<std::string> kinds_seen, resources, prefixes;
  std::map<std::string, std::string> shorts;
  for (const ResourceInfo* k : kinds.all()) {
    EXPECT_TRUE(kinds_seen.insert(k->api_version() + "/" + k->kind).second) << k->kind;
    // Several versions of one kind share its names and its place in etcd.
    const bool first = resources.insert(k->group_resource()).second;
    const bool shared = k->resource == "events" || !first;
    EXPECT_TRUE(prefixes.insert(k->storage_prefix).second || shared) << k->storage_prefix;
    EXPECT_EQ(GuessPlural(k->kind), k->resource);
    for (const std::string& s : k->short_names) {
      EXPECT_TRUE(shorts.emplace(s, k->kind).second || shared) << s;
    }
  }
  const std::vector<const ResourceInfo*> all = kinds.all();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const ResourceInfo &a = *all[i - 1], &b = *all[i];
    EXPECT_TRUE(std::pair(a.group, a.resource) < std::pair(b.group, b.resource) ||
                (a.group_resource() == b.group_resource() && HasPriorityOver(a.version, b.version)))
        << b.resource;
  }
}

// A controller may name a resource before anybody says more of it.
TEST(Kinds, AResourceAloneIsAKindThatAManifestCompletes) {
  Kinds kinds;
  const struct {
    const char *resource, *kind;
  } guesses[] = {{"websites", "Website"},
                 {"policies", "Policy"},
                 {"classes", "Class"},
                 {"boxes", "Box"},
                 {"sheep", "Sheep"}};
  for (const auto& g : guesses) {
    const ResourceInfo* added = kinds.AddResource("example.dev", g.resource);
    EXPECT_EQ(added->kind, g.kind);
    EXPECT_EQ(added->api_version(), "example.dev/v1");
    EXPECT_EQ(kinds.AddResource("example.dev", g.resource), added);
    EXPECT_EQ(kinds.ByKind("example.dev/v1", g.kind), added);
  }
  const ResourceInfo* config = kinds.AddResource("example.dev", "siteconfigs");
  EXPECT_EQ(kinds.AddGeneric("example.dev/v1beta1", "SiteConfig")->version, "v1beta1");
  EXPECT_EQ(config->kind, "SiteConfig");
  EXPECT_EQ(config->version, "v1");
}

TEST(Kinds, GenericKindsGuessTheirPlural) {
  EXPECT_EQ(GuessPlural("Policy"), "policies");
  EXPECT_EQ(GuessPlural("Ingress"), "ingresses");
  EXPECT_EQ(GuessPlural("Endpoints"), "endpoints");
  EXPECT_EQ(GuessPlural("Widget"), "widgets");
  EXPECT_EQ(GuessPlural(""), "");

  Kinds kinds;
  const ResourceInfo* widget = kinds.AddGeneric("example.com/v1", "Widget");
  ASSERT_NE(widget, nullptr);
  EXPECT_EQ(widget->group, "example.com");
  EXPECT_EQ(widget->version, "v1");
  EXPECT_EQ(widget->singular, "widget");
  EXPECT_TRUE(widget->custom);
  EXPECT_TRUE(widget->namespaced);
  EXPECT_EQ(kinds.AddGeneric("example.com/v1", "Widget"), widget);
  EXPECT_EQ(kinds.ByName("widgets.example.com"), widget);
  EXPECT_EQ(kinds.AddGeneric("v1", "Pod"), kinds.ByName("pods"));
  EXPECT_EQ(kinds.AddGeneric("v1", ""), nullptr);
}

TEST(Kinds, BuiltInResourcesWinOverCustomOnesOfTheirName) {
  Kinds kinds;
  const ResourceInfo* mine = kinds.AddGeneric("example.com/v1", "Pod");
  EXPECT_EQ(kinds.ByName("pods")->group, "");
  EXPECT_EQ(kinds.ByName("pods.example.com"), mine);
}

// All Kinds share the built-in rows; a Kinds that replaces one of them does so for its own cluster
// only.
TEST(Kinds, ABuiltInOneIsReplacedInOneClusterOnly) {
  Kinds kinds, others;
  const ResourceInfo* const before = kinds.ByName("replicasets");
  ResourceInfo mine = *before;
  mine.short_names = {"mine"};
  const ResourceInfo* const added = kinds.Add(mine);
  EXPECT_EQ(kinds.ByName("replicasets"), added);
  EXPECT_EQ(kinds.ByName("mine"), added);
  EXPECT_EQ(kinds.Add(mine), added);
  EXPECT_EQ(kinds.all().size(), others.all().size());
  EXPECT_EQ(std::count(kinds.all().begin(), kinds.all().end(), added), 1);
  EXPECT_EQ(std::count(kinds.all().begin(), kinds.all().end(), before), 0);
  EXPECT_EQ(before->short_names, others.ByName("rs")->short_names);
  EXPECT_EQ(others.ByName("mine"), nullptr);
  EXPECT_EQ(added->builtin_number, ResourceInfo::kNotBuiltin);
}

TEST(Kinds, SpecsAreFoundByNumberAsByName) {
  Kinds kinds;
  ResourceInfo mine = *kinds.ByName("replicasets");
  mine.kind = "Pod";  // of the group apps: there is none
  const ResourceInfo* const changed = kinds.Add(mine);
  ResourceInfo renamed = *kinds.ByName("deployments");
  renamed.short_names = {"d"};
  const ResourceInfo* const copy = kinds.Add(renamed);
  const ResourceInfo* const widget = kinds.AddGeneric("example.com/v1", "Widget");
  std::set<std::size_t> numbers;
  for (const ResourceInfo* kind : kinds.all()) {
    const bool built_in = kind->builtin_number != ResourceInfo::kNotBuiltin;
    if (!built_in) continue;
    EXPECT_TRUE(numbers.insert(kind->builtin_number).second) << kind->kind;
    const KindSpec& spec = SpecOf(*kind);
    EXPECT_EQ(spec.kind, kind->kind);
    EXPECT_EQ(spec.group, kind->group);
    ResourceInfo unnumbered = *kind;
    unnumbered.builtin_number = ResourceInfo::kNotBuiltin;
    EXPECT_EQ(&SpecOf(unnumbered), &spec) << kind->kind;
  }
  EXPECT_EQ(numbers.size(), KindSpecs().size() - 2);
  EXPECT_EQ(&SpecOf(*changed), &kGenericKind);
  EXPECT_EQ(SpecOf(*copy).kind, "Deployment");
  EXPECT_EQ(&SpecOf(*widget), &kGenericKind);
}

TEST(Kinds, DefinitionsTeachNewKinds) {
  Kinds kinds;
  const auto crd = Yaml(R"(
spec:
  group: example.com
  scope: Cluster
  names: {plural: gadgets, singular: gadget, kind: Gadget, shortNames: [gd]}
  versions:
  - {name: v1alpha1, served: true, storage: false}
  - {name: v1, served: true, storage: true, subresources: {status: {}, scale: {}}}
)");
  const absl::StatusOr<const ResourceInfo*> gadget = kinds.AddFromCrd(crd);
  ASSERT_TRUE(gadget.ok());
  EXPECT_EQ((*gadget)->api_version(), "example.com/v1");
  EXPECT_FALSE((*gadget)->namespaced);
  EXPECT_TRUE((*gadget)->has_status);
  EXPECT_TRUE((*gadget)->has_scale);
  EXPECT_TRUE((*gadget)->has_generation);
  EXPECT_FALSE((*gadget)->unconditional_update);
  EXPECT_EQ(kinds.ByName("gd"), *gadget);
  // A changed definition replaces the first one; pointers to the row stay valid.
  const ResourceInfo* before = *gadget;
  ASSERT_TRUE(
      kinds.AddFromCrd(crd.Set(*value::Path::Parse("spec.scope"), value::Value::Of("Namespaced")))
          .ok());
  EXPECT_TRUE(before->namespaced);
  EXPECT_FALSE(kinds.AddFromCrd(Yaml("{spec: {group: x}}")).ok());
  EXPECT_FALSE(
      kinds.AddFromCrd(crd.Set(*value::Path::Parse("spec.versions"), Yaml("[{name: v1}]"))).ok())
      << "no version is served";
}

TEST(Kinds, EachServedVersionOfADefinitionIsAKindOfItsOwn) {
  Kinds kinds;
  const absl::StatusOr<const ResourceInfo*> gadget = kinds.AddFromCrd(Yaml(R"(
spec:
  group: example.com
  names: {plural: gadgets, kind: Gadget}
  versions:
  - {name: v1alpha1, served: true, storage: true}
  - {name: v1, served: true, storage: false, subresources: {status: {}}}
  - {name: v2, served: false, storage: false}
)"));
  ASSERT_TRUE(gadget.ok());
  const ResourceInfo* v1 = kinds.ByKind("example.com/v1", "Gadget");
  const ResourceInfo* alpha = kinds.ByKind("example.com/v1alpha1", "Gadget");
  EXPECT_EQ(*gadget, alpha) << "the storage version";
  ASSERT_NE(v1, nullptr);
  EXPECT_EQ(kinds.ByKind("example.com/v2", "Gadget"), nullptr) << "not served";
  EXPECT_TRUE(v1->has_status);
  EXPECT_FALSE(alpha->has_status);
  EXPECT_EQ(v1->stored_version, "v1alpha1");
  EXPECT_EQ(StorageKey(*v1, "default", "g"), StorageKey(*alpha, "default", "g"));
  // kubectl prefers v1, whichever was added first.
  EXPECT_EQ(kinds.ByName("gadgets"), v1);
  EXPECT_EQ(kinds.ByResource("example.com", "gadgets"), v1);
  EXPECT_EQ(kinds.ByName("gadgets.v1alpha1.example.com"), alpha);
  const auto place = [&](const ResourceInfo* r) {
    return std::find(kinds.all().begin(), kinds.all().end(), r) - kinds.all().begin();
  };
  EXPECT_EQ(place(v1) + 1, place(alpha));
}

// apimachinery pkg/version/helpers_test.go.
TEST(Kinds, VersionsHaveKubectlsPriority) {
  const std::vector<std::string_view> in_order{
      "v10",       "v2",        "v1",   "v0",    "v11beta2", "v10beta3", "v3beta1",
      "v12alpha1", "v11alpha2", "foo1", "foo10", "v1beta",   "version"};
  for (std::size_t a = 0; a < in_order.size(); ++a)
    for (std::size_t b = 0; b < in_order.size(); ++b)
      EXPECT_EQ(HasPriorityOver(in_order[a], in_order[b]), a < b)
          << in_order[a] << " " << in_order[b];
}

TEST(Kinds, ObjectHashesTellObjectsApart) {
  EXPECT_EQ(ObjectHash("pods", "a", "b"), ObjectHash("pods", "a", "b"));
  std::set<std::uint64_t> seen;
  for (const char* resource : {"pods", "nodes"}) {
    for (const char* ns : {"", "a", "b"}) {
      for (const char* name : {"x", "y"}) seen.insert(ObjectHash(resource, ns, name));
    }
  }
  EXPECT_EQ(seen.size(), 12u);
}

}  // namespace
}  // namespace ksim::api
