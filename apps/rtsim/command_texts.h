#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rtsim {

// What a person may type, read from the description of the command line that also parses it. The
// man page and the completions are made of it, so they cannot say anything else.

struct OptionText {
  std::vector<std::string> names;    // -o, --output; of a positional one its name, RUN
  std::string value;                 // what stands behind it, FILE; empty: nothing
  std::vector<std::string> choices;  // what the value may be; none: anything
  std::string doc;
  bool positional = false, required = false;
  bool many = false;  // of a positional one: several may be given
};

struct CommandText {
  std::string path;  // "run", "sweep status"; empty: rtsim itself
  std::string doc;
  std::vector<OptionText> options;
  std::vector<std::string> below;  // names of its subcommands
};

// rtsim itself first, then the commands, each before those below it.
std::vector<CommandText> command_texts(const CLI::App&);

std::string man_page(const std::vector<CommandText>&, const std::string& version);

std::string bash_completion(const std::vector<CommandText>&,
                            const std::vector<std::string>& stages);
std::string zsh_completion(const std::vector<CommandText>&, const std::vector<std::string>& stages);
std::string fish_completion(const std::vector<CommandText>&,
                            const std::vector<std::string>& stages);

}  // namespace rtsim
