#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cache/durable.h"
#include "commands.h"
#include "exec/exec.h"
#include "sim/records/event_log.h"
#include "sweep/status.h"
#include "units.h"
#include "wait.h"
#include "written.h"

namespace rtsim {

namespace {

// Those that the page shows.
std::vector<std::string> warnings(const std::filesystem::path& folder) {
  std::vector<std::string> all;
  if (!is_sweep(folder)) {
    for (const LoggedWarning& w : read_warnings(folder)) all.push_back(w.message);
    return all;
  }
  for (const CaseStatus& c : sweep_status(folder).cases)
    for (const std::string& w : c.warnings) all.push_back(c.name + ": " + w);
  return all;
}

std::size_t write_page(const ReportFlags& f, const ReportOptions& o) {
  const std::string page = is_sweep(o.run) ? sweep_report(o) : run_report(o);
  make_folders(std::filesystem::path(f.out).parent_path());
  write_file(f.out, page);
  return page.size();
}

// Sleeps so long [s], or until the run ends.
void wait_or_end(const std::filesystem::path& run, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end && goes_on(run))
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

}  // namespace

ExitCode report_command(const ReportFlags& f) {
  if (std::filesystem::path(f.out).extension() != ".html")
    throw Error(ExitCode::usage, f.out + ": a report's name ends in .html");
  const Written written;
  ReportOptions o;
  o.run = f.run, o.pictures = f.pictures, o.colour = f.colour, o.from = f.from;
  o.threads = Exec::cpu().threads();
  const double every = f.every.empty() ? 0 : std::max(1.0, parse_duration(f.every));
  const auto renew = [&] { o.renew = every > 0 && goes_on(o.run) ? every : 0; };
  renew();
  std::size_t bytes = write_page(f, o);
  while (o.renew > 0) {
    wait_or_end(o.run, every);
    renew();
    bytes = write_page(f, o);
  }
  if (f.json)
    written.print(f.out, {f.out}, warnings(o.run), {{"of", is_sweep(o.run) ? "sweep" : "run"}});
  else
    fmt::print("{}: {}\n", f.out, bytes_text(double(bytes)));
  return ExitCode::done;
}

}  // namespace rtsim
