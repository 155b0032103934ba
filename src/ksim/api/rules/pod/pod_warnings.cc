#include "ksim/api/rules/pod/pod_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kNoSelector = "a null labelSelector results in matching no pod";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

using Pair = std::pair<std::string_view, std::string_view>;

// pkg/api/node/util.go; the last three are newer than 1.30.
constexpr Pair kOldLabels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"}};
constexpr std::size_t kLabelsOf130 = 5;

constexpr Pair kOldAnnotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"}};

constexpr Pair kOldVolumes[] = {
    {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "deprecated in v1.11"},
    {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "deprecated in v1.28, non-functional in v1.31+"}};

std::string_view Text(const Value& v, Atom field) { return v.Get(field).AsString(); }

class Remarks {
 public:
  Remarks(const Value& object, std::string_view prefix, Compat compat)
      : metadata_(object.Get(Fields().metadata)),
        spec_(object.Get(Fields().spec)),
        prefix_(prefix),
        compat_(compat),
        profile_(ProfileOf(compat)) {}

  std::vector<std::string> Take() {
    OldNodeLabels();
    Spread();
    Annotations();
    Volumes();
    Repeated(Fields().host_aliases, Fields().ip, "ip");
    Repeated(Fields().image_pull_secrets, Fields().name, "name");
    EmptyPullSecrets();
    Fractions(spec_.Get(Fields().overhead), Path("spec.overhead"));
    EachContainer([&](const Value& c, const std::string& at) { Container(c, at); });
    EachContainer([&](const Value& c, const std::string& at) { Ports(c, at); });
    if (profile_.warns_of_port_names)
      EachContainer([&](const Value& c, const std::string& at) { PortNames(c, at); });
    if (spec_.Get(Fields().termination_grace_period_seconds).AsInt() < 0) {
      Add(Path("spec.terminationGracePeriodSeconds"),
          "must be >= 0; negative values are invalid and will be treated as 1");
    }
    PodAffinity(Fields().pod_affinity, Path("spec.affinity.podAffinity"));
    PodAffinity(Fields().pod_anti_affinity, Path("spec.affinity.podAntiAffinity"));
    return std::move(out_);
  }

 private:
  struct Port {
    std::string field;
    const Value* port;
  };

  std::string Path(std::string_view field) const { return fmt::format("{}{}", prefix_, field); }
  void Add(std::string_view field, std::string_view text) {
    out_.push_back(fmt::format("{}: {}", field, text));
  }

  std::string_view OldLabel(std::string_view key) const {
    const std::size_t count =
        profile_.warns_of_newer_old_labels ? std::size(kOldLabels) : kLabelsOf130;
    for (std::size_t i = 0; i < count; ++i) {
      if (kOldLabels[i].first == key) return kOldLabels[i].second;
    }
    return "";
  }

  void OldNodeLabels() {
    for (const Value::Member& m : spec_.Get(Fields().node_selector).members()) {
      const std::string_view key = m.name.text();
      if (const std::string_view text = OldLabel(key); !text.empty())
        Add(Path(fmt::format("spec.nodeSelector[{}]", key)), text);
    }
    const Value& affinity = spec_.Get(Fields().affinity).Get(Fields().node_affinity);
    const std::string path = Path("spec.affinity.nodeAffinity");
    const Value& terms = affinity.Get(Fields().required_during_scheduling_ignored_during_execution)
                             .Get(Fields().node_selector_terms);
    for (std::size_t i = 0; i < terms.size(); ++i)
      Term(terms.at(i), false, fmt::format("{}.{}.nodeSelectorTerms[{}]", path, kRequired, i));
    const Value& preferred =
        affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
    for (std::size_t i = 0; i < preferred.size(); ++i)
      Term(preferred.at(i).Get(Fields().preference), true,
           fmt::format("{}.{}[{}].preference", path, kPreferred, i));
  }

  // Values of terms that need not match are only remarked about, from 1.33 on.
  void Term(const Value& term, bool values, const std::string& path) {
    const Value& expressions = term.Get(Fields().match_expressions);
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      const Value& e = expressions.at(i);
      const std::string_view key = Text(e, Fields().key);
      if (const std::string_view text = OldLabel(key); !text.empty())
        Add(fmt::format("{}.matchExpressions[{}].key", path, i),
            fmt::format("{} is {}", key, text));
      if (!values || !profile_.warns_of_affinity_values) continue;
      for (std::size_t j = 0; j < e.Get(Fields().values).size(); ++j) {
        const std::string_view label = e.Get(Fields().values).at(j).AsString();
        for (const std::string& problem : LabelValue(label, compat_))
          Add(fmt::format("{}.matchExpressions[{}].values[{}]", path, i, j),
              fmt::format("{} is invalid, {}", label, problem));
      }
    }
  }

  void Spread() {
    const Value& constraints = spec_.Get(Fields().topology_spread_constraints);
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const std::string at = Path(fmt::format("spec.topologySpreadConstraints[{}]", i));
      const std::string_view key = Text(constraints.at(i), Fields().topology_key);
      if (const std::string_view text = OldLabel(key); !text.empty())
        Add(at + ".topologyKey", fmt::format("{} is {}", key, text));
      if (constraints.at(i).Get(Fields().label_selector).is_null())
        Add(at + ".labelSelector", kNoSelector);
    }
  }

  void Annotations() {
    const Value& annotations = metadata_.Get(Fields().annotations);
    for (const auto& [key, text] : kOldAnnotations) {
      if (annotations.Has(key)) Add(Path(fmt::format("metadata.annotations[{}]", key)), text);
    }
  }

  void Volumes() {
    const Value& volumes = spec_.Get(Fields().volumes);
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      for (const auto& [source, text] : kOldVolumes) {
        if (!volumes.at(i).Get(source).is_object()) continue;
        const bool off = source == "gitRepo" && profile_.warns_git_repo_is_off;
        Add(Path(fmt::format("spec.volumes[{}].{}", i,
                             source == "storageos" ? "storageOS" : source)),
            fmt::format("{}{}", text, off ? ", and disabled by default in v1.33+" : ""));
      }
    }
  }

  void Repeated(Atom list, Atom field, std::string_view word) {
    const Value& items = spec_.Get(list);
    for (std::size_t i = 1; i < items.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (Text(items.at(j), field) != Text(items.at(i), field)) continue;
        Add(Path(fmt::format("spec.{}[{}].{}", list.text(), i, word)),
            fmt::format("duplicate {} {}", word, GoQuote(Text(items.at(i), field))));
        break;
      }
    }
  }

  void EmptyPullSecrets() {
    const Value& secrets = spec_.Get(Fields().image_pull_secrets);
    for (std::size_t i = 0; i < secrets.size(); ++i) {
      if (Text(secrets.at(i), Fields().name).empty())
        Add(Path(fmt::format("spec.imagePullSecrets[{}].name", i)), "invalid empty name \"\"");
    }
  }

  void Fraction(const Value& list, std::string_view resource, const std::string& path) {
    const Value& quantity = list.Get(resource);
    if (quantity.is_null()) return;
    const auto amount = value::Quantity::FromTree(quantity);
    if (!amount.ok() || amount->MilliValue() % 1000 == 0) return;
    Add(fmt::format("{}[{}]", path, resource),
        fmt::format("fractional byte value {} is invalid, must be an integer",
                    GoQuote(amount->ToString())));
  }
  void Fractions(const Value& list, const std::string& path) {
    if (!list.is_object()) return;
    Fraction(list, "memory", path);
    Fraction(list, "ephemeral-storage", path);
  }

  template <class Visit>
  void EachContainer(const Visit& visit) {
    for (const Atom list : {Fields().init_containers, Fields().containers}) {
      const Value& containers = spec_.Get(list);
      for (std::size_t i = 0; i < containers.size(); ++i)
        visit(containers.at(i), Path(fmt::format("spec.{}[{}]", list.text(), i)));
    }
  }

  void Container(const Value& c, const std::string& at) {
    const Value& resources = c.Get(Fields().resources);
    for (const char* resource : {"memory", "ephemeral-storage"}) {
      Fraction(resources.Get(Fields().limits), resource, at + ".resources.limits");
      Fraction(resources.Get(Fields().requests), resource, at + ".resources.requests");
    }
    const Value& env = c.Get(Fields().env);
    for (std::size_t i = 1; i < env.size(); ++i) {
      const std::string_view name = Text(env.at(i), Fields().name);
      bool known = false;
      for (std::size_t j = 0; j < i; ++j) known = known || Text(env.at(j), Fields().name) == name;
      if (!known) continue;
      const std::string ref = fmt::format("$({})", name);
      const std::string_view text = Text(env.at(i), Fields().value);
      const bool extends = env.at(i).Get(Fields().value_from).is_null() && text != ref &&
                           text.find(ref) != text.npos;
      if (extends) continue;
      Add(fmt::format("{}.env[{}]", at, i),
          fmt::format("hides previous definition of {}, which may be dropped when using apply",
                      GoQuote(name)));
    }
  }

  void Ports(const Value& c, const std::string& at) {
    const Value& ports = c.Get(Fields().ports);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const Value& port = ports.at(i);
      const std::string field = fmt::format("{}.ports[{}]", at, i);
      if (!Text(port, Fields().host_ip).empty() && port.Get(Fields().host_port).AsInt() == 0) {
        Add(field, fmt::format("hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} "
                               "Protocol:{} HostIP:{}}}",
                               Text(port, Fields().name), port.Get(Fields().container_port).AsInt(),
                               Text(port, Fields().protocol), Text(port, Fields().host_ip)));
      }
      for (const Port& other : ports_) ComparePorts(field, port, other);
      ports_.push_back({field, &port});
    }
  }

  void ComparePorts(const std::string& field, const Value& port, const Port& other) {
    const Value& before = *other.port;
    if (port.Get(Fields().container_port) != before.Get(Fields().container_port) ||
        Text(port, Fields().protocol) != Text(before, Fields().protocol))
      return;
    const std::int64_t a = port.Get(Fields().host_port).AsInt();
    const std::int64_t b = before.Get(Fields().host_port).AsInt();
    const std::string_view ip_a = Text(port, Fields().host_ip),
                           ip_b = Text(before, Fields().host_ip);
    if (ip_a == ip_b && a == b) {
      Add(field, "duplicate port definition with " + other.field);
    } else if (a == 0 || b == 0) {
      Add(field, "overlapping port definition with " + other.field);
    } else if (a == b && ip_a.empty() != ip_b.empty()) {
      Add(field, "dangerously ambiguous port definition with " + other.field);
    }
  }

  void PortNames(const Value& c, const std::string& at) {
    const Value& ports = c.Get(Fields().ports);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const std::string_view name = Text(ports.at(i), Fields().name);
      if (name.empty()) continue;
      const std::string field = fmt::format("{}.ports[{}]", at, i);
      const auto first = std::find_if(named_.begin(), named_.end(), [&](const Port& p) {
        return Text(*p.port, Fields().name) == name;
      });
      if (first == named_.end()) {
        named_.push_back({field, &ports.at(i)});
        continue;
      }
      Add(field, fmt::format("duplicate port name {} with {}, services and probes that select "
                             "ports by name will use {}",
                             GoQuote(name), first->field, first->field));
    }
  }

  void PodAffinity(Atom which, const std::string& path) {
    const Value& affinity = spec_.Get(Fields().affinity).Get(which);
    const Value& required =
        affinity.Get(Fields().required_during_scheduling_ignored_during_execution);
    for (std::size_t i = 0; i < required.size(); ++i) {
      if (required.at(i).Get(Fields().label_selector).is_null())
        Add(fmt::format("{}.{}[{}].labelSelector", path, kRequired, i), kNoSelector);
    }
    const Value& preferred =
        affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
    for (std::size_t i = 0; i < preferred.size(); ++i) {
      if (preferred.at(i).Get(Fields().pod_affinity_term).Get(Fields().label_selector).is_null())
        Add(fmt::format("{}.{}[{}].podAffinityTerm.labelSelector", path, kPreferred, i),
            kNoSelector);
    }
  }

  const Value& metadata_;
  const Value& spec_;
  std::string_view prefix_;
  Compat compat_;
  const Profile& profile_;
  std::vector<Port> ports_;  // of the containers before
  std::vector<Port> named_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> PodWarnings(const Value& pod, Compat compat) {
  std::vector<std::string> out;
  const NameProblems problems =
      Dns1123Label(Text(pod.Get(Fields().metadata), Fields().name), compat);
  if (!problems.empty()) {
    out.push_back(
        fmt::format("metadata.name: this is used in the Pod's hostname, which can result "
                    "in surprising behavior; a DNS label is recommended: {}",
                    GoPlainSlice(problems)));
  }
  for (std::string& text : Remarks(pod, "", compat).Take()) out.push_back(std::move(text));
  return out;
}

std::vector<std::string> PodTemplateWarnings(const Value& pod_template, std::string_view path,
                                             Compat compat) {
  return Remarks(pod_template, fmt::format("{}.", path), compat).Take();
}

}  // namespace ksim::api
