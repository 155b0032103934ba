// Runs the program in this process and keeps what it wrote.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "ksim/cli/app.h"

namespace ksim::cli {

struct CliResult {
  int code = 0;
  std::string out, err;
};

inline std::string Contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    text.append(buffer, n);
  std::fclose(file);
  return text;
}

inline CliResult RunCli(const std::vector<std::string>& args, const Program& program = Program()) {
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  CliResult result;
  {
    Io io(fileno(out), fileno(err), program);
    result.code = Main(args, io);
  }
  result.out = Contents(out);
  result.err = Contents(err);
  return result;
}

}  // namespace ksim::cli
