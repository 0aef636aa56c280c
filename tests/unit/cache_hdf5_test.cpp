#include <catch2/catch.hpp>
#include <limits>

#include "base/error.h"
#include "base/hash.h"
#include "cache/chunk_compress.h"
#include "cache/commits.h"
#include "cache/frame_reader.h"
#include "cache/frame_writer.h"
#include "cache_scratch.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// A run folder with one committed frame.
struct OneFrame {
  explicit OneFrame(FrameObject object, int threads = 1) : frame(frame_of(std::move(object))) {
    files = write_frame(scratch.folder, {"run", threads}, frame);
    write_file(scratch / "frames.jsonl", commit_line(frame, files) + "\n");
  }
  FrameObject read() const { return read_frame(scratch.folder, files[0]); }
  fs::path path() const { return scratch.folder / files[0].path; }

  Scratch scratch;
  Frame frame;
  std::vector<WrittenFile> files;
};

void check_equal(const FrameObject& a, const FrameObject& b) {
  CHECK(a.name == b.name);
  CHECK(a.kind == b.kind);
  CHECK(a.dim == b.dim);
  CHECK(a.spacing == b.spacing);
  CHECK(a.rows == b.rows);
  REQUIRE(a.columns.size() == b.columns.size());
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    CHECK(a.columns[k].name == b.columns[k].name);
    CHECK(a.columns[k].unit == b.columns[k].unit);
    CHECK(a.columns[k].type == b.columns[k].type);
    CHECK(a.columns[k].bytes == b.columns[k].bytes);
  }
}

std::vector<float> rounded(const std::vector<float>& values, int keep_bits) {
  FrameColumn c = column_of("x", "", 1, values);
  const ChunkSource source{c.bytes.data(), values.size(), c.type, 1, keep_bits, values.size()};
  std::vector<float> out(values.size());
  copy_rows(source, 0, values.size(), reinterpret_cast<std::byte*>(out.data()));
  return out;
}

std::uint32_t checksum(const std::string& text) {
  return fletcher32(std::span(reinterpret_cast<const std::byte*>(text.data()), text.size()));
}

}  // namespace

TEST_CASE("hdf5: what is read is what was written, with units and types") {
  const int side = GENERATE(0, 3, 33);  // none, too few for chunks, two chunks
  const OneFrame run(block(side));
  check_equal(run.read(), run.frame.files[0].object);
}

TEST_CASE("hdf5: vectors of the plane are padded in the file and come back as they were") {
  const OneFrame run(block(20, 2));
  check_equal(run.read(), run.frame.files[0].object);
}

TEST_CASE("hdf5: a mesh comes back with its cells, and without any where all are torn") {
  for (const std::vector<std::int32_t>& cells :
       {std::vector<std::int32_t>{0, 1, 2, 1, 3, 2}, std::vector<std::int32_t>{}}) {
    FrameObject mesh = block(2);
    mesh.kind = Kind::mesh, mesh.cells = {3, cells};
    const OneFrame run(mesh);
    const FrameObject back = run.read();
    check_equal(back, mesh);
    CHECK(back.cells.corners == 3);
    CHECK(back.cells.points == cells);
  }
}

TEST_CASE("hdf5: doubles, 64-bit integers and bytes keep their type") {
  FrameObject object = block(5);
  const std::size_t n = std::size_t(object.rows);
  object.columns = {column_of("position", "m", 3, std::vector<double>(3 * n, 1.0 / 3)),
                    column_of("count", "", 1, std::vector<std::int64_t>(n, -5)),
                    column_of("flag", "", 1, std::vector<std::uint8_t>(n, 7)),
                    column_of("owner", "", 2, std::vector<std::int32_t>(2 * n, -1))};
  const OneFrame run(object);
  check_equal(run.read(), object);
}

TEST_CASE("hdf5: equal frames are equal files on any number of threads") {
  const OneFrame a(block(33), 1), b(block(33), 3);
  CHECK(a.files[0].xxh3 == b.files[0].xxh3);
  CHECK(read_file(a.path()) == read_file(b.path()));
}

TEST_CASE("hdf5: a column of another length than its object is refused") {
  FrameObject object = block(4);
  object.columns[1].bytes.pop_back();
  const Scratch scratch;
  CHECK_THROWS_WITH(write_frame(scratch.folder, {"run", 1}, frame_of(object)),
                    Contains("'density' has 255 bytes"));
  CHECK(fs::is_empty(scratch / "cache/water"));
}

TEST_CASE("hdf5: kept bits round to the nearest, ties to even, and spare infinities and NaN") {
  // Three bits of mantissa: steps of 1/8 above one.
  CHECK(rounded({1.06f, 1.07f, 1.0625f, 1.1875f, -1.07f, 0.0f}, 3) ==
        std::vector<float>{1.0f, 1.125f, 1.0f, 1.25f, -1.125f, 0.0f});
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> extreme = rounded({infinity, -infinity, largest, std::nanf("")}, 3);
  CHECK(extreme[0] == infinity);
  CHECK(extreme[1] == -infinity);
  CHECK(std::isfinite(extreme[2]));
  CHECK(std::isnan(extreme[3]));
}

TEST_CASE("hdf5: rounding halves what a noisy column takes, and errors stay under 2^-(bits+1)") {
  FrameObject object = block(33);
  std::vector<float> noise;
  for (int k = 0; k < object.rows; ++k)
    noise.push_back(float(std::fmod(k * 0.6180339887, 1.0)) + 1);
  object.columns.resize(1);
  object.columns.push_back(column_of("noise", "", 1, noise));
  const OneFrame exact(object);
  object.columns[1].keep_bits = 10;
  const OneFrame short_of(object);
  CHECK(short_of.files[0].bytes < exact.files[0].bytes);
  const FrameObject read = short_of.read();
  const auto* values = reinterpret_cast<const float*>(read.columns[1].bytes.data());
  for (int k = 0; k < object.rows; ++k)
    REQUIRE(std::abs(values[k] / noise[k] - 1) <= std::ldexp(1, -11));
}

TEST_CASE("hdf5: fletcher32 is that of the HDF5 library") {
  // As read off raw chunks that the stock library wrote.
  CHECK(checksum("ab") == 0x61626162u);
  CHECK(checksum("abcde") == 0x4ff029c7u);
  CHECK(checksum(std::string(2001, '\xff')) == 0xFF00FF00u);
}

TEST_CASE("hdf5: chunks are even, at most 32768 rows, and never empty") {
  CHECK(chunk_rows(0) == 1);
  CHECK(chunk_rows(100) == 100);
  CHECK(chunk_rows(32769) == 16385);
  CHECK(chunk_rows(1000000) <= 32768);
}

TEST_CASE("hdf5: a damaged, cut or unannounced frame is an error before HDF5 sees it") {
  const OneFrame run(block(10));
  check_equal(read_frame(run.path()), run.frame.files[0].object);
  const std::string good = read_file(run.path());
  for (const std::size_t at : {std::size_t(9), good.size() / 2, good.size() - 1}) {
    write_bytes(run.path(), good);
    flip(run.path(), at);
    CHECK_THROWS_WITH(run.read(), Contains("the file is damaged"));
  }
  write_bytes(run.path(), good.substr(0, good.size() - 100));
  CHECK_THROWS_WITH(read_frame(run.path()), Contains("the file is damaged"));
  write_bytes(run.scratch / "frames.jsonl", "");
  CHECK_THROWS_WITH(read_frame(run.path()), Contains("no line of"));
}

TEST_CASE("hdf5: whole bytes that are no frame are an error in HDF5's words") {
  const OneFrame run(block(4));
  const std::string junk = "\211HDF\r\n\032\n" + std::string(3000, 'x');
  write_bytes(run.path(), junk);
  const WrittenFile announced{run.files[0].path, junk.size(), hash_bytes(junk.data(), junk.size())};
  CHECK_THROWS_WITH(read_frame(run.scratch.folder, announced), Contains("cannot open it: HDF5: "));
}

TEST_CASE("hdf5: a full disk stops the frame and leaves no file of it") {
  const Scratch scratch;
  const FileLimit limit(5000);
  CHECK_THROWS_WITH(write_frame(scratch.folder, {"run", 1}, frame_of(block(20))),
                    Contains("File too large"));
  CHECK(fs::is_empty(scratch / "cache/water"));
}

TEST_CASE("frame_writer: the commit line is what readers are promised, and reads back") {
  const Frame frame = frame_of(block(2));
  const std::string line = commit_line(frame, {{"cache/water/water.000012.hdf", 77, 0xab}});
  CHECK(line ==
        R"({"frame":12,"step":240,"time":3.0,"files":[{"path":"cache/water/water.000012.hdf",)"
        R"("bytes":77,"xxh3":"00000000000000ab"}]})");
  const CommittedFrame c = parse_commit(line, "here");
  CHECK(c.frame == 12);
  CHECK(c.step == 240);
  CHECK(c.time == 3.0);
  REQUIRE(c.files.size() == 1);
  CHECK(c.files[0].path == "cache/water/water.000012.hdf");
  CHECK(c.files[0].bytes == 77);
  CHECK(c.files[0].xxh3 == 0xab);
}

TEST_CASE("commits: a line that lies is an error with its place") {
  const std::string line = GENERATE(
      "", "[]", "{\"frame\":1}", "{\"frame\":-1,\"step\":1,\"time\":1,\"files\":[]}",
      R"({"frame":1,"step":1,"time":1,"files":[{"path":"cache/../../x","bytes":1,"xxh3":"00000000000000ab"}]})",
      R"({"frame":1,"step":1,"time":1,"files":[{"path":"/etc/passwd","bytes":1,"xxh3":"00000000000000ab"}]})",
      R"({"frame":1,"step":1,"time":1,"files":[{"path":"cache/a","bytes":1,"xxh3":"ab"}]})",
      "\xff\xfe");
  CHECK_THROWS_WITH(parse_commit(line, "frames.jsonl:3"),
                    Contains("frames.jsonl:3: not a frame's line: "));
}

TEST_CASE("commits: a last line without its end is no commit") {
  const Scratch scratch;
  CHECK(read_commits(scratch.folder).empty());
  const std::string line = R"({"frame":0,"step":0,"time":0,"files":[]})";
  write_file(scratch / "frames.jsonl", line + "\n" + line.substr(0, 12));
  CHECK(read_commits(scratch.folder).size() == 1);
}

TEST_CASE("frame_writer: two outputs for one file are refused") {
  const Scratch scratch;
  Frame frame = frame_of(block(2));
  frame.files.push_back(frame.files[0]);
  CHECK_THROWS_WITH(write_frame(scratch.folder, {"run", 1}, frame),
                    Contains("two outputs want the file"));
}
