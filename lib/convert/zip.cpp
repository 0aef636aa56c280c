#include "convert/zip.h"

#include <libdeflate.h>

#include "base/error.h"

namespace rtsim {

namespace {

void put(std::string& to, std::uint64_t value, int bytes) {  // low byte first
  for (int b = 0; b < bytes; ++b) to.push_back(char(value >> (8 * b)));
}

// What local headers and the directory have in common: version to read it, flags, method, time
// and day (1 January 1980, the first there is), checksum, both sizes, length of the name.
void put_entry(std::string& to, std::uint32_t crc, std::uint64_t bytes, std::size_t name) {
  put(to, 20, 2), put(to, 0, 2), put(to, 0, 2);
  put(to, 0, 2), put(to, 0x21, 2);
  put(to, crc, 4), put(to, bytes, 4), put(to, bytes, 4);
  put(to, name, 2), put(to, 0, 2);
}

}  // namespace

void Zip::add(const std::string& name, std::vector<std::string_view> contents) {
  Entry e{{}, name, std::move(contents), 0, 0, bytes_};
  for (const std::string_view part : e.contents) {
    e.crc = libdeflate_crc32(e.crc, part.data(), part.size());
    e.bytes += part.size();
  }
  put(e.header, 0x04034b50, 4);
  put_entry(e.header, e.crc, e.bytes, name.size());
  e.header += name;
  bytes_ += e.header.size() + e.bytes;
  if (bytes_ >> 32 != 0)
    throw Error(ExitCode::bad_input,
                "a frame has over 4 GiB, which a .npz cannot hold: choose --columns, or --to hdf5");
  entries_.push_back(std::move(e));
}

const std::vector<std::string_view>& Zip::finish() {
  for (const Entry& e : entries_) {
    parts_.push_back(e.header);
    parts_.insert(parts_.end(), e.contents.begin(), e.contents.end());
    put(directory_, 0x02014b50, 4), put(directory_, 20, 2);
    put_entry(directory_, e.crc, e.bytes, e.name.size());
    put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 4);
    put(directory_, e.at, 4);
    directory_ += e.name;
  }
  const std::size_t size = directory_.size();
  put(directory_, 0x06054b50, 4), put(directory_, 0, 4);
  put(directory_, entries_.size(), 2), put(directory_, entries_.size(), 2);
  put(directory_, size, 4), put(directory_, bytes_, 4), put(directory_, 0, 2);
  parts_.push_back(directory_);
  return parts_;
}

}  // namespace rtsim
