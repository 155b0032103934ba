#include "ksim/api/kinds/shared/pod_defaults.h"

#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/known_trees.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/rules/pod/image_reference.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

Value DefaultHttpGet(const Value& v) {
  return WithNonEmpty(WithNonEmpty(v, Fields().path, Value::Of("/")), Fields().scheme,
                      Value::Of("HTTP"));
}

Value DefaultProbe(const Value& v) {
  Value probe = WithNonEmpty(v, Fields().timeout_seconds, Value::Of(1));
  probe = WithNonEmpty(std::move(probe), Fields().period_seconds, Value::Of(10));
  probe = WithNonEmpty(std::move(probe), Fields().success_threshold, Value::Of(1));
  probe = WithNonEmpty(std::move(probe), Fields().failure_threshold, Value::Of(3));
  probe = EditField(std::move(probe), Fields().grpc, [](const Value& grpc) {
    return WithDefault(grpc, Fields().service, Value::Of(""));
  });
  return EditField(std::move(probe), Fields().http_get, DefaultHttpGet);
}

// Go writes a divisor also where the client gave none, since it is a struct.
Value DefaultFieldRef(const Value& v) {
  Value source = EditField(v, Fields().resource_field_ref, [](const Value& ref) {
    return WithDefault(ref, Fields().divisor, Value::Of("0"));
  });
  return EditField(std::move(source), Fields().field_ref, [](const Value& ref) {
    return WithNonEmpty(ref, Fields().api_version, Value::Of("v1"));
  });
}

Value DefaultLifecycle(const Value& v) {
  const auto handler = [](const Value& h) {
    return EditField(h, Fields().http_get, DefaultHttpGet);
  };
  return EditField(EditField(v, Fields().post_start, handler), Fields().pre_stop, handler);
}

// Limits that have no request become requests; a Pod's own containers only, never a template's.
Value RequestsFromLimits(const Value& resources) {
  const Value& limits = resources.Get(Fields().limits);
  if (limits.empty()) return resources;
  Value requests = resources.Get(Fields().requests);
  if (!requests.is_object()) requests = Value::EmptyObject();
  for (const Value::Member& m : limits.members()) {
    requests = WithDefault(std::move(requests), m.name, m.value);
  }
  return resources.Set(Fields().requests, std::move(requests));
}

struct ContainerMode {
  bool pod = false;         // a Pod's, not a template's
  bool host_ports = false;  // containerPort is the hostPort
};

Value DefaultContainer(const Value& v, const ContainerMode& mode) {
  Value c = WithNonEmpty(v, Fields().image_pull_policy,
                         Value::Of(DefaultPullPolicy(v.Get(Fields().image).AsString())));
  c = WithNonEmpty(std::move(c), Fields().termination_message_path,
                   Value::Of("/dev/termination-log"));
  c = WithNonEmpty(std::move(c), Fields().termination_message_policy, Value::Of("File"));
  c = WithDefault(std::move(c), Fields().resources, Value::EmptyObject());
  if (mode.pod) c = EditField(std::move(c), Fields().resources, RequestsFromLimits);
  c = EditField(std::move(c), Fields().ports, [&](const Value& ports) {
    return EditItems(ports, [&](const Value& port) {
      Value p = WithNonEmpty(port, Fields().protocol, Value::Of("TCP"));
      if (!mode.host_ports) return p;
      return WithNonEmpty(std::move(p), Fields().host_port, port.Get(Fields().container_port));
    });
  });
  for (const Atom probe :
       {Fields().liveness_probe, Fields().readiness_probe, Fields().startup_probe}) {
    c = EditField(std::move(c), probe, DefaultProbe);
  }
  c = EditField(std::move(c), Fields().env, [](const Value& env) {
    return EditItems(
        env, [](const Value& e) { return EditField(e, Fields().value_from, DefaultFieldRef); });
  });
  return EditField(std::move(c), Fields().lifecycle, DefaultLifecycle);
}

Value DefaultMode(const Value& source) {
  return WithDefault(source, Fields().default_mode, Value::Of(0644));
}

Value DefaultDownwardItems(const Value& source) {
  return EditField(source, Fields().items,
                   [](const Value& items) { return EditItems(items, DefaultFieldRef); });
}

Value DefaultProjected(const Value& v) {
  return EditField(DefaultMode(v), Fields().sources, [](const Value& sources) {
    return EditItems(sources, [](const Value& source) {
      Value s = EditField(source, Fields().service_account_token, [](const Value& token) {
        return WithDefault(token, Fields().expiration_seconds, Value::Of(3600));
      });
      return EditField(std::move(s), Fields().downward_api, DefaultDownwardItems);
    });
  });
}

Value DefaultVolume(const Value& v) {
  // A volume is its name and one source; none at all means an empty directory.
  if (v.is_object() && (v.empty() || (v.size() == 1 && v.Has("name")))) {
    return v.Set(Fields().empty_dir, Value::EmptyObject());
  }
  Value volume = EditField(v, Fields().config_map, DefaultMode);
  volume = EditField(std::move(volume), Fields().secret, DefaultMode);
  volume = EditField(std::move(volume), Fields().projected, DefaultProjected);
  volume = EditField(std::move(volume), Fields().downward_api,
                     [](const Value& source) { return DefaultDownwardItems(DefaultMode(source)); });
  return EditField(std::move(volume), Fields().host_path, [](const Value& source) {
    return WithDefault(source, Fields().type, Value::Of(""));
  });
}

// The server reads serviceAccount, the field's old name, where serviceAccountName is empty, and
// writes both (core/v1 conversion.go Convert_v1_PodSpec_To_core_PodSpec,
// Convert_core_PodSpec_To_v1_PodSpec).
Value AliasServiceAccount(Value spec) {
  Value name = spec.Get(Fields().service_account_name);
  if (name.AsString().empty()) name = spec.Get(Fields().service_account);
  if (name.AsString().empty()) return spec;
  return spec.Set(Fields().service_account_name, name).Set(Fields().service_account, name);
}

// The defaults that pods and templates share, and those of their containers.
Value DefaultNewSpec(const Value& v, bool pod, Compat compat) {
  Value spec = AliasServiceAccount(v);
  spec = WithNonEmpty(std::move(spec), Fields().dns_policy, Value::Of("ClusterFirst"));
  spec = WithNonEmpty(std::move(spec), Fields().restart_policy, Value::Of("Always"));
  spec = WithDefault(std::move(spec), Fields().security_context, Value::EmptyObject());
  spec = WithDefault(std::move(spec), Fields().termination_grace_period_seconds, Value::Of(30));
  spec = WithNonEmpty(std::move(spec), Fields().scheduler_name, Value::Of("default-scheduler"));
  if (pod) spec = WithDefault(std::move(spec), Fields().enable_service_links, Value::Bool(true));

  ContainerMode mode;
  mode.pod = pod;
  mode.host_ports =
      v.Get(Fields().host_network).AsBool() && (pod || ProfileOf(compat).template_host_ports);
  const auto containers = [&](const Value& list) {
    return EditItems(list, [&](const Value& c) { return DefaultContainer(c, mode); });
  };
  spec = EditField(std::move(spec), Fields().containers, containers);
  spec = EditField(std::move(spec), Fields().init_containers, containers);
  spec = EditField(std::move(spec), Fields().ephemeral_containers, [](const Value& list) {
    return EditItems(list, [](const Value& c) { return DefaultContainer(c, ContainerMode()); });
  });
  return EditField(std::move(spec), Fields().volumes,
                   [](const Value& list) { return EditItems(list, DefaultVolume); });
}

// Every write of an object brings its spec, so most specs have their defaults already: the table
// knows them.
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
  return EditField(std::move(v), Fields().termination_grace_period_seconds,
                   [](const Value& grace) { return grace.AsInt() < 0 ? Value::Of(1) : grace; });
}

Value DefaultPodTemplate(const Value& pod_template, Compat compat) {
  return EditField(pod_template, Fields().spec,
                   [&](const Value& spec) { return DefaultSpec(spec, false, compat); });
}

}  // namespace ksim::api
