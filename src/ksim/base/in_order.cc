#include "ksim/base/in_order.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/worker.h"

namespace ksim::os {
namespace {

// How long a signal that asks to stop may go unnoticed.
constexpr Duration kLook = Milliseconds(100);

struct Hand {
  std::unique_ptr<Worker> worker;
  std::optional<std::size_t> doing;
};

class Pieces {
 public:
  Pieces(std::size_t count, int workers, const std::function<std::string(std::size_t)>& work)
      : work_(work), done_(count), hands_(static_cast<std::size_t>(workers)) {}

  absl::Status GiveWork() {
    for (Hand& hand : hands_) {
      if (hand.doing || next_ == done_.size()) continue;
      if (hand.worker == nullptr) {
        absl::StatusOr<std::unique_ptr<Worker>> worker = Hire();
        if (!worker.ok()) return worker.status();
        hand.worker = *std::move(worker);
      }
      hand.doing = next_++;
      // A worker that is gone is noticed when it is waited for.
      hand.worker->Send(std::to_string(*hand.doing)).IgnoreError();
    }
    return absl::OkStatus();
  }

  void Wait() {
    std::vector<Worker*> busy;
    for (const Hand& hand : hands_)
      if (hand.doing) busy.push_back(hand.worker.get());
    WaitForWorkers(busy, kLook);
    for (Hand& hand : hands_)
      if (hand.doing) TakeFrom(&hand);
  }

  void HandOver(const std::function<void(const Piece&)>& take) {
    for (; taken_ < done_.size() && done_[taken_]; ++taken_) {
      take(*done_[taken_]);
      done_[taken_].emplace();
    }
  }
  bool all_taken() const { return taken_ == done_.size(); }

  // One whose worker a signal ended is a gap: it has nothing to say.
  void WindUp(int signal, const std::function<void(const Piece&)>& take) {
    for (const Hand& hand : hands_)
      if (hand.doing) hand.worker->Signal(signal);
    const Duration end = MonotonicNow() + kGrace;
    while (AnyBusy() && MonotonicNow() < end) Wait();
    for (; taken_ < done_.size(); ++taken_) {
      const std::optional<Piece>& piece = done_[taken_];
      if (piece && (piece->text || piece->exit_code >= 0)) take(*piece);
    }
  }

 private:
  bool AnyBusy() const {
    return std::any_of(hands_.begin(), hands_.end(),
                       [](const Hand& h) { return h.doing.has_value(); });
  }

  absl::StatusOr<std::unique_ptr<Worker>> Hire() const {
    return Worker::Start([this](std::string_view request, const Worker::Reply& reply) {
      reply(work_(std::stoul(std::string(request))));
    });
  }

  void TakeFrom(Hand* hand) {
    Piece piece;
    piece.number = *hand->doing;
    piece.text = hand->worker->Take();
    if (!piece.text && !hand->worker->ended()) return;
    if (!piece.text) {
      piece.exit_code = hand->worker->exit_code();
      piece.how = hand->worker->HowItEnded();
      hand->worker.reset();
    }
    done_[piece.number] = std::move(piece);
    hand->doing.reset();
  }

  const std::function<std::string(std::size_t)>& work_;
  std::vector<std::optional<Piece>> done_;
  std::vector<Hand> hands_;
  std::size_t next_ = 0;   // the first that nobody does
  std::size_t taken_ = 0;  // so many were handed over
};

}  // namespace

absl::Status InOrder(std::size_t count, int workers,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(const Piece&)>& take,
                     const std::function<int()>& stop) {
  Pieces pieces(count, workers, work);
  while (!pieces.all_taken()) {
    if (const int signal = stop(); signal != 0) {
      pieces.WindUp(signal, take);
      break;
    }
    if (const absl::Status status = pieces.GiveWork(); !status.ok()) return status;
    pieces.Wait();
    pieces.HandOver(take);
  }
  return absl::OkStatus();
}

}  // namespace ksim::os
