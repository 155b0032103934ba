#include "ksim/api/strategy/pod_defaults.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ksim/api/core/known_trees.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/strategy/defaulting.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom active{"active"}, api_version{"apiVersion"}, config_map{"configMap"},
      containers{"containers"}, container_port{"containerPort"}, default_mode{"defaultMode"},
      divisor{"divisor"}, dns_policy{"dnsPolicy"}, downward_api{"downwardAPI"}, env{"env"},
      empty_dir{"emptyDir"}, ephemeral_containers{"ephemeralContainers"}, exec{"exec"},
      expiration_seconds{"expirationSeconds"}, failure_threshold{"failureThreshold"},
      field_ref{"fieldRef"}, grpc{"grpc"}, host_network{"hostNetwork"}, host_path{"hostPath"},
      host_port{"hostPort"}, http_get{"httpGet"}, image{"image"},
      image_pull_policy{"imagePullPolicy"}, init_containers{"initContainers"}, items{"items"},
      lifecycle{"lifecycle"}, limits{"limits"}, liveness{"livenessProbe"}, name{"name"},
      path{"path"}, period{"periodSeconds"}, ports{"ports"}, post_start{"postStart"},
      pre_stop{"preStop"}, projected{"projected"}, protocol{"protocol"},
      readiness{"readinessProbe"}, requests{"requests"}, resource_ref{"resourceFieldRef"},
      resources{"resources"}, restart_policy{"restartPolicy"}, scheduler_name{"schedulerName"},
      scheme{"scheme"}, secret{"secret"}, security_context{"securityContext"}, service{"service"},
      service_account{"serviceAccountName"}, service_account_alias{"serviceAccount"},
      service_account_token{"serviceAccountToken"}, service_links{"enableServiceLinks"},
      sources{"sources"}, spec{"spec"}, startup{"startupProbe"},
      success_threshold{"successThreshold"}, grace{"terminationGracePeriodSeconds"},
      message_path{"terminationMessagePath"}, message_policy{"terminationMessagePolicy"},
      timeout{"timeoutSeconds"}, type{"type"}, value_from{"valueFrom"}, volumes{"volumes"};
};
const Names& N() {
  static const Names names;
  return names;
}

Value DefaultHttpGet(const Value& v) {
  return WithNonEmpty(WithNonEmpty(v, N().path, Value::Of("/")), N().scheme, Value::Of("HTTP"));
}

Value DefaultProbe(const Value& v) {
  Value probe = WithNonEmpty(v, N().timeout, Value::Of(1));
  probe = WithNonEmpty(std::move(probe), N().period, Value::Of(10));
  probe = WithNonEmpty(std::move(probe), N().success_threshold, Value::Of(1));
  probe = WithNonEmpty(std::move(probe), N().failure_threshold, Value::Of(3));
  probe = EditField(std::move(probe), N().grpc, [](const Value& grpc) {
    return WithDefault(grpc, N().service, Value::Of(""));
  });
  return EditField(std::move(probe), N().http_get, DefaultHttpGet);
}

// A divisor is a struct to Go: it is written also where nobody gave one.
Value DefaultFieldRef(const Value& v) {
  Value source = EditField(v, N().resource_ref, [](const Value& ref) {
    return WithDefault(ref, N().divisor, Value::Of("0"));
  });
  return EditField(std::move(source), N().field_ref, [](const Value& ref) {
    return WithNonEmpty(ref, N().api_version, Value::Of("v1"));
  });
}

Value DefaultLifecycle(const Value& v) {
  const auto handler = [](const Value& h) { return EditField(h, N().http_get, DefaultHttpGet); };
  return EditField(EditField(v, N().post_start, handler), N().pre_stop, handler);
}

// Limits that have no request become requests; a Pod's own containers only, never a template's.
Value RequestsFromLimits(const Value& resources) {
  const Value& limits = resources.Get(N().limits);
  if (limits.empty()) return resources;
  Value requests = resources.Get(N().requests);
  if (!requests.is_object()) requests = Value::EmptyObject();
  for (const Value::Member& m : limits.members()) {
    requests = WithDefault(std::move(requests), m.name, m.value);
  }
  return resources.Set(N().requests, std::move(requests));
}

struct ContainerMode {
  bool pod = false;         // a Pod's, not a template's
  bool host_ports = false;  // containerPort is the hostPort
};

Value DefaultContainer(const Value& v, const ContainerMode& mode) {
  Value c = WithNonEmpty(v, N().image_pull_policy,
                         Value::Of(DefaultPullPolicy(v.Get(N().image).AsString())));
  c = WithNonEmpty(std::move(c), N().message_path, Value::Of("/dev/termination-log"));
  c = WithNonEmpty(std::move(c), N().message_policy, Value::Of("File"));
  c = WithDefault(std::move(c), N().resources, Value::EmptyObject());
  if (mode.pod) c = EditField(std::move(c), N().resources, RequestsFromLimits);
  c = EditField(std::move(c), N().ports, [&](const Value& ports) {
    return EditItems(ports, [&](const Value& port) {
      Value p = WithNonEmpty(port, N().protocol, Value::Of("TCP"));
      if (!mode.host_ports) return p;
      return WithNonEmpty(std::move(p), N().host_port, port.Get(N().container_port));
    });
  });
  for (const Atom probe : {N().liveness, N().readiness, N().startup}) {
    c = EditField(std::move(c), probe, DefaultProbe);
  }
  c = EditField(std::move(c), N().env, [](const Value& env) {
    return EditItems(env,
                     [](const Value& e) { return EditField(e, N().value_from, DefaultFieldRef); });
  });
  return EditField(std::move(c), N().lifecycle, DefaultLifecycle);
}

Value DefaultMode(const Value& source) {
  return WithDefault(source, N().default_mode, Value::Of(0644));
}

Value DefaultDownwardItems(const Value& source) {
  return EditField(source, N().items,
                   [](const Value& items) { return EditItems(items, DefaultFieldRef); });
}

Value DefaultProjected(const Value& v) {
  return EditField(DefaultMode(v), N().sources, [](const Value& sources) {
    return EditItems(sources, [](const Value& source) {
      Value s = EditField(source, N().service_account_token, [](const Value& token) {
        return WithDefault(token, N().expiration_seconds, Value::Of(3600));
      });
      return EditField(std::move(s), N().downward_api, DefaultDownwardItems);
    });
  });
}

Value DefaultVolume(const Value& v) {
  // A volume is its name and one source; none at all means an empty directory.
  if (v.is_object() && (v.size() == 0 || (v.size() == 1 && v.Has("name")))) {
    return v.Set(N().empty_dir, Value::EmptyObject());
  }
  Value volume = EditField(v, N().config_map, DefaultMode);
  volume = EditField(std::move(volume), N().secret, DefaultMode);
  volume = EditField(std::move(volume), N().projected, DefaultProjected);
  volume = EditField(std::move(volume), N().downward_api,
                     [](const Value& source) { return DefaultDownwardItems(DefaultMode(source)); });
  return EditField(std::move(volume), N().host_path, [](const Value& source) {
    return WithDefault(source, N().type, Value::Of(""));
  });
}

// The field's old name is read where the new one is empty, and written beside it (core/v1
// conversion.go Convert_v1_PodSpec_To_core_PodSpec, Convert_core_PodSpec_To_v1_PodSpec).
Value AliasServiceAccount(Value spec) {
  Value name = spec.Get(N().service_account);
  if (name.AsString().empty()) name = spec.Get(N().service_account_alias);
  if (name.AsString().empty()) return spec;
  return spec.Set(N().service_account, name).Set(N().service_account_alias, name);
}

// What pods and templates share, and the containers of either.
Value DefaultNewSpec(const Value& v, bool pod, Compat compat) {
  Value spec = AliasServiceAccount(v);
  spec = WithNonEmpty(std::move(spec), N().dns_policy, Value::Of("ClusterFirst"));
  spec = WithNonEmpty(std::move(spec), N().restart_policy, Value::Of("Always"));
  spec = WithDefault(std::move(spec), N().security_context, Value::EmptyObject());
  spec = WithDefault(std::move(spec), N().grace, Value::Of(30));
  spec = WithNonEmpty(std::move(spec), N().scheduler_name, Value::Of("default-scheduler"));
  if (pod) spec = WithDefault(std::move(spec), N().service_links, Value::Bool(true));

  ContainerMode mode;
  mode.pod = pod;
  // Templates got host ports too until DefaultHostNetworkHostPortsInPodTemplates was dropped.
  mode.host_ports = v.Get(N().host_network).AsBool() && (pod || compat == Compat::k1_25);
  const auto containers = [&](const Value& list) {
    return EditItems(list, [&](const Value& c) { return DefaultContainer(c, mode); });
  };
  spec = EditField(std::move(spec), N().containers, containers);
  spec = EditField(std::move(spec), N().init_containers, containers);
  spec = EditField(std::move(spec), N().ephemeral_containers, [](const Value& list) {
    return EditItems(list, [](const Value& c) { return DefaultContainer(c, ContainerMode()); });
  });
  return EditField(std::move(spec), N().volumes,
                   [](const Value& list) { return EditItems(list, DefaultVolume); });
}

// Most specs have been through here: they come with every write of their object.
Value DefaultSpec(const Value& v, bool pod, Compat compat) {
  // NOLINT(ksim-static): a hit and a miss give the same tree.
  thread_local KnownTrees complete;
  if (!v.is_object()) return v;
  const auto aspect = 2 * static_cast<std::uint64_t>(compat) + (pod ? 1 : 0);
  const KnownTrees::Place known = complete.Of(v, aspect);
  if (known.found()) return v;
  Value spec = DefaultNewSpec(v, pod, compat);
  if (spec.SameTree(v)) known.Remember();
  return spec;
}

}  // namespace

Value DefaultPodSpec(const Value& spec, Compat compat) {
  Value v = DefaultSpec(spec, true, compat);
  // core/v1 conversion.go Convert_v1_Pod_To_core_Pod.
  return EditField(std::move(v), N().grace,
                   [](const Value& grace) { return grace.AsInt() < 0 ? Value::Of(1) : grace; });
}

Value DefaultPodTemplate(const Value& pod_template, Compat compat) {
  return EditField(pod_template, N().spec,
                   [&](const Value& spec) { return DefaultSpec(spec, false, compat); });
}

}  // namespace ksim::api
