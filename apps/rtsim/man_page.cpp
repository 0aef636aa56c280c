#include <fmt/format.h>

#include "base/error.h"
#include "command_texts.h"

namespace rtsim {
namespace {

struct CodeText {
  ExitCode code;
  const char* doc;
};

constexpr CodeText codes[] = {
    {ExitCode::done, "Done."},
    {ExitCode::internal, "A mistake in rtsim itself."},
    {ExitCode::usage, "The command line is wrong."},
    {ExitCode::bad_input, "A scene, a mesh or a cache is wrong; nothing was written."},
    {ExitCode::diverged,
     "A state is not finite, or has a hundred times the energy that it can have. The last good "
     "frame stays."},
    {ExitCode::different,
     "What was compared differs, an expectation or a checksum fails, or a sweep is incomplete."},
    {ExitCode::output_exists, "The output exists, or another process writes it."},
    {ExitCode::no_device, "The device is not there."},
    {ExitCode::io, "Input or output failed: the disk is full, or a file is damaged."},
    {ExitCode::interrupted,
     "Interrupted by SIGTERM, SIGINT, SIGHUP, SIGUSR1 or \"--time-limit\" after a checkpoint was "
     "written: "
     "\"rtsim resume\" goes on."},
};

constexpr CodeText signals[] = {{ExitCode(130), "A second SIGINT: left at once."},
                                {ExitCode(143), "A second SIGTERM: left at once."}};

struct FileText {
  const char *name, *doc;
};

constexpr FileText files[] = {
    {"run.json", "What the run is, what made it, how far it came."},
    {"scene.resolved.json", "The scene as it ran, with every default."},
    {"frames.jsonl", "A line for each finished frame: its step, time, files and checksums."},
    {"series.csv", "What the stages measured, with units."},
    {"log.jsonl", "Events."},
    {"cache/", "The frames, a folder for each object."},
    {"checkpoints/", "The whole state at two steps, to go on from."},
};

// Text that roff takes as it is: no line begins as a request, hyphens of options stay hyphens.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\n')
      out += ' ';
    else
      out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string entry(const std::string& head, const std::string& doc) {
  return fmt::format(".TP\n{}\n{}\n", head, roff(doc));
}

std::string head(const OptionText& o) {
  std::string text;
  if (o.positional) {
    text = fmt::format("\\fI{}\\fR", roff(o.names[0]));
    return o.many ? text + "..." : text;
  }
  for (const std::string& name : o.names)
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(name));
  return o.value.empty() ? text : fmt::format("{} \\fI{}\\fR", text, roff(o.value));
}

std::string synopsis(const CommandText& c) {
  std::string line = fmt::format("\\fBrtsim {}\\fR", roff(c.path));
  for (const OptionText& o : c.options)
    if (o.required && !o.positional)
      line += fmt::format(" \\fB{}\\fR \\fI{}\\fR", roff(o.names[0]), roff(o.value));
    else if (o.positional)
      line += o.required ? " " + head(o) : " [" + head(o) + "]";
  return line + " [options]";
}

std::string section(const CommandText& c) {
  std::string out =
      fmt::format(".SS rtsim {}\n{}\n.PP\n{}.\n", roff(c.path), synopsis(c), roff(c.doc));
  for (const OptionText& o : c.options)
    if (o.names.back() != "--help") out += entry(head(o), o.doc);
  return out;
}

}  // namespace

std::string man_page(const std::vector<CommandText>& commands, const std::string& version) {
  std::string out = fmt::format(
      ".\\\" Made by: rtsim man\n"
      ".TH RTSIM 1 \"\" \"rtsim {}\" \"User Commands\"\n"
      ".SH NAME\nrtsim \\- batch physics from scene files\n"
      ".SH SYNOPSIS\n\\fBrtsim\\fR \\fICOMMAND\\fR [options]\n"
      ".SH DESCRIPTION\nA scene, a JSON file, goes in; frames for ParaView, Blender and Python "
      "come "
      "out, in one folder a run. The same scene gives the same bytes for any number of threads, "
      "before and after a kill and a resume.\n.PP\n"
      "\\fBrtsim manual\\fR prints every stage, parameter, unit and source.\n"
      ".SH COMMANDS\n",
      roff(version));
  for (const CommandText& c : commands)
    if (!c.path.empty()) out += section(c);
  out += ".SH \"EXIT STATUS\"\n";
  for (const CodeText& c : codes) out += entry(fmt::format("\\fB{}\\fR", int(c.code)), c.doc);
  for (const CodeText& c : signals) out += entry(fmt::format("\\fB{}\\fR", int(c.code)), c.doc);
  out += ".SH FILES\nIn the folder of a run:\n";
  for (const FileText& f : files) out += entry(fmt::format("\\fI{}\\fR", roff(f.name)), f.doc);
  out +=
      ".SH EXAMPLES\n.nf\n"
      "rtsim run configs/wcsph/dam_break.json \\-o dam\n"
      "rtsim render dam \\-o dam.mp4\n"
      "rtsim plot dam \\-o dam.svg\n"
      "rtsim compare dam other \\-\\-rtol 1e\\-4\n"
      ".fi\n";
  return out;
}

}  // namespace rtsim
