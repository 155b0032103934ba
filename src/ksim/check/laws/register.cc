// ContradictionsIn of check/trace_law.h as well: it alone knows all laws.
#include "ksim/check/laws/register.h"

#include <algorithm>
#include <iterator>

#include "ksim/check/laws/shape.h"

namespace ksim::check {
namespace {

// The law that a record is of its kind's shape. ContradictionsIn asks it first.
class ShapeLaw : public TraceLaw {
 public:
  void On(const Ledger&, const trace::Record& r) override {
    if (const std::string problem = ShapeProblem(r); !problem.empty()) Contradict(r, problem);
  }
};

std::vector<std::unique_ptr<TraceLaw>> AllLaws() {
  std::vector<std::unique_ptr<TraceLaw>> all;
  for (auto make : {OrderLaw, RequestLaw, ResponseLaw, StageLaw, CommitLaw, WatchLaw, HandlerLaw,
                    CacheLaw, RuntimeLaw, WebhookLaw, RunLaw, LastLineLaw})
    all.push_back(make());
  return all;
}

void Append(std::vector<Finding>&& more, std::vector<Finding>* all) {
  all->insert(all->end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<Finding> ContradictionsIn(const trace::Trace& trace, const Checker& checker) {
  std::vector<Finding> found;
  ShapeLaw shape;
  const std::vector<std::unique_ptr<TraceLaw>> laws = AllLaws();
  Ledger ledger(trace, checker.whole_history());
  for (const trace::Record& r : trace.events) {
    shape.On(ledger, r);
    if (shape.found()) {
      Append(shape.Take(), &found);
    } else {
      for (const auto& law : laws) {
        law->On(ledger, r);
        if (law->found()) Append(law->Take(), &found);
      }
    }
    ledger.Take(r);
  }
  const bool whole = trace.end && trace.end->result != "interrupted";
  for (const auto& law : laws) {
    if (whole) law->Finish(ledger, checker);
    Append(law->Take(), &found);
  }
  return found;
}

}  // namespace ksim::check
