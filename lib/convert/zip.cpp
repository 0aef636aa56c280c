#include "convert/zip.h"

#include <libdeflate.h>

#include <algorithm>

namespace rtsim {

namespace {

constexpr std::uint64_t most = 0xffffffff;  // in four bytes, where it says: see the extra field
constexpr int plain_version = 20, long_version = 45;

void put(std::string& to, std::uint64_t value, int bytes) {  // low byte first
  for (int b = 0; b < bytes; ++b) to.push_back(char(value >> (8 * b)));
}

// What does not fit into four bytes, in eight each.
std::string extra_field(std::initializer_list<std::uint64_t> values) {
  std::string extra;
  put(extra, 1, 2), put(extra, 8 * values.size(), 2);
  for (const std::uint64_t v : values) put(extra, v, 8);
  return extra;
}

// What local headers and the directory have in common: version to read it, flags, method, time
// and day (1 January 1980, the first there is), checksum, both sizes, length of the name and of the
// extra field.
void put_entry(std::string& to, bool is_long, std::uint32_t crc, std::uint64_t bytes,
               std::size_t name, std::size_t extra) {
  put(to, is_long ? long_version : plain_version, 2), put(to, 0, 2), put(to, 0, 2);
  put(to, 0, 2), put(to, 0x21, 2);
  put(to, crc, 4);
  for (int size = 0; size < 2; ++size) put(to, is_long ? most : bytes, 4);
  put(to, name, 2), put(to, extra, 2);
}

}  // namespace

void Zip::add(const std::string& name, std::vector<std::string_view> contents) {
  Entry e{{}, name, std::move(contents), 0, 0, bytes_};
  for (const std::string_view part : e.contents) {
    if (part.empty()) continue;  // of no address libdeflate makes the checksum of nothing at all
    e.crc = libdeflate_crc32(e.crc, part.data(), part.size());
    e.bytes += part.size();
  }
  const bool is_long = e.bytes >= most;
  const std::string extra = is_long ? extra_field({e.bytes, e.bytes}) : "";
  put(e.header, 0x04034b50, 4);
  put_entry(e.header, is_long, e.crc, e.bytes, name.size(), extra.size());
  e.header += name + extra;
  bytes_ += e.header.size() + e.bytes;
  entries_.push_back(std::move(e));
}

void Zip::list(const Entry& e) {
  const bool is_long = e.bytes >= most || e.at >= most;
  const std::string extra = is_long ? extra_field({e.bytes, e.bytes, e.at}) : "";
  put(directory_, 0x02014b50, 4), put(directory_, is_long ? long_version : plain_version, 2);
  put_entry(directory_, is_long, e.crc, e.bytes, e.name.size(), extra.size());
  put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 4);
  put(directory_, is_long ? most : e.at, 4);
  directory_ += e.name + extra;
}

// The end of an archive whose directory begins beyond 4 GiB, and where that end stands.
void Zip::end_long(std::uint64_t size) {
  constexpr std::uint64_t rest_of_record = 44;
  put(directory_, 0x06064b50, 4), put(directory_, rest_of_record, 8);
  put(directory_, long_version, 2), put(directory_, long_version, 2);
  put(directory_, 0, 4), put(directory_, 0, 4);
  put(directory_, entries_.size(), 8), put(directory_, entries_.size(), 8);
  put(directory_, size, 8), put(directory_, bytes_, 8);
  put(directory_, 0x07064b50, 4), put(directory_, 0, 4);
  put(directory_, bytes_ + size, 8), put(directory_, 1, 4);
}

const std::vector<std::string_view>& Zip::finish() {
  for (const Entry& e : entries_) {
    parts_.push_back(e.header);
    parts_.insert(parts_.end(), e.contents.begin(), e.contents.end());
    list(e);
  }
  const std::uint64_t size = directory_.size();
  if (bytes_ >= most) end_long(size);
  put(directory_, 0x06054b50, 4), put(directory_, 0, 4);
  put(directory_, entries_.size(), 2), put(directory_, entries_.size(), 2);
  put(directory_, size, 4), put(directory_, std::min(bytes_, most), 4), put(directory_, 0, 2);
  parts_.push_back(directory_);
  return parts_;
}

}  // namespace rtsim
