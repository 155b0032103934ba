// `kubectl describe` of configuration and policies.
//
// Source: kubectl pkg/describe/describe.go ConfigMapDescriber, describeSecret,
// describeServiceAccount, describePriorityClass, describePodDisruptionBudgetV1.
#include "ksim/api/printing/printer_cells.h"
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/base64.h"
#include "ksim/value/go_format.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// How many bytes a value in base64 stands for.
std::size_t ByteCount(const Value& base64) {
  return value::Unbase64(base64.AsString()).value_or("").size();
}

}  // namespace

std::string DescribeConfigMap(const Described& d) {
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "\nData\n====\n");
  for (const Value::Member& m : d.tree.Get("data").members())
    w.Write(0, "{}:\n----\n{}\n\n", m.name.text(), m.value.AsString());
  w.Write(0, "\nBinaryData\n====\n");
  for (const Value::Member& m : d.tree.Get("binaryData").members())
    w.Write(0, "{}: {} bytes\n", m.name.text(), ByteCount(m.value));
  w.Write(0, "\n");
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeSecret(const Described& d) {
  const std::string_view type = d.tree.Get("type").AsString();
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "\nType:\t{}\n", type);
  w.Write(0, "\nData\n====\n");
  for (const Value::Member& m : d.tree.Get("data").members()) {
    const bool token = m.name.text() == "token" && type == "kubernetes.io/service-account-token";
    if (token)
      w.Write(0, "token:\t{}\n", value::Unbase64(m.value.AsString()).value_or(""));
    else
      w.Write(0, "{}:\t{} bytes\n", m.name.text(), ByteCount(m.value));
  }
  return w.Take();
}

std::string DescribeServiceAccount(const Described& d) {
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  std::string_view title = "Image pull secrets:";
  const Value& secrets = d.tree.Get("imagePullSecrets");
  if (secrets.empty()) w.Write(0, "{}\t<none>\n", title);
  for (const Value& s : secrets.items()) {
    w.Write(0, "{}\t{}\n", title, s.Get("name").AsString());
    title = "                   ";
  }
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribePriorityClass(const Described& d) {
  TabWriter w;
  w.Write(0, "Name:\t{}\n", d.object.name());
  w.Write(0, "Value:\t{}\n", d.tree.Get("value").AsInt());
  w.Write(0, "GlobalDefault:\t{}\n", d.tree.Get("globalDefault").AsBool());
  w.Write(0, "PreemptionPolicy:\t{}\n", d.tree.Get("preemptionPolicy").AsString());
  w.Write(0, "Description:\t{}\n", d.tree.Get("description").AsString());
  w.Write(0, "Annotations:\t{}\n", LabelsText(d.object.annotations()));
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeDisruptionBudget(const Described& d) {
  const Value& spec = d.spec();
  const Value& status = d.status();
  TabWriter w;
  WriteHead(w, d.object);
  if (spec.Has("minAvailable"))
    w.Write(0, "Min available:\t{}\n", value::GoFormat(spec.Get("minAvailable")));
  else if (spec.Has("maxUnavailable"))
    w.Write(0, "Max unavailable:\t{}\n", value::GoFormat(spec.Get("maxUnavailable")));
  w.Write(0, "Selector:\t{}\n",
          spec.Has("selector") ? api::SelectorText(spec.Get("selector")) : "<unset>");
  w.Write(0, "Status:\n");
  w.Write(2, "Allowed disruptions:\t{}\n", status.Get("disruptionsAllowed").AsInt());
  w.Write(2, "Current:\t{}\n", status.Get("currentHealthy").AsInt());
  w.Write(2, "Desired:\t{}\n", status.Get("desiredHealthy").AsInt());
  w.Write(2, "Total:\t{}\n", status.Get("expectedPods").AsInt());
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
