#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rtsim {

// A zip archive of stored (uncompressed) entries, as parts that are written one after the other and
// point to the contents given: nothing is copied. PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 to
// 4.3.16 and 4.5.3 (zip64, where something lies beyond 4 GiB); equal contents, equal bytes. Our
// own, because checksums by libdeflate are ten times as fast as those of zlib behind libzip, and
// they are the work there is.
class Zip {
 public:
  // `contents` are joined; they must stay until the parts are written.
  void add(const std::string& name, std::vector<std::string_view> contents);
  const std::vector<std::string_view>& finish();  // the parts

 private:
  struct Entry {
    std::string header, name;
    std::vector<std::string_view> contents;
    std::uint32_t crc;
    std::uint64_t bytes, at;
  };

  void list(const Entry&);
  void end_long(std::uint64_t size);

  std::vector<Entry> entries_;
  std::uint64_t bytes_ = 0;
  std::string directory_;
  std::vector<std::string_view> parts_;
};

}  // namespace rtsim
