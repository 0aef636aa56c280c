#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

// Files that are whole or absent: written under a temporary name, checked, synced, renamed.
// All throw Error{io} that names the file and the system's reason.
namespace rtsim {

void write_file(const std::filesystem::path&, std::string_view text);

// Plain write of a whole file, unsynced: what `write_durably` callbacks use.
void write_bytes(const std::filesystem::path&, std::string_view bytes);

// `write` gets the temporary path. On any exception the temporary is removed and nothing else has
// changed.
void write_durably(const std::filesystem::path&,
                   const std::function<void(const std::filesystem::path&)>& write);

// Throws unless `bytes` more fit on the disk now, and into what a file may hold; leaves an empty
// file. Says nothing where the file system cannot tell.
void check_room(const std::filesystem::path&, std::uint64_t bytes);

// The folder and those above it, each synced into its parent.
void make_folders(const std::filesystem::path&);

std::string read_file(const std::filesystem::path&);

// Adds whole lines to a log and can cut it back. After sync() they survive the machine.
class LineLog {
 public:
  LineLog() = default;
  explicit LineLog(const std::filesystem::path&);  // appends to what is there
  LineLog(LineLog&&) noexcept;
  LineLog& operator=(LineLog&&) noexcept;
  ~LineLog();

  void append(std::string_view line);  // without its newline
  void sync();
  std::uint64_t bytes() const { return bytes_; }  // with what still waits

 private:
  void flush();

  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  std::string pending_;
};

// Cuts a file to `bytes`, for resume.
void truncate_file(const std::filesystem::path&, std::uint64_t bytes);

}  // namespace rtsim
