#include "report/report.h"

#include <fmt/format.h>

#include "cache/durable.h"
#include "commands.h"
#include "exec/exec.h"
#include "sweep/status.h"
#include "units.h"

namespace rtsim {

ExitCode report_command(const ReportFlags& f) {
  if (std::filesystem::path(f.out).extension() != ".html")
    throw Error(ExitCode::usage, f.out + ": a report's name ends in .html");
  ReportOptions o;
  o.run = f.run, o.pictures = f.pictures, o.colour = f.colour, o.from = f.from;
  o.threads = Exec::cpu().threads();
  const std::string page = is_sweep(o.run) ? sweep_report(o) : run_report(o);
  write_file(f.out, page);
  fmt::print("{}: {}\n", f.out, bytes_text(double(page.size())));
  return ExitCode::done;
}

}  // namespace rtsim
