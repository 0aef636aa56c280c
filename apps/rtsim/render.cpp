#include "pictures/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/concurrent_for.h"
#include "cache/durable.h"
#include "cache/no_run.h"
#include "commands.h"
#include "exec/exec.h"
#include "pictures/film.h"
#include "report/boundaries.h"
#include "written.h"

namespace rtsim {
namespace {

namespace fs = std::filesystem;

std::vector<CommittedFrame> chosen(const RenderFlags& f) {
  if (!fs::exists(fs::path(f.run) / "frames.jsonl") && !fs::exists(fs::path(f.run) / "run.json"))
    throw no_run(f.run);
  std::vector<CommittedFrame> frames = read_commits(f.run);
  if (!f.frames.empty()) {
    const FrameRange range = parse_frame_range(f.frames);
    std::erase_if(frames, [&](const CommittedFrame& c) { return !range.holds(c.frame); });
  }
  std::erase_if(frames, [](const CommittedFrame& c) { return c.files.empty(); });
  if (frames.empty())
    throw Error(ExitCode::bad_input, f.run + (f.frames.empty() ? ": it has no frames yet"
                                                               : ": it has none of these frames"));
  return frames;
}

// So many of them, from the first to the last.
std::vector<CommittedFrame> spread(const std::vector<CommittedFrame>& all, int count) {
  std::vector<CommittedFrame> some;
  const std::size_t n = std::min(all.size(), std::size_t(count));
  for (std::size_t k = 0; k < n; ++k)
    some.push_back(all[n == 1 ? all.size() - 1 : k * (all.size() - 1) / (n - 1)]);
  return some;
}

constexpr double least_fps = 10, most_fps = 60;  // of what is seen as motion

// Frames in a second of what happened.
double real_fps(const std::vector<CommittedFrame>& frames) {
  return frames.size() < 2 ? 25 : 1 / (frames[1].time - frames[0].time);
}

// Of frames that follow one another faster than films do, one of every so many, so that the film is
// as fast as what happened.
std::vector<CommittedFrame> for_film(const RenderFlags& f, const std::vector<CommittedFrame>& all) {
  const std::size_t every = f.fps > 0 ? 1 : std::size_t(std::ceil(real_fps(all) / most_fps - 1e-6));
  std::vector<CommittedFrame> some;
  for (std::size_t k = 0; k < all.size(); k += std::max<std::size_t>(every, 1))
    some.push_back(all[k]);
  return some;
}

double film_fps(const RenderFlags& f, const std::vector<CommittedFrame>& frames) {
  if (f.fps > 0) return f.fps;
  return std::max(least_fps, std::round(1000 * real_fps(frames)) / 1000);
}

RenderOptions options_of(const RenderFlags& f) {
  RenderOptions o;
  o.run = f.run, o.objects = f.objects, o.colour = f.colour, o.vectors = f.vectors;
  o.boundaries = boundaries_of(f.run);
  o.low = f.low, o.high = f.high;
  o.camera = {f.from, f.zoom};
  o.width = f.width, o.height = f.height;
  return o;
}

// Some frames of a run, in order, drawn at once; one alone by all threads.
std::vector<Picture> draw(const Renderer& renderer, std::size_t first, std::size_t count) {
  std::vector<Picture> pictures(std::min(count, renderer.frames().size() - first));
  const int threads = Exec::cpu().threads();
  const int own = std::max(1, threads / int(pictures.size()));
  concurrent_for(pictures.size(), threads, [&](std::size_t k) {
    pictures[k] = renderer.picture(renderer.frames()[first + k], own);
  });
  return pictures;
}

void write_film(const Renderer& renderer, const RenderFlags& f) {
  Film film(f.out, f.width, f.height, film_fps(f, renderer.frames()));
  const std::size_t some = 4 * std::size_t(Exec::cpu().threads());
  for (std::size_t k = 0; k < renderer.frames().size(); k += some)
    for (const Picture& p : draw(renderer, k, some)) film.add(p);
  film.finish();
}

void write_sheet(const Renderer& renderer, const fs::path& out) {
  const std::vector<Picture> pictures = draw(renderer, 0, renderer.frames().size());
  const int columns = int(std::ceil(std::sqrt(double(pictures.size()))));
  write_png(out, pictures.size() == 1 ? pictures[0] : sheet_of(pictures, columns));
}

fs::path picture_of(const CommittedFrame& c, const fs::path& folder) {
  return folder / fmt::format("frame_{:06d}.png", c.frame);
}

void write_pictures(const Renderer& renderer, const fs::path& out) {
  make_folders(out);
  concurrent_for(renderer.frames().size(), Exec::cpu().threads(), [&](std::size_t k) {
    const CommittedFrame& c = renderer.frames()[k];
    write_png(picture_of(c, out), renderer.picture(c, 1));
  });
}

void print_json(const RenderFlags& f, const Renderer& renderer, const Written& written) {
  const bool folder = !fs::is_regular_file(f.out);
  std::vector<fs::path> files;
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (const CommittedFrame& c : renderer.frames()) {
    frames.push_back({{"frame", c.frame}, {"step", c.step}, {"time", c.time}});
    if (folder) files.push_back(picture_of(c, f.out));
  }
  if (!folder) files = {f.out};
  std::vector<std::string> warnings;
  if (!renderer.hint().empty()) warnings.push_back(renderer.hint());
  written.print(f.out, files, warnings,
                {{"width", f.width}, {"height", f.height}, {"frames", frames}});
}

void print_done(const RenderFlags& f, const std::vector<CommittedFrame>& frames, bool film) {
  const std::size_t n = frames.size();
  fmt::print("{}: {} {}, {} x {} pixels", f.out, n, n == 1 ? "picture" : "pictures", f.width,
             f.height);
  const double fps = film_fps(f, frames);
  if (film)
    fmt::print(", {:.4g} a second: {:.3g} times as fast as it happened", fps,
               fps / real_fps(frames));
  fmt::print("\n");
}

}  // namespace

ExitCode render_command(const RenderFlags& f) {
  const Written written;
  const fs::path out = f.out;
  const bool film = out.extension() == ".mp4", one = out.extension() == ".png";
  if (!film && !one && out.has_extension())
    throw Error(ExitCode::usage,
                f.out + ": wants an .mp4, a .png, or a folder for a picture of each frame");
  if (f.sheet > 0 && !one) throw Error(ExitCode::usage, "--sheet makes one .png");
  if (f.fps > 0 && !film) throw Error(ExitCode::usage, "--fps is for films, .mp4");
  std::vector<CommittedFrame> frames = chosen(f);
  if (one && f.sheet > 0) frames = spread(frames, f.sheet);
  if (one && f.sheet == 0) frames = {frames.back()};
  if (film) frames = for_film(f, frames);
  const Renderer renderer(options_of(f), frames);
  make_folders(out.parent_path());
  if (!renderer.hint().empty()) fmt::print(stderr, "{}\n", renderer.hint());
  if (film)
    write_film(renderer, f);
  else if (one)
    write_sheet(renderer, out);
  else
    write_pictures(renderer, out);
  if (f.json)
    print_json(f, renderer, written);
  else
    print_done(f, frames, film);
  return ExitCode::done;
}

}  // namespace rtsim
