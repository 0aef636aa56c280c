#include "cache/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.h"

namespace rtsim {

namespace {

bool is_held(int error) { return error == EWOULDBLOCK || error == EAGAIN || error == EACCES; }

enum class Share { with_nobody, with_those_who_look };

// flock, or where the file system has none (some network mounts), a POSIX record lock. Returns 0
// or errno.
int try_lock(int fd, Share share) {
  const bool exclusive = share == Share::with_nobody;
  if (::flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return 0;
  if (is_held(errno)) return errno;
  struct flock whole {};
  whole.l_type = exclusive ? F_WRLCK : F_RDLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(fd, F_SETLK, &whole) == 0 ? 0 : errno;
}

// Who asks is_locked() holds it for a moment, which is no reason to give up.
int lock_soon(int fd) {
  constexpr int tries = 20;
  constexpr std::chrono::milliseconds pause(5);
  int error = try_lock(fd, Share::with_nobody);
  for (int k = 1; k < tries && is_held(error); ++k) {
    std::this_thread::sleep_for(pause);
    error = try_lock(fd, Share::with_nobody);
  }
  return error;
}

std::string holder(int fd) {
  char text[256];
  const ssize_t n = ::pread(fd, text, sizeof text, 0);
  std::string who = n > 0 ? std::string(text, std::size_t(n)) : "";
  while (!who.empty() && who.back() == '\n') who.pop_back();
  return who.empty() ? "another process" : who;
}

// Only informs, so a full disk is no reason to stop here: the first frame will tell.
void sign(int fd) {
  char host[128] = "";
  ::gethostname(host, sizeof host - 1);
  const std::string text = "process " + std::to_string(::getpid()) + " on " + host + "\n";
  if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / ".lock";
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) throw Error(ExitCode::io, file.string() + ": cannot open: " + std::strerror(errno));
  if (const int error = lock_soon(fd_)) {
    const std::string who = holder(fd_);
    ::close(fd_);
    if (!is_held(error))
      throw Error(ExitCode::io, file.string() + ": cannot lock: " + std::strerror(error));
    throw Error(ExitCode::output_exists, folder.string() + ": " + who +
                                             " is writing here: wait for it, or choose another "
                                             "folder with -o");
  }
  sign(fd_);
}

bool is_locked(const std::filesystem::path& folder) {
  const int fd = ::open((folder / ".lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const int error = try_lock(fd, Share::with_those_who_look);
  ::close(fd);
  return error != 0 && is_held(error);
}

// The file stays: removing a lock file lets two processes hold two files of one name.
FolderLock::~FolderLock() {
  (void)!::ftruncate(fd_, 0);
  ::close(fd_);
}

}  // namespace rtsim
