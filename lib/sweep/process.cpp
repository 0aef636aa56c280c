#include "sweep/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr int cannot_start = 127;  // as shells say it

[[noreturn]] void system_failed(const std::string& what) {
  throw Error(ExitCode::io, fmt::format("{}: {}", what, std::strerror(errno)));
}

std::vector<char*> arguments(const std::vector<std::string>& command) {
  std::vector<char*> list;
  for (const std::string& word : command) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string contents(std::FILE* f) {
  std::string text;
  char part[4096];
  std::rewind(f);
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) > 0;) text.append(part, n);
  return text;
}

// What reaches a child before it has its program would only be noted by the handlers of this one,
// and be lost: blocked until the child has none of them.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { let_go(); }
  NoSignals(const NoSignals&) = delete;
  void let_go() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// Between fork and exec: only what POSIX allows there.
[[noreturn]] void become(char* const* arguments, int out, int err, pid_t parent, bool own_group,
                         const NoSignals& held_back) {
  for (const int s : {SIGTERM, SIGINT, SIGUSR1}) signal(s, SIG_DFL);
  held_back.let_go();
  if (own_group) {
    setpgid(0, 0);
    // Linux sends it once for every thread of the parent that goes, and two of SIGTERM stop a run
    // without a checkpoint.
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    if (getppid() != parent) _exit(int(ExitCode::interrupted));  // died before it was asked
  }
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(cannot_start);
}

pid_t start(const std::vector<std::string>& command, int out, int err, bool own_group) {
  const std::vector<char*> list = arguments(command);
  const NoSignals held_back;
  const pid_t parent = getpid(), child = fork();
  if (child < 0) system_failed("cannot start " + command.front());
  if (child == 0) become(list.data(), out, err, parent, own_group, held_back);
  return child;
}

ProcessEnd end_of(int status) {
  if (WIFEXITED(status)) return {WEXITSTATUS(status), 0};
  return {-1, WTERMSIG(status)};
}

}  // namespace

pid_t start_process(const std::vector<std::string>& command, const fs::path& log) {
  const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) system_failed(log.string());
  const pid_t child = start(command, fd, fd, true);
  close(fd);
  return child;
}

std::optional<ProcessEnd> process_end(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child) return {};
  return end_of(status);
}

std::string output_of(const std::vector<std::string>& command) {
  const File out(std::tmpfile()), err(std::tmpfile());
  if (!out || !err) system_failed("cannot make a temporary file");
  const pid_t child = start(command, fileno(out.get()), fileno(err.get()), false);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const ProcessEnd end = end_of(status);
  if (end.exit_code == 0) return contents(out.get());
  std::string why = contents(err.get());
  while (why.ends_with('\n')) why.pop_back();
  if (end.exit_code == cannot_start && why.empty()) why = "there is no such program here";
  throw Error(ExitCode::io, fmt::format("{}: {}", command.front(), why));
}

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

std::string filled(std::string script, const std::string& hole, const std::string& with) {
  const auto at = script.find(hole);
  return script.replace(at, hole.size(), with);
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace rtsim
