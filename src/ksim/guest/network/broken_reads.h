// BrokenReads: the lists and watches of a guest that broke off or failed and have not been answered
// since. Its reflector lists anew after a back-off, of which only the guest's timers know: what it
// asks for then is work, though time alone has brought it there, so that no run is quiet before.
#pragma once
#include <map>
#include <string>

#include "ksim/apiserver/doors/http/message.h"

namespace ksim::guest {

class BrokenReads {
 public:
  // The path and the selection that a request lists or watches: the same for a list and for the
  // watch that follows it. "" for any other request, and for Leases, which are looked at for ever.
  static std::string KeyOf(const apiserver::http::HttpRequest& request);

  // A watch broke off, or was told an error. Whether its resource is awaited from now on.
  bool Broke(const std::string& key);
  // A list or a watch's opening was answered; status 0: it was not. Whether it is awaited.
  bool Answered(const std::string& key, int status);
  // Whether a request for it is that of a reflector which lists anew.
  bool Awaits(const std::string& key) const;
  // It has failed for so long that nobody waits for it any more, unless a fault ends.
  void GiveUp(const std::string& key);
  // Whatever has been given up may be answered from now on. Whether anything is awaited.
  bool FaultEnded();
  void Clear() { broken_.clear(); }

 private:
  enum class State { kAwaited, kGivenUp };
  std::map<std::string, State> broken_;
};

}  // namespace ksim::guest
