#include "ksim/api/kinds/batch/job_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/batch/job_policies.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/pod/pod_warnings.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// IsDomainPrefixedPath, and no more than 63 letters.
void CheckManager(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& manager = spec.Get("managedBy");
  if (!manager.is_string()) return;
  constexpr std::size_t kMaxManager = 63;
  constexpr std::string_view kPathLetters = "/-._~%!$&'()*+,;=:";
  const FieldPath at = path.Child("managedBy");
  const std::string_view text = manager.AsString();
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view host = text.substr(0, slash);
  const std::string_view rest = text.substr(std::min(slash + 1, text.size()));
  const bool is_path = std::all_of(rest.begin(), rest.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPathLetters.find(c) != std::string_view::npos;
  });
  if (text.empty()) {
    errors->Required(at);
  } else if (host.empty() || rest.empty()) {
    errors->Invalid(at, text, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    errors->InvalidAll(at, host, Dns1123Subdomain(host));
    if (!is_path)
      errors->Invalid(at, rest,
                      "Invalid path (regex used for validation is "
                      "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
  }
  if (text.size() > kMaxManager) errors->TooLong(at, kMaxManager);
}

// The bounds of an Indexed Job's failed indexes, and of one with very many completions.
void CheckIndexLimits(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::int64_t kMaxFailed = 100'000, kManyCompletions = 100'000, kFewOfMany = 10'000;
  const Value& completions = spec.Get(Fields().completions);
  const Value& failed = spec.Get(Fields().max_failed_indexes);
  const Value& parallelism = spec.Get(Fields().parallelism);
  const FieldPath failed_at = path.Child("maxFailedIndexes");
  if (completions.is_int() && failed.is_int() && failed.AsInt() > completions.AsInt())
    errors->Invalid(failed_at, failed.AsInt(), "must be less than or equal to completions");
  if (failed.AsInt() > kMaxFailed)
    errors->Invalid(failed_at, failed.AsInt(), "must be less than or equal to 100000");
  if (completions.AsInt() <= kManyCompletions) return;
  if (spec.Get(Fields().backoff_limit_per_index).is_null()) return;
  constexpr std::string_view kTooMany =
      "must be less than or equal to 10000 when completions are above 100000 and used with backoff "
      "limit per index";
  if (failed.is_null())
    errors->Required(failed_at, "must be specified when completions is above 100000");
  if (parallelism.AsInt() > kFewOfMany)
    errors->Invalid(path.Child("parallelism"), parallelism.AsInt(), kTooMany);
  if (failed.AsInt() > kFewOfMany) errors->Invalid(failed_at, failed.AsInt(), kTooMany);
}

void CheckCompletionMode(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view mode = spec.Get(Fields().completion_mode).AsString();
  if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed") {
    errors->NotSupported(path.Child("completionMode"), mode, {"NonIndexed", "Indexed"});
  }
  if (mode == "Indexed") {
    const Value& parallelism = spec.Get(Fields().parallelism);
    if (spec.Get(Fields().completions).is_null()) {
      errors->Required(path.Child("completions"), "when completion mode is Indexed");
    }
    if (parallelism.AsInt() > 100000) {
      errors->Invalid(path.Child("parallelism"), parallelism.AsInt(),
                      "must be less than or equal to 100000 when completion mode is Indexed");
    }
    CheckIndexLimits(spec, path, errors);
  } else if (mode.empty() || mode == "NonIndexed") {
    for (const Atom field : {Fields().backoff_limit_per_index, Fields().max_failed_indexes}) {
      if (spec.Get(field).is_null()) continue;
      errors->Invalid(path.Child(field.text()), spec.Get(field).AsInt(),
                      "requires indexed completion mode");
    }
  }
}

void CheckReplacementPolicy(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& replacement = spec.Get("podReplacementPolicy");
  if (replacement.is_null()) return;
  const FieldPath at = path.Child("podReplacementPolicy");
  const std::string_view policy = replacement.AsString();
  if (!spec.Get(Fields().pod_failure_policy).is_null()) {
    if (policy != "Failed") errors->NotSupported(at, policy, {"Failed"});
  } else if (policy != "Failed" && policy != "TerminatingOrFailed") {
    errors->NotSupported(at, policy, {"Failed", "TerminatingOrFailed"});
  }
}

void CheckJobRestartPolicy(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath tmpl = path.Child("template");
  const FieldPath pod = tmpl.Child("spec");
  const std::string_view policy =
      spec.Get(Fields().template_).Get(Fields().spec).Get("restartPolicy").AsString();
  if (policy.empty() || policy == "Always") {
    errors->Required(pod.Child("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors->NotSupported(pod.Child("restartPolicy"), policy, {"OnFailure", "Never"});
  } else if (policy != "Never" && !spec.Get(Fields().pod_failure_policy).is_null()) {
    errors->Invalid(pod.Child("restartPolicy"), policy,
                    "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

}  // namespace

void CheckJobSpec(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  NonNegativeFields(spec,
                    {Fields().parallelism, Fields().completions, Fields().active_deadline_seconds,
                     Fields().backoff_limit, Fields().ttl_seconds_after_finished,
                     Fields().backoff_limit_per_index, Fields().max_failed_indexes},
                    path, errors);
  if (!spec.Get(Fields().max_failed_indexes).is_null() &&
      spec.Get(Fields().backoff_limit_per_index).is_null()) {
    errors->Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
  CheckManager(spec, path, errors);
  CheckCompletionMode(spec, path, errors);
  CheckPodFailurePolicy(spec, path, errors);
  CheckSuccessPolicy(spec, path, errors);
  CheckReplacementPolicy(spec, path, errors);
  ValidatePodTemplate(spec.Get(Fields().template_), path.Child("template"), errors);
  CheckJobRestartPolicy(spec, path, errors);
}

void WarnOfJobSpec(const Value& spec, std::string_view path, Compat compat,
                   std::vector<std::string>* warnings) {
  constexpr std::int64_t kManyCompletions = 100'000, kManyAtOnce = 10'000;
  if (ProfileOf(compat).warns_of_large_jobs &&
      spec.Get(Fields().completion_mode).AsString() == "Indexed" &&
      spec.Get(Fields().completions).AsInt() > kManyCompletions &&
      spec.Get(Fields().parallelism).AsInt() > kManyAtOnce) {
    warnings->push_back(fmt::format(
        "{}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
        "higher "
        "than 10^4, Kubernetes might not be able to track completedIndexes when a big number of "
        "indexes fail",
        path));
  }
  for (std::string& text :
       PodTemplateWarnings(spec.Get(Fields().template_), fmt::format("{}.template", path), compat))
    warnings->push_back(std::move(text));
}

}  // namespace ksim::api
