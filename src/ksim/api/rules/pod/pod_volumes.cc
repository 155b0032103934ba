#include "ksim/api/rules/pod/pod_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/projected_volume.h"
#include "ksim/api/rules/pod/volume_files.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kOneType = "may not specify more than 1 volume type";

void CheckEmptyDir(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  if (source.Get(Fields().size_limit).is_null()) return;
  const auto limit = value::Quantity::FromTree(source.Get(Fields().size_limit));
  if (limit.ok() && limit->Sign() < 0) {
    errors->Forbidden(path.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
}

void CheckHostPath(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view place = source.Get(Fields().path).AsString();
  if (place.empty()) return errors->Required(path.Child("path"));
  if (HasBackstep(place)) errors->Invalid(path.Child("path"), place, "must not contain '..'");
  if (source.Get(Fields().type).is_null()) return;
  ValidateChoice(source.Get(Fields().type).AsString(), false, path.Child("type"),
                 {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                  "FileOrCreate", "Socket"},
                 errors);
}

void CheckSecret(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  ValidateKeyFiles(source, Fields().secret_name, path, errors);
}

void CheckConfigMap(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  ValidateKeyFiles(source, Fields().name, path, errors);
}

void CheckClaim(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  RequireText(source, Fields().claim_name, path, errors);
}

void CheckNfs(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  RequireText(source, Fields().server, path, errors);
  RequireText(source, Fields().path, path, errors);
  const std::string_view place = source.Get(Fields().path).AsString();
  if (!place.starts_with('/')) {
    errors->Invalid(path.Child("path"), place, "must be an absolute path");
  }
}

void CheckDownward(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  ValidateFileMode(source, Fields().default_mode, path, errors);
  for (const Value& file : source.Get(Fields().items).items())
    ValidateDownwardFile(file, path, errors);
}

// ValidateCSIDriverName, and the secret.
void CheckCsi(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view driver = source.Get(Fields().driver).AsString();
  if (driver.empty()) errors->Required(path.Child("driver"));
  if (driver.size() > 63) errors->TooLong(path.Child("driver"), 63);
  const std::string lower = AsciiLower(driver);
  if (!driver.empty() || !errors->profile().csi_driver_empty_once) {
    errors->InvalidAll(path.Child("driver"), driver, Dns1123Subdomain(lower));
  }
  const Value& secret = source.Get(Fields().node_publish_secret_ref);
  if (!secret.is_object()) return;
  const std::string_view name = secret.Get(Fields().name).AsString();
  if (name.empty()) {
    const FieldPath at = path.Child("nodePublishSecretRef");
    errors->Required(at.Child("name"));
  } else {
    errors->InvalidAll(path.Child("name"), name, Dns1123Subdomain(name));
  }
}

// Upstream validates the claim's template too; ksim asks only that there is one.
void CheckEphemeral(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  if (!source.Get(Fields().volume_claim_template).is_object())
    errors->Required(path.Child("volumeClaimTemplate"));
}

void CheckImage(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  RequireText(source, Fields().reference, path, errors);
  ValidateChoice(source.Get(Fields().pull_policy).AsString(), true, path.Child("pullPolicy"),
                 {"Always", "IfNotPresent", "Never"}, errors);
}

void CheckNothing(const Value&, const FieldPath&, FieldErrorList*) {}

struct Source {
  Atom field;
  void (*check)(const Value& source, const FieldPath& path, FieldErrorList* errors);
  std::string_view name_beside = {};  // in the refusal of a second source, where that differs
};

// In upstream's order: the first one given counts, the others are too many.
const std::vector<Source>& Sources() {
  static const std::vector<Source> sources = {
      {Atom("emptyDir"), CheckEmptyDir},
      {Atom("hostPath"), CheckHostPath},
      {Atom("gitRepo"), CheckNothing},
      {Atom("gcePersistentDisk"), CheckNothing},
      {Atom("awsElasticBlockStore"), CheckNothing},
      {Atom("secret"), CheckSecret},
      {Atom("nfs"), CheckNfs},
      {Atom("iscsi"), CheckNothing},
      {Atom("glusterfs"), CheckNothing},
      {Atom("flocker"), CheckNothing},
      {Atom("persistentVolumeClaim"), CheckClaim},
      {Atom("rbd"), CheckNothing},
      {Atom("cinder"), CheckNothing},
      {Atom("cephfs"), CheckNothing, "cephFS"},
      {Atom("quobyte"), CheckNothing},
      {Atom("downwardAPI"), CheckDownward, "downwarAPI"},
      {Atom("fc"), CheckNothing},
      {Atom("flexVolume"), CheckNothing},
      {Atom("configMap"), CheckConfigMap},
      {Atom("azureFile"), CheckNothing},
      {Atom("vsphereVolume"), CheckNothing},
      {Atom("photonPersistentDisk"), CheckNothing},
      {Atom("portworxVolume"), CheckNothing},
      {Atom("azureDisk"), CheckNothing},
      {Atom("storageos"), CheckNothing},
      {Atom("projected"), ValidateProjectedVolume},
      {Atom("scaleIO"), CheckNothing},
      {Atom("csi"), CheckCsi},
      {Atom("ephemeral"), CheckEphemeral},
      {Atom("image"), CheckImage},
  };
  return sources;
}

void CheckSources(const Value& volume, std::string_view pod_name, const FieldPath& path,
                  FieldErrorList* errors) {
  bool first = true;
  for (const Source& source : Sources()) {
    const Value& given = volume.Get(source.field);
    if (!given.is_object()) continue;
    const std::string_view name = source.field.text();
    if (first) {
      source.check(given, path.Child(name), errors);
    } else {
      errors->Forbidden(path.Child(source.name_beside.empty() ? name : source.name_beside),
                        kOneType);
    }
    first = false;
  }
  if (first) errors->Required(path, "must specify a volume type");
  const std::string_view name = volume.Get(Fields().name).AsString();
  if (!volume.Get(Fields().ephemeral).is_object() || pod_name.empty() || name.empty()) return;
  const std::string claim = fmt::format("{}-{}", pod_name, name);
  for (const std::string& problem : Dns1123Subdomain(claim)) {
    errors->Invalid(path.Child("name"), name, fmt::format("PVC name \"{}\": {}", claim, problem));
  }
}

// A claim that is made for an ephemeral volume of the pod.
bool IsCreatedFor(const Value& volumes, std::string_view pod_name, std::string_view claim) {
  const auto items = volumes.items();
  return std::any_of(items.begin(), items.end(), [&](const Value& v) {
    return v.Get(Fields().ephemeral).is_object() &&
           claim == fmt::format("{}-{}", pod_name, v.Get(Fields().name).AsString());
  });
}

}  // namespace

std::vector<const Value*> ValidateVolumes(const Value& volumes, std::string_view pod_name,
                                          const FieldPath& path, FieldErrorList* errors) {
  std::vector<const Value*> good;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& volume = volumes.at(i);
    const std::string_view name = volume.Get(Fields().name).AsString();
    const std::size_t before = errors->size();
    CheckSources(volume, pod_name, at, errors);
    if (name.empty()) {
      errors->Required(at.Child("name"));
    } else {
      errors->InvalidAll(at.Child("name"), name, Dns1123Label(name, errors->compat()));
    }
    const bool known = std::any_of(good.begin(), good.end(), [&](const Value* v) {
      return v->Get(Fields().name).AsString() == name;
    });
    if (known) errors->Duplicate(at.Child("name"), name);
    if (errors->size() == before) good.push_back(&volume);
    const Value& claim = volume.Get(Fields().persistent_volume_claim).Get(Fields().claim_name);
    if (claim.is_string() && !pod_name.empty() &&
        IsCreatedFor(volumes, pod_name, claim.AsString())) {
      const FieldPath pvc = at.Child("persistentVolumeClaim");
      errors->Invalid(pvc.Child("claimName"), claim.AsString(),
                      "must not reference a PVC that gets created for an ephemeral volume");
    }
  }
  return good;
}

}  // namespace ksim::api
