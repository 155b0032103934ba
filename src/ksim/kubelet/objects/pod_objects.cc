#include "ksim/kubelet/objects/pod_objects.h"

#include <algorithm>

#include "ksim/api/kinds.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr std::string_view kRootCaConfigMap = "kube-root-ca.crt";

void AddIfNamed(const Value& source, ObjectKind kind, std::string_view name_field,
                std::vector<ContentSource>* out) {
  ObjectReference reference(kind, source, name_field);
  if (!reference.name.empty()) out->emplace_back(std::move(reference));
}

void AddContainers(const Value& items, std::vector<ContentSource>* out) {
  ContentSource source;
  for (const Value& item : items.items()) {
    const std::string_view name = item.Get("resourceFieldRef").Get("containerName").AsString();
    if (!name.empty()) source.containers.emplace_back(name);
  }
  if (!source.containers.empty()) out->push_back(std::move(source));
}

}  // namespace

std::string_view ToString(ObjectKind kind) {
  return kind == ObjectKind::kConfigMap ? "ConfigMap" : "Secret";
}

ObjectReference::ObjectReference(ObjectKind k, const Value& source, std::string_view name_field)
    : kind(k),
      name(source.Get(name_field).AsString()),
      optional(source.Get("optional").AsBool()),
      key(source.Get("key").AsString()),
      items(source.Get("items")) {}

// makeEnvironmentVariables: envFrom first; a variable with a value has no other source, and one
// that names no container asks for its own container's resources.
std::vector<ContentSource> EnvironmentSources(const Value& container) {
  std::vector<ContentSource> out;
  for (const Value& from : container.Get("envFrom").items()) {
    const std::size_t before = out.size();
    const bool is_map = from.Has("configMapRef");
    AddIfNamed(from.Get(is_map ? "configMapRef" : "secretRef"),
               is_map ? ObjectKind::kConfigMap : ObjectKind::kSecret, "name", &out);
    if (out.size() > before) out.back().object->prefix = from.Get("prefix").AsString();
  }
  for (const Value& variable : container.Get("env").items()) {
    if (!variable.Get("value").AsString().empty()) continue;
    const Value& from = variable.Get("valueFrom");
    AddIfNamed(from.Get("configMapKeyRef"), ObjectKind::kConfigMap, "name", &out);
    AddIfNamed(from.Get("secretKeyRef"), ObjectKind::kSecret, "name", &out);
    AddContainers(value::Arr({from}), &out);
  }
  return out;
}

std::vector<ContentSource> VolumeSources(const Value& volume) {
  std::vector<ContentSource> out;
  AddIfNamed(volume.Get("configMap"), ObjectKind::kConfigMap, "name", &out);
  AddIfNamed(volume.Get("secret"), ObjectKind::kSecret, "secretName", &out);
  AddContainers(volume.Get("downwardAPI").Get("items"), &out);
  for (const Value& source : volume.Get("projected").Get("sources").items()) {
    AddIfNamed(source.Get("secret"), ObjectKind::kSecret, "name", &out);
    const Value& map = source.Get("configMap");
    if (map.Get("name").AsString() != kRootCaConfigMap)
      AddIfNamed(map, ObjectKind::kConfigMap, "name", &out);
    AddContainers(source.Get("downwardAPI").Get("items"), &out);
  }
  return out;
}

PodObjects::PodObjects(sim::Process& process, client::Client& client, const Profile& profile)
    : config_maps_(process, client, *client.connection().env().kinds.ByResource("", "configmaps"),
                   profile,
                   [this](std::string_view ns, std::string_view name) {
                     Changed(ObjectKind::kConfigMap, ns, name);
                   }),
      secrets_(process, client, *client.connection().env().kinds.ByResource("", "secrets"), profile,
               [this](std::string_view ns, std::string_view name) {
                 Changed(ObjectKind::kSecret, ns, name);
               }) {}

// A pod names the same objects all its life.
void PodObjects::RegisterPod(const api::Object& pod) {
  const auto [it, fresh] = pods_.try_emplace(std::string(pod.uid()));
  if (!fresh) return;
  Registered& registered = it->second;
  registered.ns = std::string(pod.ns());
  std::vector<ContentSource> named;
  for (const Value& secret : pod.spec().Get("imagePullSecrets").items())
    AddIfNamed(secret, ObjectKind::kSecret, "name", &named);
  const auto append = [&named](std::vector<ContentSource> more) {
    for (ContentSource& source : more) named.push_back(std::move(source));
  };
  for (const char* list : {"initContainers", "containers"})
    for (const Value& container : pod.spec().Get(list).items())
      append(EnvironmentSources(container));
  for (const Value& volume : pod.spec().Get("volumes").items()) append(VolumeSources(volume));
  for (ContentSource& source : named) {
    if (source.object)
      registered.objects.emplace_back(source.object->kind, std::move(source.object->name));
  }
  std::sort(registered.objects.begin(), registered.objects.end());
  registered.objects.erase(std::unique(registered.objects.begin(), registered.objects.end()),
                           registered.objects.end());
  for (const auto& [kind, name] : registered.objects)
    CacheOf(kind).AddReference(registered.ns, name);
}

void PodObjects::UnregisterPod(const std::string& uid) {
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  for (const auto& [kind, name] : it->second.objects)
    CacheOf(kind).DeleteReference(it->second.ns, name);
  pods_.erase(it);
}

sim::Task<Lookup> PodObjects::Get(ObjectKind kind, std::string ns, std::string name) {
  return CacheOf(kind).Get(std::move(ns), std::move(name));
}

void PodObjects::Changed(ObjectKind kind, std::string_view ns, std::string_view name) {
  if (!changed_) return;
  for (const auto& [uid, registered] : pods_) {
    if (registered.ns != ns) continue;
    const auto names = [&](const auto& object) {
      return object.first == kind && object.second == name;
    };
    if (std::any_of(registered.objects.begin(), registered.objects.end(), names)) changed_(uid);
  }
}

}  // namespace ksim::kubelet
