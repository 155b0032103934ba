// Requests as lines of JSON, asked of a World and answered as lines of JSON, so that the same lines
// can be asked of a real kube-apiserver (tests/apiserver/recorded).
//
//   {"verb": "create", "resource": "pods", "ns": "default", "name": "", "sub": "",
//    "query": {"dryRun": "All"}, "patch": "merge", "user": "", "body": {...}}
//   {"code": 201, "body": {...}, "warnings": [...]}
//
// Kinds that definitions make are named at a version: "group": "example.com", "version": "v1". What
// nobody serves is answered as by the HTTP door.
//
// "$NAME" in a text stands for a value that an earlier line kept: "save": {"NAME": "metadata.uid"}.
// With "versions": true the answer also relates its resource versions to the kept ones. With
// "table": true it has the table of the server's printers.
//
// One line opens a watch and others read it; each answer has the events since the previous one:
//
//   {"verb": "watch", "resource": "pods", "query": {"resourceVersion": "$NAME"}, "as": "W"}
//   {"code": 200}
//   {"verb": "events", "of": "W", "seconds": 1}
//   {"events": [{"type": "ADDED", "object": {...}}], "ended": false, "versions": ["NAME"]}
//
// {"verb": "wait", "seconds": 4} lets time pass, {"verb": "compact", "at": "$NAME"} compacts etcd.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ksim/value/value.h"
#include "tests/apiserver/answer_versions.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {

class Asker {
 public:
  explicit Asker(World& world) : world_(world) {}
  value::Value Ask(const value::Value& line);

 private:
  api::Request RequestOf(const value::Value& line) const;
  value::Value Filled(const value::Value& v) const;
  value::Value Answer(const value::Value& line);
  value::Value OpenWatch(const value::Value& line);
  value::Value EventsOf(const value::Value& line);
  value::Value Compact(const value::Value& line);
  void Keep(const value::Value& line, const value::Value& body);
  World& world_;
  Kept kept_;
  std::map<std::string, std::shared_ptr<TestWatch>, std::less<>> watches_;
};

// An answer without the members that differ from run to run and from server to server: uids,
// resource versions, continue tokens, the time of creation, ages in tables, generated letters,
// managedFields; and without the empty values that Go prints of fields without omitempty.
value::Value Comparable(const value::Value& answer);

// A comparable answer without the orders that Go's maps and goroutines make: that of the causes of
// an error about a custom resource, in its details and in its message, and that of a definition's
// conditions if two controllers write them.
value::Value WithoutMapOrder(const value::Value& answer);

// The answers' resource versions, numbered in the order of their appearance: two servers have
// different numbers, but both or neither write.
class Versions {
 public:
  std::string Of(const value::Value& answer);

 private:
  std::map<std::string, std::vector<std::string>> seen_;
};

}  // namespace ksim::apiserver
