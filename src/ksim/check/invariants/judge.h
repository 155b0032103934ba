// Judge: what the judges of all kinds of invariants share: the selection, the moment of a write, of
// a deadline and of the end, and the words.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ksim/check/invariant_oracle.h"
#include "ksim/check/invariants/expression.h"
#include "ksim/check/invariants/selection.h"

namespace ksim::check {

class Judge : public InvariantOracle {
 public:
  void On(const Facts& facts, const Observation& o) final;
  void Finish(const Facts& facts, const RunEnd& end) final;
  std::string WhyNot() const override;
  bool AsksForOwners() const override;
  void ForgiveTheEnd() override { forgiven_ = true; }
  void ForgiveTheEndOfEach() override { forgiven_each_ = true; }

 protected:
  Judge(const Invariant& invariant, const InvariantSurroundings& surroundings);

  // A commit that concerns the selection.
  virtual void OnChange(const Facts& facts, const Observation& o, const SelectedChange& change) = 0;
  // The run is over, and was not cut short.
  virtual void AtEnd(const Facts& facts, const RunEnd& end) = 0;

  bool campaign() const { return surroundings_.campaign; }
  // Whether the end of a campaign's run says nothing of the set, since its steps did not come true,
  // or of any object, since a controller left its work undone.
  bool forgives() const { return forgiven_each_ || (forgiven_ && !about_one_); }
  bool about_one() const { return about_one_; }
  bool ever() const { return ever_; }  // some object was selected
  Selection& selection() { return selection_; }
  std::string ObjectName(const SelectedObject& object) const;  // pods/default/a

  // The moment of a write; `was`: the state before, when it was selected, or was there at all.
  Moment AtWrite(const Observation& o, const SelectedChange& change) const;
  // A moment at which nobody writes; null: of the set.
  Moment AtRest(const SelectedObject* object, std::int64_t now) const;

  // "web wrote configmaps/default/b at revision 57".
  static std::string WriteInWords(const Observation& o);
  // "configmaps/default/b", or "the 2 configmaps with app=shop" of the set.
  std::string Subject(const SelectedObject* object) const;
  // "; count = 2", or "".
  static std::string Values(const Expression& expression, const Moment& moment);
  // `object` null: of the set, which has no name that stays.
  void Report(std::uint64_t first, std::string who, const SelectedObject* object,
              std::string message);

  const Expression& expression() const { return *expression_; }
  const Expression& then() const { return *then_; }

 private:
  const InvariantSurroundings surroundings_;
  Selection selection_;
  std::optional<Expression> expression_, then_;  // nothing: they cannot be compiled
  std::string problem_;                          // why not
  bool about_one_ = false;
  bool ever_ = false;
  bool forgiven_ = false, forgiven_each_ = false;
};

std::unique_ptr<InvariantOracle> MakeEachWrite(const Invariant&, const InvariantSurroundings&);
std::unique_ptr<InvariantOracle> MakeEventually(const Invariant&, const InvariantSurroundings&);
std::unique_ptr<InvariantOracle> MakeFinally(const Invariant&, const InvariantSurroundings&);
std::unique_ptr<InvariantOracle> MakeLeadsTo(const Invariant&, const InvariantSurroundings&);
std::unique_ptr<InvariantOracle> MakeStable(const Invariant&, const InvariantSurroundings&);

}  // namespace ksim::check
