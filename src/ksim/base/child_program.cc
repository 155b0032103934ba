#include "ksim/base/child_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/time.h"

extern char** environ;

namespace ksim::os {
namespace {

constexpr Duration kGrace = Seconds(2);  // from SIGTERM to SIGKILL
constexpr int kLookMilliseconds = 100;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

  // Appends some bytes that have come; closes itself at the end.
  void ReadSome(std::string* to) {
    char buffer[65536];
    const ssize_t n = ::read(fd_, buffer, sizeof(buffer));
    if (n > 0) to->append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) Close();
  }

 private:
  int fd_;
};

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& own) {
  const auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> all = own;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const bool replaced = std::any_of(
        own.begin(), own.end(), [&](const std::string& o) { return name(o) == name(*entry); });
    if (!replaced) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The child's side: becomes the program, or writes errno to `failed`.
[[noreturn]] void Become(const ProgramCall& call, char** words, char** environment, int out,
                         int err, int failed, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(signal, SIG_DFL);
  const int none = ::open("/dev/null", O_RDONLY);
  ::dup2(none, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (call.directory.empty() || ::chdir(call.directory.c_str()) == 0)
    ::execvpe(words[0], words, environment);
  const int error = errno;
  (void)!::write(failed, &error, sizeof(error));
  ::_exit(127);
}

void TakeLines(std::string* text, const std::function<void(std::string_view)>& on_line) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text->find('\n', begin)) != text->npos; begin = end + 1)
    on_line(std::string_view(*text).substr(begin, end - begin));
  text->erase(0, begin);
}

// Ends the process group of `pid`, and reaps its leader.
void End(pid_t pid) {
  ::kill(-pid, SIGTERM);
  const Duration begun = MonotonicNow();
  while (MonotonicNow() - begun < kGrace) {
    if (::waitpid(pid, nullptr, WNOHANG) == pid) {
      ::kill(-pid, SIGKILL);
      return;
    }
    ::poll(nullptr, 0, 10);
  }
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int Reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

absl::StatusOr<ProgramEnd> RunProgram(const ProgramCall& call,
                                      const std::function<void(std::string_view)>& on_line,
                                      const std::function<bool()>& stop) {
  std::vector<std::string> word_texts = call.words;
  std::vector<std::string> environment_texts = EnvironmentWith(call.environment);
  const std::vector<char*> words = Pointers(word_texts);
  const std::vector<char*> environment = Pointers(environment_texts);
  int pipes[3][2];  // stdout, stderr, why it could not begin
  for (int i = 0; i < 3; ++i) {
    if (::pipe2(pipes[i], O_CLOEXEC) == 0) continue;
    const int error = errno;
    for (int k = 0; k < i; ++k) {
      ::close(pipes[k][0]);
      ::close(pipes[k][1]);
    }
    return ErrnoStatus(error);
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0)
    Become(call, const_cast<char**>(words.data()), const_cast<char**>(environment.data()),
           pipes[0][1], pipes[1][1], pipes[2][1], parent);
  const int fork_error = errno;
  for (const auto& pair : pipes) ::close(pair[1]);
  Descriptor out(pipes[0][0]), err(pipes[1][0]), failed(pipes[2][0]);
  if (pid < 0) return ErrnoStatus(fork_error);
  ::setpgid(pid, pid);
  int error = 0;
  if (::read(failed.get(), &error, sizeof(error)) == sizeof(error)) {
    Reap(pid);
    return ErrnoStatus(error);
  }
  ProgramEnd end;
  std::string lines;
  while (out.get() >= 0 || err.get() >= 0) {
    pollfd fds[] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}};
    const bool some = ::poll(fds, 2, kLookMilliseconds) > 0;
    if (stop()) {
      End(pid);
      return absl::CancelledError("interrupted");
    }
    if (some && fds[0].revents != 0) out.ReadSome(&end.out);
    if (some && fds[1].revents != 0) err.ReadSome(&lines);
    TakeLines(&lines, on_line);
  }
  if (!lines.empty()) on_line(lines);
  end.code = Reap(pid);
  return end;
}

}  // namespace ksim::os
