#include "ksim/kubectl/printing/table.h"

#include "ksim/kubectl/printing/cell_text.h"
#include "ksim/kubectl/printing/event_list.h"
#include "ksim/kubectl/printing/tab_writer.h"
#include "tests/api/fixture.h"

namespace ksim::kubectl {
namespace {

using api::KindOf;
using api::Kinds;
using api::Object;
using api::ResourceInfo;

Object Obj(std::string_view yaml) { return Object::FromTree(api::Yaml(yaml)); }
VirtualTime At(std::int64_t seconds) { return VirtualTime() + Seconds(seconds); }

TEST(Table, TextLooksLikeKubectl) {
  const std::vector<Object> pods = {
      Obj("{metadata: {name: web-1, namespace: default, creationTimestamp: "
          "'2025-01-01T00:00:00Z'}, "
          "spec: {nodeName: node-1, containers: [{name: c}]}, status: {phase: Running, podIP: "
          "10.0.0.1, containerStatuses: [{ready: true, state: {running: {}}}]}}"),
      Obj("{metadata: {name: a-longer-name, namespace: kube-system, creationTimestamp: "
          "'2025-01-01T00:01:00Z'}, spec: {containers: [{name: c}]}, status: {phase: Pending}}")};
  TableOptions options;
  EXPECT_EQ(RenderTable(KindOf("pods"), pods, At(90), options),
            "NAME            READY   STATUS    RESTARTS   AGE\n"
            "web-1           1/1     Running   0          90s\n"
            "a-longer-name   0/1     Pending   0          30s\n");
  options.with_namespace = true;
  options.with_kind = true;
  options.wide = true;
  EXPECT_EQ(
      RenderTable(KindOf("pods"), pods, At(90), options),
      "NAMESPACE     NAME                READY   STATUS    RESTARTS   AGE   IP         NODE     "
      "NOMINATED NODE   READINESS GATES\n"
      "default       pod/web-1           1/1     Running   0          90s   10.0.0.1   node-1   "
      "<none>           <none>\n"
      "kube-system   pod/a-longer-name   0/1     Pending   0          30s   <none>     <none>   "
      "<none>           <none>\n");
  TableOptions bare;
  bare.no_headers = true;
  EXPECT_EQ(RenderTable(KindOf("cm"), {Obj("metadata: {name: x}")}, At(1), bare),
            "x     0     <unknown>\n");
  EXPECT_EQ(RenderTable(KindOf("pods"), {}, At(1), options), "");
  options.with_namespace = options.wide = false;
  EXPECT_EQ(RenderTable(KindOf("rs"), {Obj("metadata: {name: x}")}, At(1), options),
            "NAME                DESIRED   CURRENT   READY   AGE\n"
            "replicaset.apps/x   1         0         0       <unknown>\n");
}

TEST(Table, CellsAreOneLineAndCountCharacters) {
  const std::vector<Object> events = {
      Obj("{metadata: {name: e}, reason: Grün, type: Normal, message: \"one\\ntwo\"}"),
      Obj("{metadata: {name: f}, reason: Green, type: Normal, message: ok}")};
  EXPECT_EQ(RenderTable(KindOf("events"), events, At(1), TableOptions()),
            "LAST SEEN   TYPE     REASON   OBJECT   MESSAGE\n"
            "<unknown>   Normal   Grün              one...\n"
            "<unknown>   Normal   Green             ok\n");
}

TEST(Table, CustomKindsShowNameAndAge) {
  Kinds kinds;
  const ResourceInfo& widget = *kinds.AddGeneric("example.com/v1", "Pod");
  TableOptions options;
  options.with_kind = true;
  EXPECT_EQ(RenderTable(widget,
                        {Obj("metadata: {name: w, creationTimestamp: "
                             "'2025-01-01T00:00:00Z'}")},
                        At(5), options),
            "NAME                AGE\n"
            "pod.example.com/w   5s\n");
}

// kubectl events sorts by the time last seen; a series of events is one line.
TEST(EventList, EventsAsKubectlEventsPrintsThem) {
  const std::vector<Object> events = {
      Obj("{type: Warning, reason: FailedScheduling, series: {count: 4, lastObservedTime: "
          "'2025-01-01T00:01:20.000000Z'}, eventTime: '2025-01-01T00:00:10.000000Z', "
          "involvedObject: {kind: Pod, name: web-a}, message: ' no nodes '}"),
      Obj("{type: Normal, reason: Pulled, count: 1, firstTimestamp: '2025-01-01T00:00:30Z', "
          "lastTimestamp: '2025-01-01T00:00:30Z', involvedObject: {kind: Pod, name: web-b}, "
          "message: pulled}"),
      Obj("{type: Warning, reason: BackOff, count: 3, firstTimestamp: '2025-01-01T00:00:00Z', "
          "lastTimestamp: '2025-01-01T00:01:00Z', involvedObject: {kind: Pod, name: web-b}, "
          "message: back-off}")};
  EXPECT_EQ(RenderEvents(events, At(90), false),
            "LAST SEEN           TYPE      REASON             OBJECT      MESSAGE\n"
            "60s                 Normal    Pulled             Pod/web-b   pulled\n"
            "30s (x3 over 90s)   Warning   BackOff            Pod/web-b   back-off\n"
            "10s (x4 over 80s)   Warning   FailedScheduling   Pod/web-a   no nodes\n");
  EXPECT_EQ(RenderEvents({}, At(90), false), "");
}

TEST(Table, ShowsNoTerminalCommands) {
  EXPECT_EQ(EscapeTerminal("a\x1b[31mb\rc\n"), "a^[[31mb\\rc\n");
}

// text/tabwriter: vertical tabs end cells too, and form feeds end lines and what is aligned.
TEST(TabWriter, EscapesAndAlignsAsGoDoes) {
  TabWriter w;
  w.Write(0, "Name:\t{}\n", "\x1b[2J");
  w.Write(1, "a\vb\rc\fd:\te\n");
  w.Write(0, "{}\n", "longer:\tf");
  EXPECT_EQ(w.Take(), "Name:  ^[[2J\n  a    b\\rc\nd:       e\nlonger:  f\n");
}

}  // namespace
}  // namespace ksim::kubectl
