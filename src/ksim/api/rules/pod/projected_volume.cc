#include "ksim/api/rules/pod/projected_volume.h"

#include <algorithm>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/pod/volume_files.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kOneVolumeType = "may not specify more than 1 volume type";

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
        ValidateDownwardFile(file, at.Child("downwardAPI"), &errors_);
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
                                : kOneVolumeType);
    }
  }

  void CheckKeysOf(const Value& source, const FieldPath& at) {
    RequireText(source, Fields().name, at, &errors_);
    const FieldPath list = at.Child("items");
    const Value& items = source.Get(Fields().items);
    for (std::size_t i = 0; i < items.size(); ++i) {
      ValidateKeyToPath(items.at(i), list.Index(i), &errors_);
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
      ValidateLocalPath(place, path_.Child("path"), &errors_);
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

}  // namespace

void ValidateProjectedVolume(const Value& source, const FieldPath& path, FieldErrorList* errors) {
  ValidateFileMode(source, Fields().default_mode, path, errors);
  Projection(path, errors).Check(source.Get(Fields().sources));
}

}  // namespace ksim::api
