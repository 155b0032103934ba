// Hand-made traces with every kind of event that an export or a report shows.
#pragma once
#include <string_view>

#include "tests/trace/builder.h"

namespace ksim::trace {

// The number of occurrences of `what` in `text`.
inline std::size_t CountIn(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

// kubectl creates a pod, and the scheduler gets it and binds it. The scheduler's next watch event
// and the answer to its last request are lost.
inline Trace SmallCluster() {
  using Kind = sim::EventKind;
  constexpr std::int64_t kMs = 1'000'000;
  TraceBuilder b;
  b.Event(0, "kube-apiserver-0", Kind::kWatch, 0,
          R"({"stream":1,"server":"kube-apiserver-0","client":"kube-scheduler","resource":"pods",)"
          R"("state":"open"})");
  b.Event(kMs, "kubectl", Kind::kRequest, 0,
          R"({"id":1,"server":"kube-apiserver-0","verb":"create","resource":"pods","name":"a"})");
  b.Commit(2 * kMs, 2, "pods", "a", R"({"kind":"Pod","metadata":{"name":"a","uid":"u"}})", 2);
  b.Event(2 * kMs + 1, "kube-apiserver-0", Kind::kEvent, 3,
          R"({"stream":1,"n":1,"type":"ADDED","resource":"pods","name":"a","rv":2})");
  b.Event(3 * kMs, "kubectl", Kind::kResponse, 2, R"({"id":1,"code":201,"rv":2})");
  b.Commit(3 * kMs + 1, 2, "pods", "a",
           R"({"kind":"Pod","metadata":{"name":"a","uid":"u"},"spec":{"nodeName":"n"}})", 3);
  b.Event(3 * kMs + 2, "kube-apiserver-0", Kind::kEvent, 6,
          R"({"stream":1,"n":2,"type":"MODIFIED","resource":"pods","name":"a","rv":3})");
  b.Event(4 * kMs, "kube-scheduler", Kind::kDeliver, 4,
          R"({"stream":1,"n":1,"type":"ADDED","resource":"pods","name":"a","rv":2})");
  b.Event(4 * kMs, "kube-scheduler", Kind::kHandler, 8,
          R"({"informer":"kube-scheduler pods","listener":"kube-scheduler","type":"add",)"
          R"("resource":"pods","namespace":"default","name":"a","rv":2,"oldRv":0,"initial":false,)"
          R"("tombstone":false})");
  b.Event(4 * kMs, "ksim", Kind::kFault, 9,
          R"({"id":"1","verb":"dropWatch","target":"kube-scheduler pods","state":"begin"})");
  b.Event(5 * kMs, "kube-apiserver-0", Kind::kWatch, 10,
          R"({"stream":1,"server":"kube-apiserver-0","client":"kube-scheduler","resource":"pods",)"
          R"("state":"close","reason":"error"})");
  b.Event(5 * kMs, "ksim", Kind::kFault, 0,
          R"({"id":"2","verb":"pause","target":"kube-scheduler","state":"begin"})");
  b.Event(6 * kMs, "kube-scheduler", Kind::kRequest, 9,
          R"({"id":2,"server":"kube-apiserver-0","verb":"create","resource":"pods",)"
          R"("subresource":"binding","name":"a"})");
  b.Event(6 * kMs, "kube-scheduler", Kind::kReconcile, 9,
          R"({"controller":"s","key":"default/a","state":"begin","result":""})");
  b.Event(7 * kMs, "kube-scheduler", Kind::kResponse, 13, R"({"id":2,"code":0,"lost":true})");
  b.Event(8 * kMs, "kube-scheduler", Kind::kReconcile, 14,
          R"({"controller":"s","key":"default/a","state":"end","result":"error"})");
  b.Event(8 * kMs, "ksim", Kind::kFault, 10,
          R"({"id":"1","verb":"dropWatch","target":"kube-scheduler pods","state":"end"})");
  b.Event(9 * kMs, "ksim", Kind::kFault, 12,
          R"({"id":"2","verb":"pause","target":"kube-scheduler","state":"end"})");
  b.Event(9 * kMs, "kube-controller-manager/replicaset", Kind::kReconcile, 0,
          R"({"controller":"replicaset","key":"default/r","state":"begin","result":""})");
  b.Event(10 * kMs, "kube-controller-manager/replicaset", Kind::kReconcile, 19,
          R"({"controller":"replicaset","key":"default/r","state":"end","result":"ok"})");
  b.Event(10 * kMs, "ksim", Kind::kViolation, 7,
          R"({"oracle":"watch.reliable","message":"pods/default/a did not come",)"
          R"("objects":["pods/default/a"],"first":7})");
  return b.Finish("0123456789abcdef0123456789abcdef");
}

// A trace that the reader accepts and no run writes: fields are missing or have wrong types, causes
// come later than their effects, times lie before the start.
inline Trace OddTrace() {
  TraceBuilder b;
  std::int64_t t = -5'000'000'000;
  for (std::uint16_t kind = 1; kind <= static_cast<std::uint16_t>(sim::EventKind::kLog); ++kind)
    for (const char* fields :
         {"{}", R"({"id":"x","rv":"y","stream":{},"state":"close","changed":7,"op":"update"})",
          R"({"state":"begin","resource":[1],"first":99,"revision":-3,"informer":null,"rv":-1})",
          R"({"state":"end","type":5,"changed":[{}],"gotRv":-1,"initial":"no","code":0.5})"}) {
      const std::uint64_t seq = b.trace.events.size() + 1;
      b.Event(t, seq % 3 == 0 ? "" : "a/b/c", static_cast<sim::EventKind>(kind),
              seq % 2 == 0 ? seq + 1 : seq, fields);
      t = -t;
    }
  Violation v;
  v.first = 1'000'000;
  Trace trace = b.Finish("");
  trace.end->violations = {v, v};
  trace.end->violations[1].first = 8;
  return trace;
}

}  // namespace ksim::trace
