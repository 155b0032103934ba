// kubectl create job --from=cronjob/NAME.
//
// Source: kubectl pkg/cmd/create/create_job.go.
#include <fmt/format.h>

#include <utility>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// createJobFromCronJob: the CronJob becomes its controller, but does not block its own deletion.
Value JobFrom(const api::Object& cron_job, const std::string& name) {
  const Value& job_template = cron_job.spec().Get("jobTemplate");
  const Value& its = job_template.Get("metadata");
  Value annotations = value::Obj({{"cronjob.kubernetes.io/instantiate", Value::Of("manual")}});
  for (const Value::Member& m : its.Get("annotations").members())
    annotations = std::move(annotations).Set(m.name, m.value);
  const Value owner = value::Obj({{"apiVersion", Value::Of("batch/v1")},
                                  {"kind", Value::Of("CronJob")},
                                  {"name", Value::String(cron_job.name())},
                                  {"uid", Value::String(cron_job.uid())},
                                  {"controller", Value::Of(true)}});
  value::ObjectBuilder metadata;
  metadata.Add("name", Value::String(name)).Add("namespace", Value::String(cron_job.ns()));
  metadata.Add("annotations", std::move(annotations));
  metadata.AddIf(!its.Get("labels").empty(), "labels", its.Get("labels"));
  metadata.Add("ownerReferences", value::Arr({owner}));
  return value::Obj({{"apiVersion", Value::Of("batch/v1")},
                     {"kind", Value::Of("Job")},
                     {"metadata", metadata.Build()},
                     {"spec", job_template.Get("spec")}});
}

}  // namespace

sim::Task<CommandOutput> CreateJob(Session& session, const CreateJobOptions& options,
                                   EarlierTries& tries) {
  CommandOutput output;
  const Target& from = options.from;
  const api::Response found =
      co_await session.GetNamed(session.ResourceOf(from), from.ns, from.name);
  if (found.code != 200) {
    output.error = ErrorText(found);
    co_return output;
  }
  const api::ResourceInfo* const jobs = session.env().kinds.ByName("jobs");
  api::Request create = RequestFor(api::Verb::kCreate, jobs, from.ns, "");
  create.body = JobFrom(found.object, options.name);
  create.field_manager = "kubectl-create";
  create.field_validation = "Strict";
  const api::Response response = co_await session.Send(std::move(create));
  AddWarnings(response, &output);
  if (tries.IsSettled(ObjectPath(*jobs, from.ns, options.name), response)) {
    output.lines.push_back(SlashedName(*jobs, options.name) + " created");
  } else if (response.code == 0) {
    output.error = ErrorText(response);
  } else {
    output.error = fmt::format("error: failed to create job: {}", response.status.message);
  }
  co_return output;
}

}  // namespace ksim::kubectl
