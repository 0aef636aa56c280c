#include "exec/simt/device.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "exec/simt/runtime.h"

extern const char __executable_start, end;  // by the linker

namespace rtsim::simt {

namespace {

struct Copies {
  unsigned long number = 0, bytes = 0;
};

struct Counts {
  std::string last = "before the first launch";
  std::map<std::string, unsigned long> launches;
  std::map<int, Copies> copies;
};

// Never destroyed: arrays of static objects go after it would.
Counts& counts() {
  static Counts& c = *new Counts;
  return c;
}

void write_counts() {
  std::ofstream f(settings().counts_file);
  const auto copies = [&](const char* name, cudaMemcpyKind kind) {
    const Copies& c = counts().copies[kind];
    f << "  \"" << name << "\": {\"number\": " << c.number << ", \"bytes\": " << c.bytes << "},\n";
  };
  f << "{\n";
  copies("uploads", cudaMemcpyHostToDevice);
  copies("downloads", cudaMemcpyDeviceToHost);
  copies("copies", cudaMemcpyDeviceToDevice);
  f << "  \"launches\": {";
  const char* comma = "\n";
  for (const auto& [label, n] : counts().launches) {
    f << comma << "    \"" << label << "\": " << n;
    comma = ",\n";
  }
  f << "\n  }\n}\n";
}

void segmentation(int signal, siginfo_t* info, void*) {
  if (on_device(info->si_addr)) fault("the host touched the device's memory");
  ::signal(signal, SIG_DFL);  // the instruction runs again, and ends the process
}

Settings read_settings() {
  Settings s;
  const char* const order = std::getenv("RTSIM_SIMT_ORDER");
  const std::string o = order ? order : "forward";
  if (o == "backward")
    s.order = Order::backward;
  else if (o == "shuffled")
    s.order = Order::shuffled;
  else if (o != "forward")
    fault("RTSIM_SIMT_ORDER is forward, backward or shuffled, not " + o);
  const char* const memory = std::getenv("RTSIM_SIMT_MEMORY");
  s.memory = (memory ? std::strtoull(memory, nullptr, 10) : 4096) << 20;
  s.counts_file = std::getenv("RTSIM_SIMT_COUNTS");
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings s = read_settings();
  return s;
}

void fault(const std::string& what) {
  std::fprintf(stderr, "simt: %s (%s)\n", what.c_str(), counts().last.c_str());
  void* at[40];
  backtrace_symbols_fd(at, backtrace(at, 40), 2);
  _exit(fault_exit);
}

// Between the first and the last byte of the program itself.
bool is_constant(const void* p) { return p >= &__executable_start && p < &end; }

void start_work(const char* label, const char* type) {
  counts().last = std::string("launch '") + label + "' " + type;
}
void count_launch(const char* label) { ++counts().launches[label]; }
void count_copy(cudaMemcpyKind kind, std::size_t bytes) {
  Copies& c = counts().copies[kind];
  ++c.number, c.bytes += bytes;
}

}  // namespace rtsim::simt

using namespace rtsim::simt;

const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : "no such error here";
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* n) { return *n = 1, cudaSuccess; }

cudaError_t cudaSetDevice(int) {
  struct sigaction action {};
  action.sa_sigaction = segmentation;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  static const int at_end = settings().counts_file ? std::atexit(write_counts) : 0;
  return at_end == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  return std::strcpy(p->name, "none: threads run one by one on the host (simt)"), cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* p, int) { return *p = nullptr, cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*) { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* v) { return *v = 0, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* v) { return *v = 0, cudaSuccess; }
cudaError_t cudaStreamSynchronize(int) { return cudaSuccess; }

struct SimtEvent {
  std::chrono::steady_clock::time_point when{};
};
cudaError_t cudaEventCreate(cudaEvent_t* e) { return *e = new SimtEvent, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t e) { return delete e, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, int) {
  return e->when = std::chrono::steady_clock::now(), cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t a, cudaEvent_t b) {
  *milliseconds = std::chrono::duration<float, std::milli>(b->when - a->when).count();
  return cudaSuccess;
}
