// References that lead nowhere, and what a kubelet says of each, as one table: the waiting
// container's reason and message, and the pod's Warning events. There are a ConfigMap m and a
// Secret t, with the key k each; m has b among its binary data. Nothing else is there.
//
// Sources: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables, getPullSecretsForPod;
// pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer;
// pkg/volume/{configmap,secret,projected,downwardapi}; pkg/api/v1/resource/helpers.go.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using value::Value;

// Entries of envFrom and env, and volumes, with the field that comes behind.
std::string Map(const std::string& name, const std::string& more = "") {
  return R"({"configMapRef":{"name":")" + name + "\"" + more + "}}";
}
std::string Secret(const std::string& name, const std::string& more = "") {
  return R"({"secretRef":{"name":")" + name + "\"" + more + "}}";
}
std::string Variable(const std::string& from) {
  return R"({"name":"e","valueFrom":{)" + from + "}}";
}
std::string KeyOf(const std::string& kind, const std::string& name, const std::string& key,
                  const std::string& more = "") {
  return Variable("\"" + kind + R"(KeyRef":{"name":")" + name + R"(","key":")" + key + "\"" + more +
                  "}");
}
std::string Limit(const std::string& container) {
  return R"("resourceFieldRef":{"resource":"limits.cpu")" +
         (container.empty() ? "" : R"(,"containerName":")" + container + "\"") + "}";
}
std::string Items(const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys)
    out += (out.empty() ? "" : ",") + (R"({"key":")" + key + R"(","path":")" + key + "\"}");
  return R"(,"items":[)" + out + "]";
}
std::string MapVolume(const std::string& name, const std::string& more = "") {
  return R"("configMap":{"name":")" + name + "\"" + more + "}";
}
std::string SecretVolume(const std::string& name, const std::string& more = "") {
  return R"("secret":{"secretName":")" + name + "\"" + more + "}";
}
std::string SecretSource(const std::string& name, const std::string& more = "") {
  return R"("secret":{"name":")" + name + "\"" + more + "}";
}
std::string Downward(const std::vector<std::string>& containers) {
  std::string out;
  for (const std::string& name : containers)
    out += (out.empty() ? "" : ",") + (R"({"path":")" + name + "\"," + Limit(name) + "}");
  return R"("downwardAPI":{"items":[)" + out + "]}";
}
std::string Projected(const std::vector<std::string>& sources) {
  std::string out;
  for (const std::string& source : sources) out += (out.empty() ? "{" : ",{") + source + "}";
  return R"("projected":{"sources":[)" + out + "]}";
}

const std::string kOptional = R"(,"optional":true)";

// The pod, as fields of its container and of its spec, and what is told of it.
struct Row {
  Row(std::string w, std::string c, std::string s, std::string waits, std::vector<std::string> e)
      : what(std::move(w)),
        container(std::move(c)),
        spec(std::move(s)),
        waiting(std::move(waits)),
        events(std::move(e)) {}
  std::string what, container, spec;
  std::string waiting;              // of the container c: "REASON: message"; "" = it runs
  std::vector<std::string> events;  // "REASON message" of the Warnings, in the order of the texts
};

// An environment in which `error` is wrong; "" = nothing.
Row Env(const std::string& what, const std::vector<std::string>& from,
        const std::vector<std::string>& env, const std::string& error) {
  const auto list = [](const std::vector<std::string>& entries) {
    return fmt::format("[{}]", fmt::join(entries, ","));
  };
  const std::string container = R"(,"envFrom":)" + list(from) + R"(,"env":)" + list(env);
  if (error.empty()) return Row(what, container, "", "", {});
  return Row(what, container, "", "CreateContainerConfigError: " + error,
             {"Failed Error: " + error});
}

constexpr const char* kMount = R"(,"volumeMounts":[{"name":"v","mountPath":"/v"}])";

// A volume that is mounted and in which `error` is wrong.
Row Volume(const std::string& what, const std::string& volume, const std::string& error) {
  const std::string spec = R"(,"volumes":[{"name":"v",)" + volume + "}]";
  if (error.empty()) return Row(what, kMount, spec, "", {});
  return Row(what, kMount, spec, "ContainerCreating",
             {"FailedMount MountVolume.SetUp failed for volume \"v\" : " + error});
}

const std::string kNoMap = "configmap \"n\" not found";
const std::string kNoSecret = "secret \"n\" not found";

std::vector<Row> EnvironmentRows() {
  const auto map_key = [](const std::string& name, const std::string& key,
                          const std::string& more = "") {
    return KeyOf("configMap", name, key, more);
  };
  const auto secret_key = [](const std::string& name, const std::string& key,
                             const std::string& more = "") {
    return KeyOf("secret", name, key, more);
  };
  const std::string no_key = "couldn't find key x in ConfigMap default/m";
  return {
      Env("envFrom: a map", {Map("n")}, {}, kNoMap),
      Env("envFrom: a secret", {Secret("n")}, {}, kNoSecret),
      Env("envFrom: an optional map", {Map("n", kOptional)}, {}, ""),
      Env("envFrom: an optional secret", {Secret("n", kOptional)}, {}, ""),
      Env("envFrom: a map that is there", {Map("m")}, {}, ""),
      Env("envFrom: a secret that is there", {Secret("t")}, {}, ""),
      Env("envFrom: both there", {Map("m"), Secret("t")}, {}, ""),
      Env("envFrom: an optional one before", {Map("n", kOptional), Secret("n")}, {}, kNoSecret),
      Env("envFrom: the first counts", {Secret("n"), Map("n")}, {}, kNoSecret),
      Env("envFrom: one that is there before", {Map("m"), Map("n")}, {}, kNoMap),
      Env("envFrom: optional, then not", {Map("n", kOptional), Map("n")}, {}, kNoMap),
      Env("envFrom: a prefix", {R"({"prefix":"P_",)" + Map("n").substr(1)}, {}, kNoMap),
      Env("env: a map", {}, {map_key("n", "k")}, kNoMap),
      Env("env: a key", {}, {map_key("m", "x")}, no_key),
      Env("env: an optional key", {}, {map_key("m", "x", kOptional)}, ""),
      Env("env: an optional map", {}, {map_key("n", "k", kOptional)}, ""),
      Env("env: a key that is there", {}, {map_key("m", "k")}, ""),
      Env("env: binary data are no variable", {}, {map_key("m", "b")},
          "couldn't find key b in ConfigMap default/m"),
      Env("env: a secret", {}, {secret_key("n", "k")}, kNoSecret),
      Env("env: a key of a secret", {}, {secret_key("t", "x")},
          "couldn't find key x in Secret default/t"),
      Env("env: an optional key of a secret", {}, {secret_key("t", "x", kOptional)}, ""),
      Env("env: an optional secret", {}, {secret_key("n", "k", kOptional)}, ""),
      Env("env: a key of a secret that is there", {}, {secret_key("t", "k")}, ""),
      Env("env: the first counts", {}, {map_key("m", "x"), map_key("m", "y")}, no_key),
      Env("env: an optional one before", {}, {map_key("n", "k", kOptional), secret_key("n", "k")},
          kNoSecret),
      Env("env: the map before its key", {}, {map_key("n", "x")}, kNoMap),
      Env("envFrom before env", {Secret("n")}, {map_key("m", "x")}, kNoSecret),
      Env("env behind envFrom", {Secret("t")}, {map_key("m", "x")}, no_key),
      Env("env: left out by envFrom, wanted by env", {Map("n", kOptional)}, {map_key("n", "k")},
          kNoMap),
      Env("env: a value", {}, {R"({"name":"e","value":"v"})"}, ""),
      Env("env: a field", {}, {Variable(R"("fieldRef":{"fieldPath":"metadata.name"})")}, ""),
      Env("env: an annotation that is not there", {},
          {Variable(R"("fieldRef":{"fieldPath":"metadata.annotations['x']"})")}, ""),
      Env("env: its own limit", {}, {Variable(Limit(""))}, ""),
      Env("env: its own limit by name", {}, {Variable(Limit("c"))}, ""),
      Env("env: the limit of a container", {}, {Variable(Limit("d"))}, "container d not found"),
      Env("env: a container before a map", {}, {Variable(Limit("d")), map_key("n", "k")},
          "container d not found"),
      Env("env: a map before a container", {}, {map_key("n", "k"), Variable(Limit("d"))}, kNoMap),
  };
}

std::vector<Row> VolumeRows() {
  const std::string no_key = "configmap references non-existent config key: x";
  const std::string no_secret_key = "references non-existent secret key: x";
  const std::string x = Items({"x"});
  return {
      Volume("a map", MapVolume("n"), kNoMap),
      Volume("an optional map", MapVolume("n", kOptional), ""),
      Volume("a map that is there", MapVolume("m"), ""),
      Volume("a key that is there", MapVolume("m", Items({"k"})), ""),
      Volume("a binary key", MapVolume("m", Items({"b"})), ""),
      Volume("a key", MapVolume("m", x), no_key),
      Volume("the first key counts", MapVolume("m", Items({"k", "x", "y"})), no_key),
      Volume("an optional key", MapVolume("m", x + kOptional), ""),
      Volume("the map before its key", MapVolume("n", x), kNoMap),
      Volume("an optional map with a key", MapVolume("n", x + kOptional), ""),
      Volume("a secret", SecretVolume("n"), kNoSecret),
      Volume("an optional secret", SecretVolume("n", kOptional), ""),
      Volume("a secret that is there", SecretVolume("t"), ""),
      Volume("a key of a secret", SecretVolume("t", x), no_secret_key),
      Volume("an optional key of a secret", SecretVolume("t", x + kOptional), ""),
      Volume("a key of a secret that is there", SecretVolume("t", Items({"k"})), ""),
      Volume("projected: a map", Projected({MapVolume("n")}), kNoMap),
      Volume("projected: a secret", Projected({SecretSource("n")}), kNoSecret),
      Volume("projected: both", Projected({MapVolume("n"), SecretSource("n")}),
             "[" + kNoMap + ", " + kNoSecret + "]"),
      Volume("projected: both the other way", Projected({SecretSource("n"), MapVolume("n")}),
             "[" + kNoSecret + ", " + kNoMap + "]"),
      Volume("projected: the same twice", Projected({MapVolume("n"), MapVolume("n")}), kNoMap),
      Volume("projected: one is there", Projected({MapVolume("m"), SecretSource("n")}), kNoSecret),
      Volume("projected: optional", Projected({MapVolume("n", kOptional), SecretSource("t")}), ""),
      Volume("projected: keys", Projected({MapVolume("m", x), SecretSource("t", Items({"y"}))}),
             "[" + no_key + ", references non-existent secret key: y]"),
      Volume("projected: an optional key", Projected({MapVolume("m", x + kOptional)}), ""),
      Volume("projected: a container", Projected({Downward({"d"})}), "container d not found"),
      Volume("projected: a container before a map", Projected({Downward({"d"}), MapVolume("n")}),
             "[container d not found, " + kNoMap + "]"),
      Volume("projected: two containers", Projected({Downward({"d", "e"}), SecretSource("t")}),
             "[container d not found, container e not found]"),
      Volume("projected: its own container", Projected({Downward({"c"})}), ""),
      Volume("projected: the root authority", Projected({MapVolume("kube-root-ca.crt")}), ""),
      Volume("downward: a container", Downward({"d"}), "container d not found"),
      Volume("downward: two", Downward({"d", "c", "e"}),
             "[container d not found, container e not found]"),
      Volume("downward: its own", Downward({"c"}), ""),
      Volume("downward: a field",
             R"("downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"metadata.labels"}}]})",
             ""),
      Volume("empty", R"("emptyDir":{})", ""),
  };
}

std::vector<Row> OtherRows(api::Compat compat) {
  const std::string mount_failed = "FailedMount MountVolume.SetUp failed for volume ";
  const std::string told =
      "FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets ({}); attempting "
      "to pull the image may not succeed.";
  const bool v125 = compat == api::Compat::k1_25;
  const auto pull_secrets = [&](const std::string& names) {
    return v125 ? std::vector<std::string>()
                : std::vector<std::string>{fmt::format(fmt::runtime(told), names)};
  };
  const auto skipped = [&](const std::string& text) {
    return v125 ? std::vector<std::string>{"InvalidEnvironmentVariableNames " + text +
                                           " were skipped since they are considered invalid "
                                           "environment variable names."}
                : std::vector<std::string>();
  };
  const std::string both_volumes = R"(,"volumes":[{"name":"v",)" + MapVolume("n") +
                                   R"(},{"name":"w",)" + SecretVolume("n") + "}]";
  const std::string init = R"(,"initContainers":[{"name":"i","image":"web:1")";
  return {
      Row("a volume that nobody mounts", "", R"(,"volumes":[{"name":"v",)" + MapVolume("n") + "}]",
          "", {}),
      Row("two volumes",
          R"(,"volumeMounts":[{"name":"v","mountPath":"/v"},{"name":"w","mountPath":"/w"}])",
          both_volumes, "ContainerCreating",
          {mount_failed + "\"v\" : " + kNoMap, mount_failed + "\"w\" : " + kNoSecret}),
      Row("one of two volumes is mounted", kMount, both_volumes, "ContainerCreating",
          {mount_failed + "\"v\" : " + kNoMap}),
      Row("volumes before the environment", kMount + (R"(,"envFrom":[)" + Secret("n") + "]"),
          R"(,"volumes":[{"name":"v",)" + MapVolume("n") + "}]", "ContainerCreating",
          {mount_failed + "\"v\" : " + kNoMap}),
      Row("an init container's environment", "", init + R"(,"envFrom":[)" + Map("n") + "]}]",
          "PodInitializing", {"Failed Error: " + kNoMap}),
      Row("an init container's volume", "",
          init + kMount + R"(}],"volumes":[{"name":"v",)" + MapVolume("n") + "}]",
          "PodInitializing", {mount_failed + "\"v\" : " + kNoMap}),
      Row("a pull secret", "", R"(,"imagePullSecrets":[{"name":"n"}])", "", pull_secrets("n")),
      Row("two pull secrets", "", R"(,"imagePullSecrets":[{"name":"n"},{"name":"o"}])", "",
          pull_secrets("n, o")),
      Row("one of two pull secrets", "", R"(,"imagePullSecrets":[{"name":"t"},{"name":"o"}])", "",
          pull_secrets("o")),
      Row("a pull secret that is there", "", R"(,"imagePullSecrets":[{"name":"t"}])", "", {}),
      Row("keys that are no names", R"(,"envFrom":[)" + Map("odd") + "]", "", "",
          skipped("Keys [1st, 2nd] from the EnvFrom configMap default/odd")),
      Row("keys of a secret that are no names", R"(,"envFrom":[)" + Secret("odd") + "]", "", "",
          skipped("Keys [3rd] from the EnvFrom secret default/odd")),
      Row("keys that a prefix makes names",
          R"(,"envFrom":[{"prefix":"P_",)" + Map("odd").substr(1) + "]", "", "", {}),
  };
}

class KubeletReferences : public testing::TestWithParam<api::Compat> {
 public:
  KubeletReferences() : w(GetParam()) {
    w.StartKubelet("n1");
    w.Create("configmaps",
             R"({"metadata":{"name":"m"},"data":{"k":"v"},"binaryData":{"b":"eA=="}})");
    w.Create("configmaps", R"({"metadata":{"name":"odd"},"data":{"1st":"a","ok":"b","2nd":"c"}})");
    w.Create("secrets", R"({"metadata":{"name":"t"},"data":{"k":"dg=="}})");
    w.Create("secrets", R"({"metadata":{"name":"odd"},"data":{"3rd":"dg=="}})");
  }

  // Runs the pod of each row, a few at a time, for a kubelet of 1.25 sends no more than ten Events
  // at once, and compares what is told of them.
  void Judge(const std::vector<Row>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string json = fmt::format(
          R"({{"metadata":{{"name":"p{}"}},"spec":{{"nodeName":"n1","containers":[{{"name":"c",)"
          R"("image":"web:1"{}}}]{}}}}})",
          i, rows[i].container, rows[i].spec);
      ASSERT_FALSE(w.Create("pods", json).empty()) << rows[i].what << json;
      if (i % 3 == 2) w.Advance(Seconds(5));
    }
    w.Advance(Seconds(30));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string pod = fmt::format("p{}", i);
      EXPECT_EQ(WaitingOf(pod), rows[i].waiting) << rows[i].what;
      EXPECT_EQ(WarningsOf(pod), rows[i].events) << rows[i].what;
    }
  }

 private:
  std::string WaitingOf(const std::string& pod) {
    for (const Value& c : w.Get("pods", pod).status().Get("containerStatuses").items()) {
      const Value& state = c.Get("state");
      if (state.Has("running")) return "";
      const std::string_view message = state.Get("waiting").Get("message").AsString();
      std::string out(state.Get("waiting").Get("reason").AsString());
      return message.empty() ? out : out + ": " + std::string(message);
    }
    return "no status";
  }
  std::vector<std::string> WarningsOf(const std::string& pod) {
    std::set<std::string> texts;
    for (const api::Object& event : w.List("events")) {
      const Value& tree = event.tree();
      if (tree.Get("involvedObject").Get("name").AsString() != pod ||
          tree.Get("type").AsString() != "Warning")
        continue;
      texts.insert(
          fmt::format("{} {}", tree.Get("reason").AsString(), tree.Get("message").AsString()));
    }
    return std::vector<std::string>(texts.begin(), texts.end());
  }

  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletReferences, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-REF-02
TEST_P(KubeletReferences, OfEnvironments) { Judge(EnvironmentRows()); }

// KUBELET-REF-03
TEST_P(KubeletReferences, OfVolumes) { Judge(VolumeRows()); }

// KUBELET-REF-02, KUBELET-REF-03, KUBELET-REF-06
TEST_P(KubeletReferences, OfPodsWithSeveral) { Judge(OtherRows(GetParam())); }

}  // namespace
}  // namespace ksim
