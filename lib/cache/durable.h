#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"

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

// The same of a file in parts.
void write_parts(const std::filesystem::path&, std::span<const std::string_view> parts);

// A new file that is written in pieces, unsynced.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path&);
  NewFile(const NewFile&) = delete;
  ~NewFile();

  void write(std::string_view);
  void close();  // network file systems report a full disk only here

 private:
  std::filesystem::path path_;
  int fd_;
};

// For many files at once. The first asks the disk to begin with a file and does not wait; the
// second waits until its bytes, or the names in a folder, survive the machine.
void begin_sync(const std::filesystem::path&);
void sync_path(const std::filesystem::path&);

// The bytes of all of these, which lie on one file system. A few are waited for one by one; where
// they are many, each of which would cost the disk a pause, all that waits to be written there is.
void sync_files(std::span<const std::filesystem::path>);

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

// A second name of a file that never changes; a copy, synced, where the disk is another one.
void link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to);

// Throws unless `bytes` more fit on the disk now, and into what a file may hold; leaves an empty
// file. Says nothing where the file system cannot tell.
void check_room(const std::filesystem::path&, std::uint64_t bytes);

// How many bytes are free where a folder is or will be; nothing where the file system cannot tell.
std::optional<double> free_room(const std::filesystem::path& folder);

// Keeps so much of the disk for a file that is there and will grow to it: what is not used goes
// back when it is cut to its length. Throws where there is no room, or where a file may not become
// so long; says nothing where the file system cannot tell.
void reserve_room(const std::filesystem::path&, std::uint64_t bytes);

// The folder and those above it, each synced into its parent.
void make_folders(const std::filesystem::path&);

std::string read_file(const std::filesystem::path&);

// A log up to where it was so long.
struct LogEnd {
  std::uint64_t bytes = 0;
  std::uint64_t xxh3 = 0;  // of these bytes
};

// Adds whole lines to a log. After sync() they survive the machine.
class LineLog {
 public:
  LineLog() = default;
  explicit LineLog(const std::filesystem::path&);  // appends to what is there
  LineLog(LineLog&&) noexcept;
  LineLog& operator=(LineLog&&) noexcept;
  ~LineLog();

  void append(std::string_view line);  // without its newline
  void sync();
  LogEnd end() const { return {bytes_, hash_.value()}; }  // with what still waits

 private:
  void flush();

  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  PartsHash hash_;
  std::string pending_;
};

// A line at the end of a log that is opened for it alone, unsynced.
void add_line(const std::filesystem::path&, std::string_view line);

// Cuts a file to `bytes`, for resume.
void truncate_file(const std::filesystem::path&, std::uint64_t bytes);

}  // namespace rtsim
