// One object as text for people.
//
// Source: kubectl pkg/describe/describe.go (1.36). Kinds without a describer of their own are told
// as it tells custom resources (genericDescriber).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/trace/state.h"

namespace ksim::cli {

// The object, and the cluster that it is in. Both outlive the call that gets them.
struct Described {
  Described(const api::Object& o, const trace::State& s, bool e)
      : object(o), tree(o.ToTree()), state(s), show_events(e) {}
  const api::Object& object;
  value::Value tree;  // with its resource version
  const trace::State& state;
  bool show_events;

  const value::Value& spec() const { return tree.Get("spec"); }
  const value::Value& status() const { return tree.Get("status"); }
  VirtualTime now() const { return VirtualTime(state.time()); }
};

std::string DescribeObject(const api::Object& object, const trace::State& state, bool show_events);

// Describers of kinds.
std::string DescribePod(const Described& d);
std::string DescribeNode(const Described& d);
std::string DescribeReplicaSet(const Described& d);  // and ReplicationControllers
std::string DescribeDeployment(const Described& d);
std::string DescribeStatefulSet(const Described& d);
std::string DescribeDaemonSet(const Described& d);
std::string DescribeJob(const Described& d);
std::string DescribeCronJob(const Described& d);
std::string DescribeService(const Described& d);
std::string DescribeEndpointSlice(const Described& d);
std::string DescribeVolumeClaim(const Described& d);
std::string DescribeStorageClass(const Described& d);
std::string DescribeQuota(const Described& d);
std::string DescribeLimitRange(const Described& d);
std::string DescribeNamespace(const Described& d);
std::string DescribeConfigMap(const Described& d);
std::string DescribeSecret(const Described& d);
std::string DescribeServiceAccount(const Described& d);
std::string DescribePriorityClass(const Described& d);
std::string DescribeDisruptionBudget(const Described& d);
std::string DescribeGenerically(const Described& d);

// What events are about; "" = any.
struct About {
  About() = default;
  std::string ns, api_version, kind, name, uid;
  bool of_namespace = false;  // the object's namespace has to be `ns`, even if that is none
};
// In the order they were written.
std::vector<api::Object> EventsAbout(const trace::State& state, const About& about);

}  // namespace ksim::cli
