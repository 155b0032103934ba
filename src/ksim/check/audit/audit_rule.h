// AuditRule: one oracle, as far as an audit log shows what it promises.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/audit/audit_log.h"
#include "ksim/check/verdict.h"

namespace ksim::check {

class AuditRule {
 public:
  // `needs`: what was not there if nothing was judged.
  AuditRule(std::string_view oracle, Guarantee guarantee, std::string_view needs);
  virtual ~AuditRule() = default;
  AuditRule(const AuditRule&) = delete;
  AuditRule& operator=(const AuditRule&) = delete;

  // A request that was answered, in the order of the log.
  virtual void On(const AuditEvent& event) = 0;
  virtual void Finish() {}
  Verdict Take();

 protected:
  void Judged() { judged_ = true; }
  // `line`: of the event at which it shows.
  void Violate(int line, std::string object, std::string client, std::string message);
  // Tells a reader of something that may be right.
  void Note(int line, std::string message);

 private:
  Verdict verdict_;
  std::string needs_;
  bool judged_ = false;
};

// Updates of one object follow one another: store.linearizable.
std::unique_ptr<AuditRule> AuditedRevisions();
// delete.uid and status.uid.
std::unique_ptr<AuditRule> AuditedDeletions();
std::unique_ptr<AuditRule> AuditedStatusWrites();
// Nobody takes a Lease that another holds: leader.alone.
std::unique_ptr<AuditRule> AuditedLeases();
// Nobody writes the same again and again: hot.loop, which only an audit log is asked for.
std::unique_ptr<AuditRule> AuditedLoops();

// The resourceVersion of an object, or of a request about it; 0 if it is no number.
std::int64_t RevisionIn(std::string_view text);
// The revision of the object in an answer; 0 if there is none in it.
std::int64_t AnsweredRevision(const AuditEvent& event);
// Whether a write answers with the object that it is about: the object itself, status, scale, ...
bool AnswersWithObject(const AuditEvent& event);

}  // namespace ksim::check
