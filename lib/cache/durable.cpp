#include "cache/durable.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

Error system_error(const fs::path& path, const char* what) {
  return Error(ExitCode::io, path.string() + ": " + what + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) throw system_error(path, "cannot open");
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  // Network file systems report a full disk only here.
  void close(const fs::path& path) {
    if (::close(release()) != 0) throw system_error(path, "cannot close");
  }

 private:
  int fd_;
};

void write_all(int fd, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error(path, "cannot write");
    text.remove_prefix(std::size_t(n));
  }
}

void sync_descriptor(int fd, const fs::path& path) {
  // EINVAL and EROFS: this file system has nothing to sync.
  if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
    throw system_error(path, "cannot sync");
}

// Asks in advance for what writes would be refused later. Without blocks beyond a file's end, where
// file systems look at no limit of its size, it is looked at here; where none can be had in advance
// what is free must do.
void allocate(int fd, int mode, std::uint64_t bytes, const fs::path& path) {
  struct rlimit most {};
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes > most.rlim_cur) {
    errno = EFBIG;
    throw system_error(path, "cannot write");
  }
  if (::fallocate(fd, mode, 0, off_t(bytes)) == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS) throw system_error(path, "cannot write");
  struct statvfs disk {};
  if (::fstatvfs(fd, &disk) != 0 || disk.f_blocks == 0) return;  // it cannot tell
  if (bytes / disk.f_frsize < disk.f_bavail) return;
  errno = ENOSPC;
  throw system_error(path, "cannot write");
}

// Makes names in a folder, new or renamed, survive the machine.
void sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor d(folder, O_RDONLY | O_DIRECTORY);
  sync_descriptor(d.get(), folder);
}

}  // namespace

void write_durably(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  const fs::path temporary = path.string() + ".tmp";
  try {
    write(temporary);
    Descriptor d(temporary, O_RDONLY);
    sync_descriptor(d.get(), temporary);
    d.close(temporary);
    rename_file(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(path);
}

void make_folders(const fs::path& folder) {
  if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) return;
  make_folders(folder.parent_path());
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    throw system_error(folder, "cannot create the folder");
  sync_folder(folder);
}

void write_bytes(const fs::path& path, std::string_view bytes) {
  write_parts(path, std::span(&bytes, 1));
}

void write_parts(const fs::path& path, std::span<const std::string_view> parts) {
  NewFile file(path);
  for (const std::string_view part : parts) file.write(part);
  file.close();
}

NewFile::NewFile(const fs::path& path)
    : path_(path), fd_(Descriptor(path, O_WRONLY | O_CREAT | O_TRUNC).release()) {}

NewFile::~NewFile() {
  if (fd_ >= 0) ::close(fd_);
}

void NewFile::write(std::string_view bytes) { write_all(fd_, bytes, path_); }

void NewFile::close() {
  if (::close(std::exchange(fd_, -1)) != 0) throw system_error(path_, "cannot close");
}

// A hint: where it is not understood, sync_path() does all the work.
void begin_sync(const fs::path& path) {
  const Descriptor d(path, O_RDONLY);
  ::sync_file_range(d.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

void sync_path(const fs::path& path) {
  const Descriptor d(path, O_RDONLY);
  if (::fdatasync(d.get()) != 0 && errno != EINVAL && errno != EROFS)
    throw system_error(path, "cannot sync");
}

void sync_files(std::span<const fs::path> files) {
  constexpr std::size_t few = 4;
  if (files.size() > few) {
    const Descriptor d(files[0], O_RDONLY);
    if (::syncfs(d.get()) != 0) throw system_error(files[0], "cannot sync");
    return;
  }
  for (const fs::path& file : files) sync_path(file);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error(to, "cannot rename to");
}

void link_or_copy(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return sync_folder(to);
  if (errno == EEXIST) throw system_error(to, "cannot link");
  write_durably(to, [&](const fs::path& temporary) { fs::copy_file(from, temporary); });
}

void check_room(const fs::path& path, std::uint64_t bytes) {
  Descriptor d(path, O_WRONLY | O_CREAT | O_TRUNC);
  try {
    allocate(d.get(), 0, bytes, path);
  } catch (const Error&) {
    (void)!::ftruncate(d.get(), 0);  // some keep what they could get
    throw;
  }
  if (::ftruncate(d.get(), 0) != 0) throw system_error(path, "cannot cut");
  d.close(path);
}

std::optional<double> free_room(const fs::path& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  return double(disk.f_bavail) * double(disk.f_frsize);
}

void reserve_room(const fs::path& path, std::uint64_t bytes) {
  Descriptor d(path, O_WRONLY);
  allocate(d.get(), FALLOC_FL_KEEP_SIZE, bytes, path);
  d.close(path);
}

void write_file(const fs::path& path, std::string_view text) {
  write_durably(path, [&](const fs::path& temporary) { write_bytes(temporary, text); });
}

std::string read_file(const fs::path& path) {
  const Descriptor d(path, O_RDONLY | O_NONBLOCK);  // a pipe would wait for its writer
  struct stat status {};
  if (::fstat(d.get(), &status) != 0) throw system_error(path, "cannot read");
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    throw system_error(path, "cannot read");
  }
  if (!S_ISREG(status.st_mode))
    throw Error(ExitCode::io, path.string() + ": is no file: a device, a pipe or a socket");
  std::string text;
  text.resize(std::size_t(status.st_size));
  std::size_t have = 0;
  while (true) {
    if (have == text.size()) text.resize(have + 4096);  // it grew, or has no size (/proc)
    const ssize_t n = ::read(d.get(), text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error(path, "cannot read");
    if (n == 0) break;
    have += std::size_t(n);
  }
  text.resize(have);
  return text;
}

void truncate_file(const fs::path& path, std::uint64_t bytes) {
  Descriptor d(path, O_WRONLY);
  if (::ftruncate(d.get(), off_t(bytes)) != 0) throw system_error(path, "cannot cut");
  sync_descriptor(d.get(), path);
  d.close(path);
}

void add_line(const fs::path& path, std::string_view line) {
  Descriptor d(path, O_WRONLY | O_CREAT | O_APPEND);
  write_all(d.get(), std::string(line) + "\n", path);
  d.close(path);
}

LineLog::LineLog(const fs::path& path) : path_(path) {
  Descriptor d(path, O_WRONLY | O_CREAT | O_APPEND);
  const std::string there = read_file(path);
  bytes_ = there.size();
  hash_.add(there);
  sync_folder(path);
  fd_ = d.release();
}

LineLog::LineLog(LineLog&& other) noexcept { *this = std::move(other); }

LineLog& LineLog::operator=(LineLog&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(hash_, other.hash_);
  std::swap(pending_, other.pending_);
  return *this;
}

LineLog::~LineLog() {
  if (fd_ < 0) return;
  try {
    flush();
  } catch (const Error&) {
    // Whoever needs these lines called sync(), which threw.
  }
  ::close(fd_);
}

void LineLog::append(std::string_view line) {
  pending_.append(line).push_back('\n');
  hash_.add(line), hash_.add("\n");
  bytes_ += line.size() + 1;
  constexpr std::size_t block = 4096;
  if (pending_.size() >= block) flush();
}

// A failed write may have put down half a line: it is cut off again, so that the log stays whole.
void LineLog::flush() {
  if (pending_.empty()) return;
  try {
    write_all(fd_, pending_, path_);
  } catch (const Error&) {
    if (::ftruncate(fd_, off_t(bytes_ - pending_.size())) != 0)
      throw system_error(path_, "cannot write a line nor cut off its half");
    throw;
  }
  pending_.clear();
}

void LineLog::sync() {
  flush();
  sync_descriptor(fd_, path_);
}

}  // namespace rtsim
