#include "convert/file_stream.h"

#include <cstring>

namespace rtsim {

std::span<char> FileStream::room(std::size_t bytes) {
  if (block - used_ < bytes) flush();
  return {block_.get() + used_, block - used_};
}

// What is short is gathered; what is long is written from where it lies.
void FileStream::put(std::string_view bytes) {
  if (bytes.size() <= block / 8) {
    std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
    return take(bytes.size());
  }
  flush();
  for (std::size_t at = 0; at < bytes.size(); at += block) write(bytes.substr(at, block));
}

void FileStream::close() {
  flush();
  file_.close();
}

void FileStream::write(std::string_view bytes) {
  hash_.add(bytes);
  file_.write(bytes);
}

void FileStream::flush() {
  if (used_ > 0) write({block_.get(), used_});
  used_ = 0;
}

}  // namespace rtsim
