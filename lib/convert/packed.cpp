#include "base/error.h"
#include "base/hash.h"
#include "cache/durable.h"
#include "cache/packed_file.h"
#include "convert/sequence_formats.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// HDF5 crashes where the disk gets full while it copies, so there must be room for all first: the
// files as they are, and what their groups take here.
std::uint64_t bytes_needed(const ConversionPlan& plan) {
  constexpr std::uint64_t group = 16 << 10, file = 1 << 20;
  std::uint64_t bytes = file;
  for (const CommittedFrame& c : plan.frames)
    for (const WrittenFile& f : c.files) bytes += f.bytes + group;
  return bytes;
}

class Packed : public Sequence {
 public:
  explicit Packed(const ConversionPlan& plan)
      : plan_(plan), file_(plan.out / "cache/frames.h5"), part_(file_.string() + ".part") {
    make_folders(file_.parent_path());
    const std::uint64_t bytes = bytes_needed(plan);
    check_room(part_, bytes);  // making the file is writing too
    packed_ = std::make_unique<PackedFile>(part_, plan.info.run_id);
    reserve_room(part_, bytes);
  }

  std::string prepare(const CommittedFrame&, const WrittenFile& f) const override {
    const fs::path file = plan_.run / f.path;
    std::string bytes = read_file(file);
    if (bytes.size() != f.bytes || hash_bytes(bytes.data(), bytes.size()) != f.xxh3)
      throw Error(ExitCode::io, file.string() +
                                    ": its size or checksum is not that in frames.jsonl: "
                                    "the file is damaged");
    return bytes;
  }
  void add(const CommittedFrame& frame, const WrittenFile& f, std::string part) override {
    packed_->add(frame, object_of(f), part);
    begin_sync(part_);
  }
  void sync() override {}
  std::vector<WrittenFile> finish() override {
    packed_->finish();
    packed_.reset();
    truncate_file(part_, fs::file_size(part_));  // the room that was not needed
    const WrittenFile written{"cache/frames.h5", fs::file_size(part_), hash_file(part_)};
    rename_file(part_, file_);
    sync_path(file_.parent_path());
    return {written};
  }

 private:
  const ConversionPlan& plan_;
  fs::path file_, part_;
  std::unique_ptr<PackedFile> packed_;
};

}  // namespace

std::unique_ptr<Sequence> begin_packed(const ConversionPlan& plan, std::size_t) {
  return std::make_unique<Packed>(plan);
}

}  // namespace rtsim
