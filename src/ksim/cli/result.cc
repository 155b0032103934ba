#include "ksim/cli/result.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/check/oracle.h"
#include "ksim/cli/io.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/trace/render.h"

namespace ksim::cli {
namespace {

using scenario::RunReport;
using scenario::Scenario;
using value::Value;

Value Number(std::uint64_t n) { return Value::Of(static_cast<std::int64_t>(n)); }

// The kinds that the user's steps are about, in order, then pods and nodes that steps added.
std::vector<const api::ResourceInfo*> KindsOf(const Scenario& scenario, const api::Kinds& kinds) {
  std::vector<const api::ResourceInfo*> out;
  const auto add = [&out, &kinds](const api::ResourceInfo* info) {
    if (info == nullptr) return;
    const bool known = std::any_of(out.begin(), out.end(), [info](const api::ResourceInfo* r) {
      return r->group == info->group && r->resource == info->resource;
    });
    if (!known) out.push_back(kinds.ByResource(info->group, info->resource));
  };
  const api::ResourceInfo* pods = kinds.ByName("pods");
  for (const scenario::Step& step : scenario.steps) {
    for (const scenario::Manifest& m : step.objects) {
      const api::ResourceInfo* info = kinds.ByKind(m.ApiVersion(), m.Kind());
      if (info != pods) add(info);
    }
    if (!step.resource.empty() && kinds.ByName(step.resource) != pods)
      add(kinds.ByName(step.resource));
  }
  add(pods);
  return out;
}

// Whether an API server with RBAC has made it at its start: there are more than a hundred.
bool IsBootstrapPolicy(const api::Object& o) {
  return o.Label("kubernetes.io/bootstrapping") == "rbac-defaults";
}

// Those of all versions of the kind: they may be stored at another than the one that was written.
std::vector<api::Object> ObjectsOfKind(const api::ResourceInfo& info,
                                       const std::vector<api::Object>& objects) {
  std::vector<api::Object> out;
  for (const api::Object& o : objects)
    if (o.kind() == info.kind && api::GroupOf(o.api_version()) == info.group &&
        !IsBootstrapPolicy(o))
      out.push_back(o);
  return out;
}

bool HasOtherNamespaces(const std::vector<api::Object>& objects) {
  return std::any_of(objects.begin(), objects.end(),
                     [](const api::Object& o) { return !o.ns().empty() && o.ns() != "default"; });
}

Value DeliveryTree(const scenario::InformerDelivery& d) {
  return value::Obj({{"informer", Value::Of(d.informer)},
                     {"calls", Number(d.calls)},
                     {"p50Ns", Value::Of(d.p50)},
                     {"p99Ns", Value::Of(d.p99)},
                     {"maxNs", Value::Of(d.max)},
                     {"relists", Number(d.relists)},
                     {"itemsListed", Value::Of(d.items)}});
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n')
      out += "&#10;";
    else
      out += c;
  }
  return out;
}

}  // namespace

Value ResultTree(const Scenario& scenario, const RunReport& report,
                 const std::vector<api::Object>& objects,
                 const std::vector<scenario::InformerDelivery>& delivery,
                 const std::vector<scenario::NotSimulated>& not_simulated) {
  std::vector<Value> violations, failures, trees, never, faults, informers, remarks, waiting;
  for (const trace::Violation& v : report.end.violations) violations.push_back(trace::ToTree(v));
  for (const scenario::StepFailure& f : report.failures) {
    value::ObjectBuilder failure;
    failure.Add("error", Value::Of(f.error));
    failure.AddIf(!f.hint.empty(), "hint", Value::Of(f.hint));
    failure.Add("step", Value::Of(f.number));
    failures.push_back(failure.Build());
  }
  for (const api::Object& o : objects) trees.push_back(o.ToTree());
  for (const scenario::StepNote& n : report.never_begun) never.push_back(Value::Of(n.number));
  for (const scenario::FaultNote& f : report.faults_missing)
    faults.push_back(value::Obj(
        {{"fault", Value::Of(f.number)}, {"what", Value::Of(f.fault)}, {"why", Value::Of(f.why)}}));
  const auto notes = [](const std::vector<scenario::ExpectationNote>& list) {
    std::vector<Value> out;
    for (const scenario::ExpectationNote& n : list)
      out.push_back(value::Obj({{"expectation", Value::Of(n.number)},
                                {"what", Value::Of(n.expectation)},
                                {"why", Value::Of(n.why)}}));
    return Value::Array(std::move(out));
  };
  for (const check::Remark& r : report.remarks)
    remarks.push_back(value::Obj({{"oracle", Value::Of(r.oracle)},
                                  {"message", Value::Of(r.message)},
                                  {"first", Number(r.first)}}));
  std::vector<Value> invariants;
  for (const scenario::InvariantNote& n : report.vacuous_invariants)
    invariants.push_back(value::Obj({{"invariant", Value::Of(n.name)}, {"why", Value::Of(n.why)}}));
  for (const std::string& pods : report.waiting) waiting.push_back(Value::Of(pods));
  for (const scenario::InformerDelivery& d : delivery) informers.push_back(DeliveryTree(d));
  return value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                     {"kind", Value::Of("RunResult")},
                     {"scenario", Value::Of(scenario.name)},
                     {"seed", Number(scenario.seed)},
                     {"compat", Value::Of(api::ToString(scenario.compat))},
                     {"result", Value::Of(report.end.result)},
                     {"exitCode", Value::Of(report.exit_code)},
                     {"events", Number(report.end.events)},
                     {"commits", Number(report.commits)},
                     {"requests", Number(report.requests)},
                     {"timeNs", Value::Of(report.end.time)},
                     {"time", Value::Of(FormatDuration(Duration(report.end.time)))},
                     {"digest", Value::Of(report.end.digest)},
                     {"state", Value::Of(report.end.state)},
                     {"violations", Value::Array(std::move(violations))},
                     {"remarks", Value::Array(std::move(remarks))},
                     {"waiting", Value::Array(std::move(waiting))},
                     {"failedSteps", Value::Array(std::move(failures))},
                     {"stepsNotBegun", Value::Array(std::move(never))},
                     {"faultsNotHappened", Value::Array(std::move(faults))},
                     {"notSimulated", scenario::ToTree(not_simulated)},
                     {"vacuous", notes(report.vacuous)},
                     {"notLasting", notes(report.not_lasting)},
                     {"vacuousInvariants", Value::Array(std::move(invariants))},
                     {"delivery", Value::Array(std::move(informers))},
                     {"objects", Value::Array(std::move(trees))}});
}

std::string SummaryLine(const Scenario& scenario, const RunReport& report, bool with_name) {
  const std::string name = with_name ? scenario.name + ": " : "";
  return fmt::format(
      "{}{}: {} events, {} requests, {} writes, {} of virtual time, seed {}, "
      "digest {}\n",
      name, report.end.result, report.end.events, report.requests, report.commits,
      FormatDuration(Duration(report.end.time)), scenario.seed, report.end.digest);
}

std::string ResultTable(const Scenario& scenario, const api::Kinds& kinds,
                        const std::vector<api::Object>& objects, VirtualTime now, bool wide) {
  std::vector<std::pair<const api::ResourceInfo*, std::vector<api::Object>>> groups;
  for (const api::ResourceInfo* info : KindsOf(scenario, kinds)) {
    std::vector<api::Object> some = ObjectsOfKind(*info, objects);
    if (!some.empty()) groups.emplace_back(info, std::move(some));
  }
  std::string out;
  for (const auto& [info, some] : groups) {
    kubectl::TableOptions options;
    options.wide = wide;
    options.with_kind = groups.size() > 1;
    options.with_namespace = HasOtherNamespaces(some);
    if (!out.empty()) out += "\n";
    out += kubectl::RenderTable(*info, some, now, options);
  }
  return out;
}

std::string ResultNames(const Scenario& scenario, const api::Kinds& kinds,
                        const std::vector<api::Object>& objects) {
  std::string out;
  for (const api::ResourceInfo* info : KindsOf(scenario, kinds))
    for (const api::Object& o : ObjectsOfKind(*info, objects))
      out += kubectl::SlashedName(*info, o.name()) + "\n";
  return out;
}

namespace {

// The promise, and the first event that broke it.
std::string ViolationText(const trace::Violation& v, const CitedEvents& cited, bool color) {
  std::string out =
      fmt::format("{} {}: {}\n", Paint(color, "1;31", "violation:"), v.oracle, v.message);
  const check::OracleEntry* entry = check::FindOracle(v.oracle);
  if (entry != nullptr && entry->make != nullptr)
    out += fmt::format("  promised: {}\n", entry->info->promise);
  for (const std::string& o : v.objects) out += fmt::format("  object: {}\n", o);
  if (const sim::Event* first = cited.Find(v.first))
    out += fmt::format("  first: {}\n", EventLine(trace::Render(*first, trace::RenderOptions())));
  return out;
}

}  // namespace

std::string Complaints(const RunReport& report, const CitedEvents& cited, bool strict, bool color) {
  std::string out;
  const std::string error = Paint(color, "1;31", "error:");
  const std::string never = strict ? error : Paint(color, "1;35", "warning:");
  for (const scenario::StepFailure& f : report.failures) {
    out += fmt::format("{} step {}: {}\n", error, f.number, f.error);
    if (!f.hint.empty()) out += fmt::format("  hint: {}\n", f.hint);
  }
  for (const trace::Violation& v : report.end.violations) out += ViolationText(v, cited, color);
  // The violation has named the first.
  for (std::size_t i = 1; i < report.busy.size(); ++i)
    out += fmt::format("  also busy: {}\n", report.busy[i]);
  for (const check::Remark& r : report.remarks)
    out += fmt::format("{} {}: {}\n", Paint(color, "1;36", "note:"), r.oracle, r.message);
  for (const std::string& pods : report.waiting)
    out += fmt::format("{} {}\n", Paint(color, "1;36", "note:"), pods);
  for (const scenario::StepNote& n : report.never_begun)
    out += fmt::format("{} step {} never began: {}\n", never, n.number, n.why);
  for (const scenario::FaultNote& f : report.faults_missing)
    out += fmt::format("{} fault {} ({}) did not happen: {}\n", never, f.number, f.fault, f.why);
  for (const scenario::ExpectationNote& n : report.vacuous)
    out += fmt::format("{} expectation {} ({}) is vacuous: {}\n", never, n.number, n.expectation,
                       n.why);
  for (const scenario::InvariantNote& n : report.vacuous_invariants)
    out += fmt::format("{} invariant {} is {}{}\n", never, n.name,
                       n.why.starts_with("vacuous") ? "" : "not judged: ", n.why);
  for (const scenario::ExpectationNote& n : report.not_lasting)
    out += fmt::format("{} expectation {} ({}) does not hold at the end: {}\n{}", never, n.number,
                       n.expectation, n.why,
                       "  if it must last, write `lasts: true` beside it; if once is enough, "
                       "`lasts: false`\n");
  return out;
}

std::string NotSimulatedText(const std::vector<scenario::NotSimulated>& list, bool strict,
                             bool color) {
  const auto severity = strict ? Diagnostic::Severity::kError : Diagnostic::Severity::kWarning;
  return Render(ToDiagnostics(list, severity), color, static_cast<int>(list.size()));
}

std::string JUnitXml(const std::vector<JUnitCase>& cases) {
  const auto bad = std::count_if(cases.begin(), cases.end(),
                                 [](const JUnitCase& c) { return c.exit_code != 0; });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites><testsuite name=\"ksim\" tests=\"{}\" failures=\"{}\">\n",
      cases.size(), bad);
  for (const JUnitCase& c : cases) {
    out += fmt::format("  <testcase classname=\"ksim\" name=\"{}\"", Escaped(c.name));
    out += c.exit_code == 0
               ? "/>\n"
               : fmt::format("><failure message=\"{}\"/></testcase>\n", Escaped(c.message));
  }
  return out + "</testsuite></testsuites>\n";
}

}  // namespace ksim::cli
