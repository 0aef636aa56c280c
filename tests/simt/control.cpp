#include "simt/control.h"

int main(int count, char** words) {
  return count == 2 ? rtsim::control(rtsim::Exec::cuda(0), words[1]) : 2;
}
