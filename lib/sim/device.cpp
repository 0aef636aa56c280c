#include <fmt/format.h>

#include <charconv>

#include "sim/run.h"

namespace rtsim {

// auto is the CPU: several families gain nothing by a device yet (docs/gpu.md).
Exec make_exec(const std::string& device, int threads) {
  if (device == "cpu" || device == "auto") return Exec::cpu(threads);
  if (device == "cuda") return Exec::cuda(0);
  if (device.starts_with("cuda:")) {
    int number = -1;
    const char *begin = device.data() + 5, *end = device.data() + device.size();
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc() && stop == end && number >= 0) return Exec::cuda(number);
  }
  throw Error(ExitCode::usage,
              fmt::format("--device {}: no such device; use auto, cpu, cuda or cuda:N", device));
}

}  // namespace rtsim
