#pragma once
#include <filesystem>
#include <string>

namespace rtsim {

struct ReportOptions {
  std::filesystem::path run;
  int pictures = 6;                     // frames from the first to the last; 0: none
  std::string colour, from = "corner";  // as of `rtsim render`
  int threads = 1;
  double renew = 0;  // [s] after which a browser loads the page again; 0: never
};

// A run, finished or not, as one HTML page: how it ended, warnings, expectations, pictures, curves,
// timings, where it comes from and its scene. What the run has not got is left out. Throws
// Error{bad_input} where there is no run.
std::string run_report(const ReportOptions&);

// A sweep, complete or not: states, failures, a table of parameters and last values, the last
// picture of as many cases, curves of all of them, timings.
std::string sweep_report(const ReportOptions&);

}  // namespace rtsim
