#include "ksim/base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "ksim/base/hash.h"
#include "ksim/base/os.h"

namespace ksim::os {
namespace {

// A message is its length (4 bytes, little-endian) and its bytes.
constexpr std::size_t kLengthBytes = 4;

std::string Framed(std::string_view message) {
  std::string out(kLengthBytes, '\0');
  PutLittleEndian(out.data(), message.size(), kLengthBytes);
  out += message;
  return out;
}

std::optional<std::string> Unframe(std::string* bytes) {
  if (bytes->size() < kLengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>((*bytes)[i])) << (8 * i);
  if (bytes->size() < kLengthBytes + length) return std::nullopt;
  std::string message = bytes->substr(kLengthBytes, length);
  bytes->erase(0, kLengthBytes + length);
  return message;
}

// Appends what can be read, at least one byte. False once the other end is closed.
bool ReadSome(int fd, std::string* out) {
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out->append(buffer, static_cast<std::size_t>(n));
    return true;
  }
}

[[noreturn]] void ServeAll(int from, int to, const Worker::Serve& serve) {
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  std::string bytes;
  const Worker::Reply reply = [to](std::string_view answer) {
    if (!WriteToDescriptor(to, Framed(answer)).ok()) ::_exit(0);
  };
  for (;;) {
    std::optional<std::string> request = Unframe(&bytes);
    if (request) {
      serve(*request, reply);
    } else if (!ReadSome(from, &bytes)) {
      ::_exit(0);
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Start(const Serve& serve) {
  int to_child[2], to_parent[2];
  if (::pipe2(to_child, O_CLOEXEC) != 0) return ErrnoStatus(errno);
  if (::pipe2(to_parent, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(to_child[0]);
    ::close(to_child[1]);
    return ErrnoStatus(error);
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    ::close(to_child[1]);
    ::close(to_parent[0]);
    ServeAll(to_child[0], to_parent[1], serve);
  }
  const int error = errno;
  ::close(to_child[0]);
  ::close(to_parent[1]);
  if (pid < 0) {
    ::close(to_child[1]);
    ::close(to_parent[0]);
    return ErrnoStatus(error);
  }
  return std::unique_ptr<Worker>(new Worker(pid, to_child[1], to_parent[0]));
}

Worker::~Worker() {
  Kill();
  ::close(to_);
  ::close(from_);
}

absl::Status Worker::Send(std::string_view request) {
  return WriteToDescriptor(to_, Framed(request));
}

std::optional<std::string> Worker::Take() { return Unframe(&in_); }

void Worker::Read() {
  if (!ended_ && !ReadSome(from_, &in_)) ended_ = true;
}

void Worker::Reap() {
  while (!reaped_ && ::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
}

void Worker::Kill() {
  if (!reaped_) ::kill(pid_, SIGKILL);
  Reap();
}

void Worker::Signal(int signal) {
  if (!reaped_) ::kill(pid_, signal);
}

bool Worker::killed_by_signal() {
  Reap();
  return WIFSIGNALED(status_);
}

int Worker::exit_code() {
  Reap();
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

std::string Worker::HowItEnded() {
  if (killed_by_signal())
    return fmt::format("signal {} ({})", WTERMSIG(status_), ::strsignal(WTERMSIG(status_)));
  return fmt::format("exit code {}", exit_code());
}

void Worker::EndLikewise() {
  if (killed_by_signal()) {
    const int signal = WTERMSIG(status_);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  ::_exit(exit_code() < 0 ? 128 : exit_code());
}

bool WaitForWorkers(const std::vector<Worker*>& workers, Duration timeout) {
  std::vector<pollfd> fds;
  for (const Worker* w : workers) fds.push_back({w->ended_ ? -1 : w->from_, POLLIN, 0});
  const int ms = static_cast<int>(timeout.ns() / Milliseconds(1).ns());
  if (::poll(fds.data(), fds.size(), ms) <= 0) return false;
  for (std::size_t i = 0; i < fds.size(); ++i)
    if (fds[i].revents != 0) workers[i]->Read();
  return true;
}

}  // namespace ksim::os
