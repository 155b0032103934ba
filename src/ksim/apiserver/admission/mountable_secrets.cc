#include "ksim/apiserver/admission/mountable_secrets.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

using Names = std::set<std::string_view>;

Names NamesIn(const Value& references) {
  Names names;
  for (const Value& reference : references.items()) names.insert(reference.Get("name").AsString());
  return names;
}

// strconv.ParseBool
bool IsTrue(std::string_view text) {
  static constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
  for (const std::string_view word : kTrue)
    if (word == text) return true;
  return false;
}

std::string ContainerRefusal(const Value& container, std::string_view kind, const Names& allowed,
                             std::string_view account) {
  const std::string_view name = container.Get("name").AsString();
  for (const Value& variable : container.Get("env").items()) {
    static const Path kSecret{"valueFrom", "secretKeyRef"};
    const Value& secret = variable.Get(kSecret);
    if (secret.is_null() || allowed.contains(secret.Get("name").AsString())) continue;
    return fmt::format(
        "{} {} with envVar {} referencing secret.secretName=\"{}\" is not allowed because service "
        "account {} does not reference that secret",
        kind, name, variable.Get("name").AsString(), secret.Get("name").AsString(), account);
  }
  for (const Value& source : container.Get("envFrom").items()) {
    const Value& secret = source.Get("secretRef");
    if (secret.is_null() || allowed.contains(secret.Get("name").AsString())) continue;
    return fmt::format(
        "{} {} with envFrom referencing secret.secretName=\"{}\" is not allowed because service "
        "account {} does not reference that secret",
        kind, name, secret.Get("name").AsString(), account);
  }
  return {};
}

}  // namespace

std::string SecretsRefusal(const Value& pod, const api::Object& account) {
  if (!IsTrue(account.Annotation("kubernetes.io/enforce-mountable-secrets"))) return {};
  const Names allowed = NamesIn(account.tree().Get("secrets"));
  const Value& spec = pod.Get("spec");
  for (const Value& volume : spec.Get("volumes").items()) {
    const Value& secret = volume.Get("secret");
    if (secret.is_null() || allowed.contains(secret.Get("secretName").AsString())) continue;
    return fmt::format(
        "volume with secret.secretName=\"{}\" is not allowed because service account {} does not "
        "reference that secret",
        secret.Get("secretName").AsString(), account.name());
  }
  for (const auto& [list, kind] :
       {std::pair("initContainers", "init container"), std::pair("containers", "container")}) {
    for (const Value& container : spec.Get(list).items()) {
      std::string refusal = ContainerRefusal(container, kind, allowed, account.name());
      if (!refusal.empty()) return refusal;
    }
  }
  const Names pulls = NamesIn(account.tree().Get("imagePullSecrets"));
  const Value& wanted = spec.Get("imagePullSecrets");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string_view name = wanted.at(i).Get("name").AsString();
    if (!pulls.contains(name))
      return fmt::format(
          "imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} does not "
          "reference that imagePullSecret",
          i, name, account.name());
  }
  return {};
}

}  // namespace ksim::apiserver
