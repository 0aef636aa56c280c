#pragma once
#include <string>

namespace rtsim {

// Every byte that is not printable ASCII as '?': a parser's message may quote the damage it met.
inline std::string printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace rtsim
