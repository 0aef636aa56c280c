#pragma once
#include <functional>

#include "commands.h"

namespace CLI {
class App;
}

namespace rtsim {

using Action = std::function<ExitCode()>;

// The command lines of what is done with the results of runs. Each sets the action where its
// command is given, and fills the flags.
void add_convert(CLI::App&, ConvertFlags&, Action&);
void add_compare(CLI::App&, CompareFlags&, Action&);
void add_plot(CLI::App&, PlotFlags&, Action&);
void add_render(CLI::App&, RenderFlags&, Action&);
void add_sweep(CLI::App&, SweepFlags&, Action&);
void add_report(CLI::App&, ReportFlags&, Action&);

// --set, of a scene or of an output.
void add_set(CLI::App&, std::vector<std::string>& set, const char* doc);

// --width and --height, of curves.
void add_size(CLI::App&, int& width, int& height);

}  // namespace rtsim
