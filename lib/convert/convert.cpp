#include "convert/convert.h"

#include "base/error.h"
#include "convert/columns.h"
#include "convert/conversion_folder.h"
#include "convert/in_order.h"
#include "convert/plan.h"
#include "convert/times.h"

namespace rtsim {

namespace {

using Files = std::vector<WrittenFile>;

class Converter {
 public:
  Converter(const ConversionPlan& plan, const FormatInfo& format, ConversionFolder& folder)
      : plan_(plan), format_(format), folder_(folder) {
    done_.before = long(folder.done());
  }

  Converted run() {
    if (folder_.is_complete()) {
      write_times(plan_.out);  // made of the lines alone; somebody may have deleted them
      return done_;
    }
    Files files;
    if (format_.sequence)
      files = write_sequence();
    else
      write_frames();
    if (format_.finish) files = format_.finish(plan_);
    write_times(plan_.out);
    for (const WrittenFile& f : files) ++done_.files, done_.bytes += f.bytes;
    folder_.complete(files);
    return done_;
  }

 private:
  // What was whole before something failed gets its lines all the same.
  template <class Item, class Prepare, class Take>
  void go(const Prepare& prepare, const Take& take, const auto& commit) {
    const std::size_t first = folder_.done();
    try {
      in_order<Item>(
          plan_.frames.size() - first, plan_.jobs,
          [&](std::size_t k) { return prepare(plan_.frames[first + k]); },
          [&](std::size_t k, Item item) {
            take(plan_.frames[first + k], std::move(item));
            ++done_.frames;
            if (folder_.is_due()) commit();
          });
    } catch (...) {
      try {
        commit();
      } catch (const Error&) {  // the first failure says why
      }
      throw;
    }
    commit();
  }

  void write_frames() {
    go<Files>([&](const CommittedFrame& f) { return convert(f); },
              [&](const CommittedFrame& f, const Files& files) {
                folder_.add(f, files);
                for (const WrittenFile& w : files) ++done_.files, done_.bytes += w.bytes;
              },
              [&] { folder_.commit(); });
  }

  Files convert(const CommittedFrame& source) const {
    const Frame frame{source.frame, source.step, source.time, {}};
    FileSink sink(plan_.out);
    try {
      for (const WrittenFile& f : source.files) {
        Output output = plan_.output;
        output.object = object_of(f);
        const FrameObject object = read_chosen(plan_.run, f, plan_.columns);
        format_.write_frame({frame, object, output, plan_.info, plan_}, sink);
      }
    } catch (...) {
      sink.forget();
      throw;
    }
    return sink.written();
  }

  Files write_sequence() {
    const std::unique_ptr<Sequence> sequence = format_.sequence(plan_, folder_.done());
    using Parts = std::vector<std::string>;
    go<Parts>(
        [&](const CommittedFrame& f) {
          Parts parts;
          for (const WrittenFile& w : f.files) parts.push_back(sequence->prepare(f, w));
          return parts;
        },
        [&](const CommittedFrame& f, Parts parts) {
          for (std::size_t k = 0; k < parts.size(); ++k)
            sequence->add(f, f.files[k], std::move(parts[k]));
          folder_.add(f, {});
        },
        [&] {
          if (!format_.goes_on) return;
          sequence->sync();
          folder_.commit();
        });
    Files files = sequence->finish();
    if (!format_.goes_on) folder_.commit();
    return files;
  }

  const ConversionPlan& plan_;
  const FormatInfo& format_;
  ConversionFolder& folder_;
  Converted done_;
};

}  // namespace

Converted convert_run(const Conversion& c) try {
  const FormatInfo& format = *chosen_formats(c).front();
  const ConversionPlan plan = make_plan(c);
  ConversionFolder folder(c, plan, format.goes_on);
  return Converter(plan, format, folder).run();
} catch (const std::filesystem::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
