#include "sim/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace rtsim {

namespace {

volatile sig_atomic_t received = 0, impatient = 0, writing = 0;
const auto process_start = std::chrono::steady_clock::now();

// Where a terminal has hung up, what is still said would fail, and the run with it.
void leave_terminal() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct termios ignored {};
    if (tcgetattr(fd, &ignored) == 0 || errno != EIO) continue;
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, fd);
    close(nothing);
  }
}

// Only what POSIX allows in a handler.
void on_signal(int number) {
  const int error = errno;
  if (number == SIGHUP) leave_terminal();
  if (writing == 0) {
    constexpr char told[] = "rtsim: interrupted before anything was written\n";
    (void)!write(STDERR_FILENO, told, sizeof told - 1);
    _exit(int(ExitCode::interrupted));
  }
  const bool leaves = number == SIGINT || number == SIGTERM;
  if (leaves && impatient != 0) _exit(128 + number);
  if (leaves) impatient = 1;
  received = number;
  errno = error;
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (int number : {SIGINT, SIGTERM, SIGUSR1}) sigaction(number, &action, nullptr);
  struct sigaction before = {};
  const bool nohup = sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
  if (!nohup) sigaction(SIGHUP, &action, nullptr);
  // A full file-size limit must come back as an error of the write, not kill the run.
  signal(SIGXFSZ, SIG_IGN);
}

void first_write_begins() { writing = 1; }

std::optional<int> signal_received() {
  return received == 0 ? std::nullopt : std::optional<int>(received);
}

double seconds_since_process_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - process_start).count();
}

bool TimeLimit::reached(double reserve) const {
  return seconds_ && seconds_since_process_start() + reserve >= *seconds_;
}

}  // namespace rtsim
