#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/lock.h"
#include "cache_scratch.h"

using namespace rtsim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(folder))
    names.push_back(e.path().filename().string());
  return names;
}

// Takes the folder's lock in another process; true if it was refused with exit code 6.
bool other_process_is_refused(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const FolderLock lock(folder);
    } catch (const Error& e) {
      ::_exit(int(e.code()));
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status) == int(ExitCode::output_exists);
}

}  // namespace

TEST_CASE("durable: a file is replaced as a whole") {
  const Scratch scratch;
  write_file(scratch / "a", "first");
  write_file(scratch / "a", std::string("sec\0nd", 6));
  CHECK(read_file(scratch / "a") == std::string("sec\0nd", 6));
  CHECK(files_in(scratch.folder) == std::vector<std::string>{"a"});
}

TEST_CASE("durable: a writer that throws leaves the old file and no temporary") {
  const Scratch scratch;
  write_file(scratch / "a", "old");
  const auto half = [](const fs::path& temporary) {
    write_bytes(temporary, "half");
    throw Error(ExitCode::io, "stop");
  };
  CHECK_THROWS_WITH(write_durably(scratch / "a", half), "stop");
  CHECK(read_file(scratch / "a") == "old");
  CHECK(files_in(scratch.folder) == std::vector<std::string>{"a"});
}

TEST_CASE("durable: a full disk is an error that names file and reason, and leaves nothing") {
  const Scratch scratch;
  const FileLimit limit(1000);
  CHECK_THROWS_WITH(write_file(scratch / "a", std::string(5000, 'x')),
                    Contains("a.tmp: cannot write: File too large"));
  CHECK(files_in(scratch.folder).empty());
}

TEST_CASE("durable: room is checked before anything is written") {
  const Scratch scratch;
  check_room(scratch / "a", 5000);
  CHECK(fs::file_size(scratch / "a") == 0);
  const FileLimit limit(1000);
  CHECK_THROWS_WITH(check_room(scratch / "a", 5000), Contains("a: cannot write: File too large"));
}

TEST_CASE("durable: a missing file is an error that names it") {
  const Scratch scratch;
  CHECK_THROWS_WITH(read_file(scratch / "none"), Contains("none: cannot open: No such file"));
}

TEST_CASE("durable: folders are made with all their parents") {
  const Scratch scratch;
  make_folders(scratch / "a/b/c");
  make_folders(scratch / "a/b/c");
  CHECK(fs::is_directory(scratch / "a/b/c"));
}

TEST_CASE("durable: a log goes on where it stopped and counts its bytes") {
  const Scratch scratch;
  LineLog(scratch / "log").append("one");
  LineLog log(scratch / "log");
  CHECK(log.end().bytes == 4);
  log.append("two");
  log.sync();
  CHECK(log.end().bytes == 8);
  CHECK(read_file(scratch / "log") == "one\ntwo\n");
  truncate_file(scratch / "log", 4);
  CHECK(read_file(scratch / "log") == "one\n");
}

TEST_CASE("durable: a log on a full disk keeps whole lines only and goes on when there is room") {
  const Scratch scratch;
  LineLog log(scratch / "log");
  log.append("one");
  log.sync();
  log.append(std::string(40, 'x'));
  {
    const FileLimit limit(20);
    CHECK_THROWS_AS(log.sync(), Error);
    CHECK(read_file(scratch / "log") == "one\n");
  }
  log.sync();
  CHECK(read_file(scratch / "log") == "one\n" + std::string(40, 'x') + "\n");
}

TEST_CASE("lock: a second process is refused until the first lets go") {
  const Scratch scratch;
  {
    const FolderLock lock(scratch.folder);
    CHECK(other_process_is_refused(scratch.folder));
    CHECK_THAT(read_file(scratch / ".lock"), Contains("process " + std::to_string(::getpid())));
  }
  CHECK_FALSE(other_process_is_refused(scratch.folder));
}
