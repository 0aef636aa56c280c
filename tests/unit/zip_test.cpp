#include "convert/zip.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "cache/durable.h"
#include "cache_scratch.h"

namespace rtsim {

namespace {

// Zeros that take no memory until something is written to them.
struct ManyZeros {
  explicit ManyZeros(std::size_t n)
      : bytes(n),
        data(static_cast<char*>(::mmap(nullptr, n, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    REQUIRE(data != MAP_FAILED);
  }
  ~ManyZeros() { ::munmap(data, bytes); }
  ManyZeros(const ManyZeros&) = delete;

  std::string_view view() const { return {data, bytes}; }

  std::size_t bytes;
  char* data;
};

// Zeros of long parts, but for their end, become a hole in the file.
void write_with_holes(const std::filesystem::path& file,
                      const std::vector<std::string_view>& parts) {
  constexpr std::size_t end = 4096;
  std::ofstream out(file, std::ios::binary);
  for (std::string_view part : parts) {
    if (part.size() > end) {
      out.seekp(std::streamoff(part.size() - end), std::ios::cur);
      part.remove_prefix(part.size() - end);
    }
    out.write(part.data(), std::streamsize(part.size()));
  }
  REQUIRE(out.flush());
}

// By Python's own reader, which also looks at the checksums.
bool python_says(const std::filesystem::path& archive, const std::string& code) {
  const std::string command = "/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('" +
                              archive.string() + "'); assert z.testzip() is None; " + code + "\"";
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("zip: equal contents give equal bytes that another reader takes") {
  const Scratch scratch;
  const auto write = [&](const char* file) {
    Zip zip;
    zip.add("a", {"ab", "cd"}), zip.add("empty", {});
    zip.add("header alone", {"header", std::string_view()});  // as of a table without rows
    write_parts(scratch / file, zip.finish());
    return read_file(scratch / file);
  };
  CHECK(write("one.zip") == write("two.zip"));
  CHECK(python_says(scratch / "one.zip",
                    "assert z.read('a') == b'abcd' and z.read('empty') == b'' and "
                    "z.read('header alone') == b'header'"));
}

TEST_CASE("zip: entries beyond 4 GiB, and what stands behind them, are read by others", "[slow]") {
  const Scratch scratch;
  const std::size_t n = (std::size_t(1) << 32) + 5;
  const ManyZeros zeros(n);
  zeros.data[n - 1] = 'x';
  Zip zip;
  zip.add("before", {"1"}), zip.add("long", {zeros.view()}), zip.add("behind", {"22"});
  write_with_holes(scratch / "long.zip", zip.finish());
  CHECK(python_says(scratch / "long.zip",
                    "assert [e.file_size for e in z.infolist()] == [1, 2**32 + 5, 2]; "
                    "assert z.read('behind') == b'22'"));
}

}  // namespace rtsim
