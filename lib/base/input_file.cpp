#include "base/input_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

std::string why_unreadable(const fs::path& path, std::uint64_t most_bytes) {
  std::error_code failed;
  const fs::file_type type = fs::status(path, failed).type();
  if (failed) return failed.message();
  if (type == fs::file_type::not_found) return std::strerror(ENOENT);
  if (type == fs::file_type::directory) return "is a folder";
  if (type == fs::file_type::fifo) return "is no file: a pipe, which may never end";
  if (type != fs::file_type::regular) return "is no file: a device or a socket";
  const std::uintmax_t bytes = fs::file_size(path, failed);
  if (failed) return failed.message();
  if (bytes > most_bytes)
    return std::to_string(bytes) + " bytes are more than the " + std::to_string(most_bytes) +
           " that are read";
  return std::ifstream(path) ? "" : std::strerror(errno);
}

std::string read_input(const fs::path& path, std::uint64_t most_bytes) {
  const auto fail = [&](const std::string& why) {
    return Error(ExitCode::bad_input, path.string() + ": " + why);
  };
  if (const std::string why = why_unreadable(path, most_bytes); !why.empty()) throw fail(why);
  std::ifstream file(path, std::ios::binary);
  std::string text(std::size_t(fs::file_size(path)), '\0');
  file.read(text.data(), std::streamsize(text.size()));
  if (file.bad()) throw fail(std::strerror(errno));
  text.resize(std::size_t(file.gcount()));
  return text;
}

}  // namespace rtsim
