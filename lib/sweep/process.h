#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rtsim {

// How a process ended.
struct ProcessEnd {
  int exit_code = -1;  // -1: by a signal
  int signal = 0;
};

// Starts a program with both outputs appended to `log`, in a process group of its own, so that
// Ctrl-C reaches it through us alone. When this process dies, it gets SIGUSR1. Throws Error{io}.
pid_t start_process(const std::vector<std::string>& command, const std::filesystem::path& log);

// Of one that has ended; nothing while it runs.
std::optional<ProcessEnd> process_end(pid_t);

// Runs a program and returns what it prints. Throws Error{io} with its own words where it fails.
std::string output_of(const std::vector<std::string>& command);

// This program's own file.
std::filesystem::path own_program();

// A text as one word of a shell.
std::string shell_word(const std::string&);

// A script with `with` where "@NAME@" stands first.
std::string filled(std::string script, const std::string& hole, const std::string& with);

}  // namespace rtsim
