#include "pictures/film.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

bool has_ffmpeg() { return std::system("command -v ffmpeg > /dev/null 2>&1") == 0; }

std::string quoted(const fs::path& path) {
  std::string text = "'";
  for (const char c : path.string()) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Film::Film(fs::path file, int width, int height, double fps)
    : file_(std::move(file)), temporary_(file_.string() + ".tmp.mp4") {
  if (width % 2 || height % 2)
    throw Error(ExitCode::usage, "a film's width and height must be even");
  if (!has_ffmpeg())
    throw Error(
        ExitCode::bad_input,
        "films are made by ffmpeg, which is not there: install the package ffmpeg, or give a "
        "folder for single pictures");
  // yuv420p and faststart: what browsers and players all show.
  const std::string command = fmt::format(
      "ffmpeg -y -loglevel error -f rawvideo -pix_fmt bgr0 -s {}x{} -r {} -i - -an -c:v libx264 "
      "-crf 18 "
      "-pix_fmt yuv420p -movflags +faststart {}",
      width, height, fps, quoted(temporary_));
  if (const fs::path folder = fs::absolute(file_).parent_path(); !fs::is_directory(folder))
    throw Error(ExitCode::io, folder.string() + ": no such folder");
  before_ = std::signal(SIGPIPE, SIG_IGN);
  pipe_ = ::popen(command.c_str(), "w");
  if (!pipe_) throw Error(ExitCode::io, "cannot start ffmpeg");
}

Film::~Film() {
  if (pipe_) ::pclose(pipe_);
  std::signal(SIGPIPE, before_);
  std::error_code gone;
  fs::remove(temporary_, gone);
}

// ffmpeg may leave early; that is an error to report, not a signal to die of.
void Film::add(const Picture& p) {
  if (std::fwrite(p.pixels.data(), 4, p.pixels.size(), pipe_) != p.pixels.size())
    throw Error(ExitCode::io, file_.string() + ": ffmpeg takes no more pictures; see what it says");
}

void Film::finish() {
  const int status = ::pclose(std::exchange(pipe_, nullptr));
  if (status != 0) throw Error(ExitCode::io, file_.string() + ": ffmpeg failed; see what it says");
  fs::rename(temporary_, file_);
}

}  // namespace rtsim
