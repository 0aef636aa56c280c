#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>
#include <span>

#include "base/nearest.h"
#include "command_texts.h"
#include "commands.h"
#include "result_options.h"
#include "sim/build_info.h"
#include "sim/catalog.h"

namespace rtsim {
namespace {

[[noreturn]] void usage(const std::string& message, const CLI::App* command) {
  std::string name;
  for (const CLI::App* c = command; c; c = c->get_parent())
    name = c->get_name() + (name.empty() ? "" : " ") + name;
  throw Error(ExitCode::usage, fmt::format("{}; see `{} --help`", message, name));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& long_name : o->get_lnames()) names.push_back("--" + long_name);
  return names;
}

std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* c : commands(app)) {
    if (c->get_name() == name) return c;
    names.push_back(c->get_name());
  }
  usage(fmt::format("no command \"{}\"{}", name, did_you_mean(name, names)), &app);
}

// "--set=a" is --set, "-oDIR" is -o.
std::string option_name(const std::string& token) {
  return token.starts_with("--") ? token.substr(0, token.find('=')) : token.substr(0, 2);
}

// CLI11 blames an unknown option on whatever positional comes next, and does not name an unknown
// command, so names are looked up first.
void check_names(const CLI::App& app, std::span<const std::string> args) {
  const CLI::App* command = &app;
  for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    const std::string& token = args[i];
    if (token.starts_with("-") && token.size() > 1) {
      const std::string name = option_name(token);
      const CLI::Option* option = command->get_option_no_throw(name);
      if (!option)
        usage(fmt::format("no option {}{}", name, did_you_mean(name, option_names(*command))),
              command);
      if (option->get_items_expected_min() > 0 && token == name) ++i;  // its value is no name
    } else if (command == &app) {
      command = find_command(app, token);
    } else {  // sweep status
      std::vector<std::string> names;
      for (const CLI::App* inner : commands(*command)) names.push_back(inner->get_name());
      const auto inner = std::ranges::find(names, token);
      const std::string near = did_you_mean(token, names);
      if (inner != names.end())
        command = commands(*command)[std::size_t(inner - names.begin())];
      else if (!near.empty() && !std::filesystem::exists(token))
        usage(fmt::format("no command \"{}\"{}", token, near), command);
    }
  }
}

// Scene files and folders are checked by the commands, which say more than CLI11 can.
void add_run_options(CLI::App& c, RunFlags& f) {
  c.add_option("--device", f.device, "Where it runs: auto (the CPU), cpu, cuda, or cuda:N")
      ->type_name("NAME");
  c.add_option("--threads", f.threads, "CPU threads; one per processor unless given")
      ->type_name("N")
      ->check([](const std::string& n) {
        return n.find_first_not_of("0123456789") == n.npos && n.find_first_not_of('0') != n.npos
                   ? ""
                   : "wants a count from 1";
      });
  c.add_option("--time-limit", f.time_limit,
               "After this much wall clock write a checkpoint and leave with 75")
      ->type_name("90|90s|10min|1h30m");
  c.add_flag("--profile", f.profile, "Time every launch; writes profile.json and trace.json");
  c.add_flag("--expect", f.expect,
             "Hold the result against the scene's \"expect\" block; 5 if it fails");
  c.add_flag("--quiet", f.quiet, "No progress");
  c.add_flag("--allow-different-build", f.allow_different_build,
             "Resume what another build or device began");
  c.add_flag("--allow-damage", f.allow_damage,
             "Resume although frames or logs from before the checkpoint are lost or changed");
  c.add_flag("--ignore-free-space", f.ignore_free_space,
             "Begin although the disk may be too small: compressed frames may fit");
}

void add_run(CLI::App& app, RunFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("run", "Simulate a scene");
  c.add_option("SCENE", f.scene, "The scene file")->required()->type_name("FILE");
  c.add_option("-o,--output", f.folder, "Folder of the run; runs/<folder>-<file> unless given")
      ->type_name("DIR");
  add_set(c, f.set, "Override a value of the scene, by JSON pointer; may be repeated");
  add_run_options(c, f);
  c.add_flag("--overwrite", f.overwrite, "Replace the run that is in the folder");
  c.add_flag("--resume{yes}", f.resume,
             "Go on from the last checkpoint; --resume=auto starts afresh where there is none");
  c.callback([&] { action = [&] { return run_command(f); }; });
}

void add_resume(CLI::App& app, RunFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("resume", "Go on with a run from its last checkpoint, exactly");
  c.add_option("RUN", f.folder, "The run folder")->required()->type_name("DIR");
  add_set(c, f.set, "A new end: /time/frames=N or /time/duration=T");
  add_run_options(c, f);
  c.callback([&] { action = [&] { return resume_command(f); }; });
}

void add_branch(CLI::App& app, RunFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand(
      "branch",
      "Go on from a checkpoint of a finished run, in a new folder, with other parameters");
  c.add_option("RUN@FRAME", f.scene, "The run, and the frame; its last checkpoint unless given")
      ->required()
      ->type_name("");
  c.add_option("-o,--output", f.folder, "Folder of the new run")->required()->type_name("DIR");
  add_set(c, f.set, "Override a value of the parent's scene, by JSON pointer; may be repeated");
  add_run_options(c, f);
  c.add_flag("--overwrite", f.overwrite, "Replace the run that is in the folder");
  c.callback([&] { action = [&] { return branch_command(f); }; });
}

void add_foam(CLI::App& app, RunFlags& f, std::string& liquid, Action& action) {
  CLI::App& c = *app.add_subcommand(
      "foam", "Spray, foam and bubbles behind the liquid of a finished run, from its HDF5 frames");
  c.add_option("RUN", f.scene, "The run folder")->required()->type_name("DIR");
  c.add_option("-o,--output", f.folder, "Folder of the foam, a run of its own")
      ->required()
      ->type_name("DIR");
  c.add_option("--object", liquid, "The liquid, where the run has frames of several")
      ->type_name("NAME");
  add_set(c, f.set, "Set a value of the foam's scene, as /stages/0/lifetime=2; may be repeated");
  add_run_options(c, f);
  c.add_flag("--overwrite", f.overwrite, "Replace the run that is in the folder");
  c.callback([&] { action = [&] { return foam_command(f, liquid); }; });
}

void add_scene_readers(CLI::App& app, CheckFlags& check, ExplainFlags& explain, Action& action) {
  CLI::App& c = *app.add_subcommand("check", "Report every mistake in scenes, and write nothing");
  c.add_option("SCENE", check.scenes, "Scene files")->required()->type_name("FILE");
  add_set(c, check.set, "Override a value of the scene, by JSON pointer; may be repeated");
  c.add_flag("--json", check.json, "For scripts");
  c.callback([&] { action = [&] { return check_command(check); }; });

  CLI::App& e = *app.add_subcommand("explain", "Stages, columns, memory and steps of a scene");
  e.add_option("SCENE", explain.scene, "The scene file")->required()->type_name("FILE");
  add_set(e, explain.set, "Override a value of the scene, by JSON pointer; may be repeated");
  e.add_flag("--json", explain.json, "For scripts");
  e.callback([&] { action = [&] { return explain_command(explain); }; });
}

struct NameFlags {
  std::string name;
  bool json = false, sweep = false;
};

void add_catalog_readers(CLI::App& app, NameFlags& f, Action& action) {
  CLI::App& l = *app.add_subcommand("list", "All stage types");
  l.add_flag("--json", f.json, "For scripts");
  l.callback([&] { action = [&] { return list_command(f.json); }; });

  CLI::App& d = *app.add_subcommand("describe", "The parameters of one stage type");
  d.add_option("TYPE", f.name, "A name from `rtsim list`")->required()->type_name("");
  d.add_flag("--json", f.json, "For scripts");
  d.callback([&] { action = [&] { return describe_command(f.name, f.json); }; });

  CLI::App& s = *app.add_subcommand("schema", "JSON Schema of scenes or sweeps, for editors");
  s.add_flag("--sweep", f.sweep, "Of sweep files");
  s.callback([&] { action = [&] { return schema_command(f.sweep); }; });
  app.add_subcommand("manual", "The whole manual, as Markdown")->callback([&] {
    action = manual_command;
  });
}

void add_run_readers(CLI::App& app, NameFlags& f, Action& action) {
  const auto add = [&](const char* name, const char* doc,
                       ExitCode (*command)(const std::filesystem::path&, bool)) {
    CLI::App& c = *app.add_subcommand(name, doc);
    c.add_option("RUN", f.name, "The run folder")->required()->type_name("DIR");
    c.add_flag("--json", f.json, "For scripts");
    c.callback(
        [&f, &action, command] { action = [&f, command] { return command(f.name, f.json); }; });
  };
  add("info", "What a run is, what made it, and how far it came", info_command);
  add("verify", "Checksums and completeness of every frame and checkpoint; 5 if anything is wrong",
      verify_command);

  CLI::App& w = *app.add_subcommand(
      "wait",
      "Return once nobody works on a run or a sweep, with the exit code that it ended with");
  w.add_option("RUN", f.name, "The folder of a run or a sweep")->required()->type_name("DIR");
  w.callback([&] { action = [&] { return wait_command(f.name); }; });
}

void add_new(CLI::App& app, NewFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("new", "A scene of your own, with comments, from one of ours");
  c.add_option("NAME", f.name, "Where it goes: NAME.json, and files that it needs beside it")
      ->type_name("FILE");
  c.add_option("--like", f.like, "The scene to begin with, as dam_break or flip/dam_break")
      ->type_name("SCENE");
  c.add_flag("--list", f.list, "The scenes there are");
  c.add_flag("--json", f.json, "The list for scripts");
  c.callback([&] { action = [&] { return new_command(f); }; });
}

void add_bench(CLI::App& app, BenchFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("bench", "Time the cases of configs/bench");
  c.add_option("CASE", f.cases,
               "A name, one of its sizes as wcsph/100k, a file, or writers; all unless given")
      ->type_name("");
  c.add_option("--threads", f.threads, "Thread counts to time, as 1,2")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,...")
      ->check(CLI::Range(1, 4096));
  c.add_option("--steps", f.steps, "Timed steps; as the case says unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  c.add_option("--device", f.device, "cpu, cuda, or cuda:N")->type_name("NAME");
  c.add_option("-o,--output", f.file, "Write the JSON here too")->type_name("FILE");
  c.add_flag("--json", f.json, "JSON instead of the table");
  c.callback([&] { action = [&] { return bench_command(f); }; });
}

ExitCode print_completion(const CLI::App& app, const std::string& shell) {
  std::vector<std::string> stages;
  for (const StageType& t : stage_catalog()) stages.emplace_back(t.name);
  const std::vector<CommandText> commands = command_texts(app);
  fmt::print("{}", shell == "bash"  ? bash_completion(commands, stages)
                   : shell == "zsh" ? zsh_completion(commands, stages)
                                    : fish_completion(commands, stages));
  return ExitCode::done;
}

// Last, since they speak of all that came before.
void add_own_texts(CLI::App& app, NameFlags& f, Action& action) {
  app.add_subcommand("version", "Version, commit, compiler and precision")->callback([&] {
    action = [] {
      fmt::print("{}\n", version_text());
      return ExitCode::done;
    };
  });
  app.add_subcommand("man", "The man page, as roff")->callback([&] {
    action = [&] {
      fmt::print("{}", man_page(command_texts(app), build_info().version));
      return ExitCode::done;
    };
  });
  CLI::App& c = *app.add_subcommand("completion", "What makes a shell complete rtsim's commands");
  c.add_option("SHELL", f.name, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  c.callback([&] { action = [&] { return print_completion(app, f.name); }; });
}

ExitCode command_line(int argc, char** argv) {
  CLI::App app("rtsim: batch physics from scene files", "rtsim");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text,
                       "Version, commit, compiler and CUDA of this binary");

  Action action;
  RunFlags run;
  run.command_line.assign(argv, argv + argc);
  CheckFlags check;
  ExplainFlags explain;
  NameFlags name;
  NewFlags fresh;
  ConvertFlags convert;
  CompareFlags compare;
  PlotFlags plot;
  RenderFlags render;
  SweepFlags sweep;
  ReportFlags report;
  BenchFlags bench;
  add_new(app, fresh, action);
  add_run(app, run, action);
  add_resume(app, run, action);
  add_branch(app, run, action);
  std::string liquid;
  add_foam(app, run, liquid, action);
  add_scene_readers(app, check, explain, action);
  add_catalog_readers(app, name, action);
  add_run_readers(app, name, action);
  add_convert(app, convert, action);
  add_compare(app, compare, action);
  add_plot(app, plot, action);
  add_render(app, render, action);
  add_sweep(app, sweep, action);
  add_report(app, report, action);
  add_bench(app, bench, action);
  add_own_texts(app, name, action);

  try {
    check_names(app, std::span(run.command_line).subspan(1));
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return ExitCode(app.exit(help_or_version));
  } catch (const CLI::ParseError& e) {
    const auto chosen = app.get_subcommands();
    usage(e.what(), chosen.empty() ? &app : chosen.front());
  }
  return action();
}

// Runs the command and reports what it throws, except for what stdout does not take: every later
// write fails too, and main says so once.
ExitCode guarded(int argc, char** argv) {
  try {
    return command_line(argc, argv);
  } catch (const Error& e) {
    print_error(e);
    return e.code();
  } catch (const std::filesystem::filesystem_error& e) {
    print_error(Error(ExitCode::io, e.what()));
    return ExitCode::io;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "rtsim: out of memory; `rtsim explain` says what a scene needs\n");
  } catch (const std::exception& e) {
    if (!std::ferror(stdout)) fmt::print(stderr, "rtsim: internal error: {}\n", e.what());
  }
  return ExitCode::internal;
}

}  // namespace
}  // namespace rtsim

int main(int argc, char** argv) {
  const rtsim::ExitCode code = rtsim::guarded(argc, argv);
  const bool failed_before = std::ferror(stdout);
  if (std::fflush(stdout) == 0 && !failed_before) return int(code);
  const char* why = failed_before ? "a write failed" : std::strerror(errno);
  fmt::print(stderr, "rtsim: cannot write to standard output: {}\n", why);
  return int(rtsim::ExitCode::io);
}
