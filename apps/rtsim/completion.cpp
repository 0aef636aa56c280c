#include <fmt/format.h>

#include <algorithm>

#include "command_texts.h"

namespace rtsim {
namespace {

using Words = std::vector<std::string>;

// What may stand for a value.
enum class Values { words, files, folders, anything };

Values values_of(const OptionText& o) {
  if (!o.choices.empty() || o.names[0] == "TYPE") return Values::words;
  if (o.value == "FILE" || o.value == "RUN" || o.value == "OUT" || o.value == "SWEEP")
    return Values::files;
  return o.value == "DIR" ? Values::folders : Values::anything;
}

const Words& words_of(const OptionText& o, const Words& stages) {
  return o.choices.empty() ? stages : o.choices;
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 4)
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

// Paths of all commands as patterns of a shell's case.
std::string paths(const std::vector<CommandText>& commands) {
  Words all;
  for (const CommandText& c : commands)
    if (!c.path.empty()) all.push_back(quoted(c.path));
  return fmt::format("{}", fmt::join(all, "|"));
}

Words flags_of(const CommandText& c) {
  Words flags = c.below;
  for (const OptionText& o : c.options)
    if (!o.positional) flags.insert(flags.end(), o.names.begin(), o.names.end());
  return flags;
}

std::string bash_values(const OptionText& o, const Words& stages) {
  switch (values_of(o)) {
    case Values::words:
      return fmt::format("_rtsim_reply -W {}",
                         quoted(fmt::format("{}", fmt::join(words_of(o, stages), " "))));
    case Values::files:
      return "_rtsim_reply -f";
    case Values::folders:
      return "_rtsim_reply -d";
    default:
      return "COMPREPLY=()";
  }
}

}  // namespace

std::string bash_completion(const std::vector<CommandText>& commands, const Words& stages) {
  std::string behind, begins, places;
  for (const CommandText& c : commands) {
    begins += fmt::format("    {}) words={} ;;\n", quoted(c.path),
                          quoted(fmt::format("{}", fmt::join(flags_of(c), " "))));
    for (const OptionText& o : c.options) {
      if (o.positional) {
        places += fmt::format("    {}) {} ;;\n", quoted(c.path), bash_values(o, stages));
      } else if (!o.value.empty()) {
        Words at;
        for (const std::string& name : o.names) at.push_back(quoted(c.path + " " + name));
        behind +=
            fmt::format("    {}) {}; return ;;\n", fmt::join(at, "|"), bash_values(o, stages));
      }
    }
  }
  return fmt::format(
      R"(# Completion of rtsim in bash. Made by: rtsim completion bash
_rtsim_reply() {{
  [[ $1 == -W ]] || compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}}
_rtsim() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at='' words='' next i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    next="$at${{at:+ }}${{COMP_WORDS[i]}}"
    case "$next" in
    {}) at=$next ;;
    esac
  done
  case "$at $prev" in
{}  esac
  case "$at" in
{}  esac
  if [[ $cur == -* || $words != -* ]]; then
    _rtsim_reply -W "$words"
    [[ ${{#COMPREPLY[@]}} -eq 0 ]] || return
  fi
  case "$at" in
{}  esac
}}
complete -F _rtsim rtsim rtsim_d
)",
      paths(commands), behind, begins, places);
}

namespace {

// What zsh reads as the end of a text in brackets.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_values(const OptionText& o, const Words& stages) {
  switch (values_of(o)) {
    case Values::words:
      return fmt::format("({})", fmt::join(words_of(o, stages), " "));
    case Values::files:
      return "_files";
    case Values::folders:
      return "_files -/";
    default:
      return " ";
  }
}

std::string zsh_option(const OptionText& o, const Words& stages) {
  const std::string value =
      o.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(o.value), zsh_values(o, stages));
  if (o.positional) return " \\\n      " + quoted(fmt::format("{}{}", o.many ? "*" : "", value));
  std::string out;
  for (const std::string& name : o.names)
    out += " \\\n      " + quoted(fmt::format("{}[{}]{}", name, zsh_text(o.doc), value));
  return out;
}

std::string zsh_command(const CommandText& c, const std::vector<CommandText>& all,
                        const Words& stages) {
  std::string options;
  for (const OptionText& o : c.options) options += zsh_option(o, stages);
  std::string out = fmt::format("  {})\n", quoted(c.path));
  if (!c.below.empty()) {
    out += "    commands=(\n";
    for (const std::string& name : c.below) {
      const std::string path = c.path + (c.path.empty() ? "" : " ") + name;
      const auto text = std::ranges::find(all, path, &CommandText::path);
      out += fmt::format("      {}\n", quoted(name + ":" + text->doc));
    }
    out += "    )\n    _describe command commands\n";
  }
  return out + fmt::format("    _arguments{} ;;\n", options);
}

}  // namespace

std::string zsh_completion(const std::vector<CommandText>& commands, const Words& stages) {
  std::string cases;
  for (const CommandText& c : commands) cases += zsh_command(c, commands, stages);
  return fmt::format(
      R"(#compdef rtsim rtsim_d
# Completion of rtsim in zsh. Made by: rtsim completion zsh
_rtsim() {{
  local at='' next depth=0 i
  local -a commands
  for ((i = 2; i < CURRENT; ++i)); do
    next="$at${{at:+ }}${{words[i]}}"
    case "$next" in
    {}) at=$next; depth=$((i - 1)) ;;
    esac
  done
  shift $depth words
  ((CURRENT -= depth))
  case "$at" in
{}  esac
}}
if [[ $funcstack[1] == _rtsim ]]; then _rtsim "$@"; else compdef _rtsim rtsim rtsim_d; fi
)",
      paths(commands), cases);
}

namespace {

// Whether the command of a path, and none below it, stands on the line.
std::string fish_condition(const CommandText& c) {
  if (c.path.empty()) return "__fish_use_subcommand";
  std::string out;
  std::string rest = c.path;
  for (std::size_t space = 0; space != rest.npos; rest.erase(0, space + 1)) {
    space = rest.find(' ');
    out += fmt::format("{}__fish_seen_subcommand_from {}", out.empty() ? "" : "; and ",
                       rest.substr(0, space));
    if (space == rest.npos) break;
  }
  if (!c.below.empty())
    out += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(c.below, " "));
  return out;
}

std::string fish_values(const OptionText& o, const Words& stages) {
  switch (values_of(o)) {
    case Values::words:
      return fmt::format(" -f -a {}",
                         quoted(fmt::format("{}", fmt::join(words_of(o, stages), " "))));
    case Values::files:
      return " -F";
    case Values::folders:
      return " -f -a '(__fish_complete_directories)'";
    default:
      return " -f";
  }
}

}  // namespace

std::string fish_completion(const std::vector<CommandText>& commands, const Words& stages) {
  std::string out =
      "# Completion of rtsim in fish. Made by: rtsim completion fish\ncomplete -c rtsim -f\n";
  for (const CommandText& c : commands) {
    const std::string begin = "complete -c rtsim -n " + quoted(fish_condition(c));
    for (const std::string& name : c.below) {
      const std::string path = c.path + (c.path.empty() ? "" : " ") + name;
      const auto text = std::ranges::find(commands, path, &CommandText::path);
      out += fmt::format("{} -a {} -d {}\n", begin, name, quoted(text->doc));
    }
    for (const OptionText& o : c.options) {
      out += begin;
      for (const std::string& name : o.names)
        if (name.starts_with("-"))
          out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!o.positional) out += " -d " + quoted(o.doc) + (o.value.empty() ? "" : " -r");
      if (o.positional || !o.value.empty()) out += fish_values(o, stages);
      out += "\n";
    }
  }
  return out;
}

}  // namespace rtsim
