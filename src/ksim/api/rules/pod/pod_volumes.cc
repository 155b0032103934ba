// Volumes: names, the number of sources, and what the common sources need. Sources of storage
// systems are only counted.
//
// Source: pkg/apis/core/validation/validation.go ValidateVolumes, validateVolumeSource.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_parts.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kOneType = "may not specify more than 1 volume type";
constexpr std::string_view kModeRule =
    "must be a number between 0 and 0777 (octal), both inclusive";

void RequireText(const Value& source, Atom field, const FieldPath& path, FieldErrorList* errors) {
  if (source.Get(field).AsString().empty()) errors->Required(path.Child(field.text()));
}

void CheckMode(const Value& source, Atom field, const FieldPath& path, FieldErrorList* errors) {
  const Value& mode = source.Get(field);
  if (mode.is_null() || (mode.AsInt() >= 0 && mode.AsInt() <= 0777)) return;
  errors->Invalid(path.Child(field.text()), mode.AsInt(), kModeRule);
}

// ValidateLocalNonReservedPath.
void CheckLocalPath(std::string_view target, const FieldPath& path, FieldErrorList* errors) {
  ValidateDescendingPath(target, path, errors);
  if (target.starts_with("..") && !target.starts_with("../")) {
    errors->Invalid(path, target, "must not start with '..'");
  }
}

void CheckKeyToPath(const Value& item, const FieldPath& path, FieldErrorList* errors) {
  RequireText(item, Fields().key, path, errors);
  RequireText(item, Fields().path, path, errors);
  CheckLocalPath(item.Get(Fields().path).AsString(), path.Child("path"), errors);
  CheckMode(item, Fields().mode, path, errors);
}

void CheckKeys(const Value& source, Atom name, const FieldPath& path, FieldErrorList* errors) {
  RequireText(source, name, path, errors);
  CheckMode(source, Fields().default_mode, path, errors);
  const Value& items = source.Get(Fields().items);
  const FieldPath list = path.Child("items");
  for (std::size_t i = 0; i < items.size(); ++i) CheckKeyToPath(items.at(i), list.Index(i), errors);
}

// validateDownwardAPIVolumeFile. Upstream names the list for each of its files.
void CheckDownwardFile(const Value& file, const FieldPath& path, FieldErrorList* errors) {
  RequireText(file, Fields().path, path, errors);
  CheckLocalPath(file.Get(Fields().path).AsString(), path.Child("path"), errors);
  const Value& field = file.Get(Fields().field_ref);
  const Value& resource = file.Get(Fields().resource_field_ref);
  if (field.is_object()) {
    ValidateFieldRef(field, /*volume=*/true, path.Child("fieldRef"), errors);
    if (resource.is_object()) {
      errors->Invalid(path, "resource",
                      "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resource.is_object()) {
    ValidateResourceFieldRef(resource, /*volume=*/true, path.Child("resourceFieldRef"), errors);
  } else {
    errors->Required(path, "one of fieldRef and resourceFieldRef is required");
  }
  CheckMode(file, Fields().mode, path, errors);
}

// The sources of one projected volume, whose paths must differ.
class Projection {
 public:
  Projection(const FieldPath& path, FieldErrorList* errors) : path_(path), errors_(*errors) {}

  void Check(const Value& sources) {
    const FieldPath list = path_.Child("sources");
    for (std::size_t i = 0; i < sources.size(); ++i) CheckSource(sources.at(i), list.Index(i));
  }

 private:
  void CheckSource(const Value& source, const FieldPath& at) {
    int kinds = 0;
    for (const Atom kind : {Fields().secret, Fields().config_map}) {
      if (!source.Get(kind).is_object()) continue;
      ++kinds;
      CheckKeysOf(source.Get(kind), at.Child(kind.text()));
    }
    if (const Value& downward = source.Get(Fields().downward_api); downward.is_object()) {
      ++kinds;
      for (const Value& file : downward.Get(Fields().items).items()) {
        CheckDownwardFile(file, at.Child("downwardAPI"), &errors_);
        const std::string_view place = file.Get(Fields().path).AsString();
        Take(place, place);
      }
    }
    if (const Value& token = source.Get(Fields().service_account_token); token.is_object()) {
      ++kinds;
      CheckToken(token, at.Child("serviceAccountToken"));
    }
    if (source.Get(Fields().cluster_trust_bundle).is_object()) ++kinds;
    if (source.Get(Fields().pod_certificate).is_object()) ++kinds;
    if (kinds > 1) {
      errors_.Forbidden(at, errors_.profile().sources_text_says_volume
                                ? "may not specify more than 1 volume type per source"
                                : kOneType);
    }
  }

  void CheckKeysOf(const Value& source, const FieldPath& at) {
    RequireText(source, Fields().name, at, &errors_);
    const FieldPath list = at.Child("items");
    const Value& items = source.Get(Fields().items);
    for (std::size_t i = 0; i < items.size(); ++i) {
      CheckKeyToPath(items.at(i), list.Index(i), &errors_);
      Take(items.at(i).Get(Fields().path).AsString(), source.Get(Fields().name).AsString());
    }
  }

  void CheckToken(const Value& token, const FieldPath& at) {
    const std::int64_t seconds = token.Get(Fields().expiration_seconds).AsInt();
    if (seconds < 600) {
      errors_.Invalid(at.Child("expirationSeconds"), seconds,
                      "may not specify a duration less than 10 minutes");
    }
    if (seconds > std::int64_t{1} << 32) {
      errors_.Invalid(at.Child("expirationSeconds"), seconds,
                      "may not specify a duration larger than 2^32 seconds");
    }
    // Upstream names the volume's path here, not the source's.
    const std::string_view place = token.Get(Fields().path).AsString();
    if (place.empty()) {
      errors_.Required(path_.Child("path"));
    } else {
      CheckLocalPath(place, path_.Child("path"), &errors_);
    }
  }

  void Take(std::string_view place, std::string_view whose) {
    if (place.empty()) return;
    if (std::find(taken_.begin(), taken_.end(), place) != taken_.end()) {
      errors_.Invalid(path_, whose, "conflicting duplicate paths");
    } else {
      taken_.push_back(place);
    }
  }

  const FieldPath& path_;
  FieldErrorList& errors_;
  std::vector<std::string_view> taken_;
};

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
  CheckKeys(source, Fields().secret_name, path, errors);
}

void CheckConfigMap(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  CheckKeys(source, Fields().name, path, errors);
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
  CheckMode(source, Fields().default_mode, path, errors);
  for (const Value& file : source.Get(Fields().items).items())
    CheckDownwardFile(file, path, errors);
}

void CheckProjected(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  CheckMode(source, Fields().default_mode, path, errors);
  Projection(path, errors).Check(source.Get(Fields().sources));
}

// ValidateCSIDriverName, and the secret.
void CheckCsi(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view driver = source.Get(Fields().driver).AsString();
  if (driver.empty()) errors->Required(path.Child("driver"));
  if (driver.size() > 63) errors->TooLong(path.Child("driver"), 63);
  std::string lower(driver);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
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

// Of a claim's template only that it is there.
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
      {Atom("projected"), CheckProjected},
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

bool HasBackstep(std::string_view target) {
  while (true) {
    const std::size_t slash = target.find('/');
    if (target.substr(0, slash) == "..") return true;
    if (slash == target.npos) return false;
    target.remove_prefix(slash + 1);
  }
}

void ValidateDescendingPath(std::string_view target, const FieldPath& path,
                            FieldErrorList* errors) {
  if (target.starts_with('/')) errors->Invalid(path, target, "must be a relative path");
  if (HasBackstep(target)) errors->Invalid(path, target, "must not contain '..'");
}

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
