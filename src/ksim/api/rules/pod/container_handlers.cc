#include "ksim/api/rules/pod/container_handlers.h"

#include <fmt/format.h>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// A number or a name: 1..65535, or a port's name.
void CheckHandlerPort(const Value& port, const FieldPath& path, FieldErrorList* errors) {
  if (port.is_string()) {
    errors->InvalidAll(path, port.AsString(), PortName(port.AsString()));
    return;
  }
  for (const std::string& problem : PortNumber(port.AsInt())) {
    errors->Invalid(path, port.AsInt(), problem);
  }
}

void CheckExec(const Value& exec, const FieldPath& path, FieldErrorList* errors) {
  if (exec.Get(Fields().command).empty()) errors->Required(path.Child("command"));
}

void CheckHttpGet(const Value& http, const FieldPath& path, FieldErrorList* errors) {
  if (http.Get(Fields().path).AsString().empty()) errors->Required(path.Child("path"));
  CheckHandlerPort(http.Get(Fields().port), path.Child("port"), errors);
  ValidateChoice(http.Get(Fields().scheme).AsString(), false, path.Child("scheme"),
                 {"HTTP", "HTTPS"}, errors);
  for (const Value& header : http.Get(Fields().http_headers).items()) {
    const std::string_view name = header.Get(Fields().name).AsString();
    errors->InvalidAll(path.Child("httpHeaders"), name, HttpHeaderName(name));
  }
}

void CheckPortOnly(const Value& action, const FieldPath& path, FieldErrorList* errors) {
  CheckHandlerPort(action.Get(Fields().port), path.Child("port"), errors);
}

void CheckSleep(const Value& sleep, const Value& grace, const FieldPath& path,
                FieldErrorList* errors) {
  const std::int64_t seconds = sleep.Get(Fields().seconds).AsInt();
  const bool zero = errors->profile().sleep_action_allows_zero;
  if (seconds <= grace.AsInt() && (seconds > 0 || (zero && seconds == 0))) return;
  errors->Invalid(path, seconds,
                  fmt::format("must be {} and less than terminationGracePeriodSeconds ({})",
                              zero ? "non-negative" : "greater than 0", grace.AsInt()));
}

struct Action {
  Atom field;
  void (*check)(const Value& action, const FieldPath& path, FieldErrorList* errors);
};

// A probe may have grpc, and a hook sleep.
void CheckHandler(const Value& handler, bool probe, const Value& grace, const FieldPath& path,
                  FieldErrorList* errors) {
  static const Action kActions[] = {{Fields().exec, CheckExec},
                                    {Fields().http_get, CheckHttpGet},
                                    {Fields().tcp_socket, CheckPortOnly},
                                    {Fields().grpc, CheckPortOnly}};
  bool first = true;
  const auto takes = [&](Atom field) {
    if (!handler.Get(field).is_object()) return false;
    if (!first) {
      errors->Forbidden(path.Child(field.text()), "may not specify more than 1 handler type");
      return false;
    }
    first = false;
    return true;
  };
  for (const Action& action : kActions) {
    if (action.field == Fields().grpc && !probe) continue;
    if (takes(action.field)) {
      action.check(handler.Get(action.field), path.Child(action.field.text()), errors);
    }
  }
  if (!probe && takes(Fields().sleep)) {
    CheckSleep(handler.Get(Fields().sleep), grace, path.Child("sleep"), errors);
  }
  if (first) errors->Required(path, "must specify a handler type");
}

void CheckProbe(const Value& container, Atom field, const FieldPath& container_path,
                FieldErrorList* errors) {
  const Value& probe = container.Get(field);
  if (!probe.is_object()) return;
  const FieldPath path = container_path.Child(field.text());
  CheckHandler(probe, true, Value(), path, errors);
  const FieldNames& f = Fields();
  for (const Atom count : {f.initial_delay_seconds, f.timeout_seconds, f.period_seconds,
                           f.success_threshold, f.failure_threshold}) {
    errors->NonNegative(path.Child(count.text()), probe.Get(count));
  }
  const Value& grace = probe.Get(Fields().termination_grace_period_seconds);
  if (grace.is_int() && grace.AsInt() <= 0) {
    errors->Invalid(path.Child("terminationGracePeriodSeconds"), grace.AsInt(),
                    "must be greater than 0");
  }
  if (field == Fields().readiness_probe) {
    if (!grace.is_null()) {
      errors->Invalid(path.Child("terminationGracePeriodSeconds"), grace.AsInt(),
                      "must not be set for readinessProbes");
    }
  } else if (const std::int64_t success = probe.Get(Fields().success_threshold).AsInt();
             success != 1) {
    errors->Invalid(path.Child("successThreshold"), success, "must be 1");
  }
}

}  // namespace

void ValidateHandlers(const Value& container, const PodFacts& pod, const FieldPath& path,
                      FieldErrorList* errors) {
  const Value& lifecycle = container.Get(Fields().lifecycle);
  if (lifecycle.is_object()) {
    const FieldPath at = path.Child("lifecycle");
    for (const Atom hook : {Fields().post_start, Fields().pre_stop}) {
      if (!lifecycle.Get(hook).is_object()) continue;
      CheckHandler(lifecycle.Get(hook), false,
                   pod.spec.Get(Fields().termination_grace_period_seconds), at.Child(hook.text()),
                   errors);
    }
    if (!lifecycle.Get(Fields().stop_signal).is_null() && !pod.spec.Get(Fields().os).is_object()) {
      errors->Forbidden(at.Child("stopSignal"),
                        "may not be set for containers with empty `spec.os.name`");
    }
  }
  for (const Atom probe :
       {Fields().liveness_probe, Fields().readiness_probe, Fields().startup_probe}) {
    CheckProbe(container, probe, path, errors);
  }
}

}  // namespace ksim::api
