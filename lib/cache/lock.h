#pragma once
#include <filesystem>

namespace rtsim {

// Holds folder/.lock (flock, or fcntl where flock is not supported) for the life of the object; the
// file's text, process and host, only informs. Throws Error{output_exists} while another has it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;

 private:
  int fd_;
};

// Whether somebody holds the lock of a folder now; leaves nothing behind.
bool is_locked(const std::filesystem::path& folder);

}  // namespace rtsim
