#include "datasets.hpp"

#include "shapes.hpp"
#include <corpus/corpus.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace midend_benchmarks {
namespace {

constexpr std::uint32_t not_reached = 0xffff'ffff;

/// The new number of each block, in the old order; `not_reached` for those that go away.
std::vector<std::uint32_t> reached_numbers(const flat_function& f) {
  std::vector<std::uint32_t> number(f.num_nodes(), not_reached);
  std::vector<std::uint32_t> work;
  if (!number.empty()) {
    number[0] = 0;
    work.push_back(0);
  }
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    for (const std::uint32_t s : f.successors(b)) {
      if (number[s] == not_reached) {
        number[s] = 0;
        work.push_back(s);
      }
    }
  }
  std::uint32_t next = 0;
  for (std::uint32_t& n : number) {
    if (n != not_reached) {
      n = next++;
    }
  }
  return number;
}

flat_function reachable_part_of(const flat_function& f) {
  const std::vector<std::uint32_t> number = reached_numbers(f);
  flat_function part;
  for (std::uint32_t b = 0; b != number.size(); ++b) {
    if (number[b] == not_reached) {
      continue;
    }
    for (const std::uint32_t s : f.successors(b)) {
      part.targets.push_back(number[s]);
    }
    part.offsets.push_back(static_cast<std::uint32_t>(part.targets.size()));
  }
  return part;
}

struct reachable_set {
  explicit reachable_set(const dataset& all) {
    const auto whole = [](const flat_function& f) {
      const auto number = reached_numbers(f);
      return std::find(number.begin(), number.end(), not_reached) == number.end();
    };
    if (std::all_of(all.functions().begin(), all.functions().end(), whole)) {
      return;
    }
    std::vector<flat_function> functions;
    functions.reserve(all.functions().size());
    for (const flat_function& f : all.functions()) {
      functions.push_back(reachable_part_of(f));
    }
    part = std::make_unique<const dataset>(all.name(), std::move(functions));
  }

  std::unique_ptr<const dataset> part; ///< null if everything is reached
};

std::string corpus_folder() {
  const char* const folder = std::getenv("MIDEND_CORPUS");
  return folder != nullptr ? folder : MIDEND_CORPUS_DIRECTORY;
}

std::vector<flat_function> read_corpus(const std::string& name) {
  std::vector<midend_corpus::cfg_function> read;
  if (const auto error = midend_corpus::read_cfg(corpus_folder() + "/" + name + ".cfg.gz", read)) {
    std::fprintf(stderr, "%s\n", error->to_string().c_str());
    std::exit(1);
  }
  // Copied, so that everything that was allocated while reading is given back.
  std::vector<flat_function> functions(read.size());
  for (std::size_t i = 0; i != read.size(); ++i) {
    functions[i].offsets = read[i].offsets;
    functions[i].targets = read[i].successor_list;
    functions[i].variables = {read[i].num_variables, read[i].definition_offsets, read[i].definitions,
                              read[i].use_offsets, read[i].uses};
  }
  return functions;
}

} // namespace

dataset::dataset(std::string name, std::vector<flat_function> functions)
    : name_(std::move(name)), functions_(std::move(functions)) {
  for (const flat_function& f : functions_) {
    num_blocks_ += f.num_nodes();
    num_edges_ += f.targets.size();
    largest_ = std::max(largest_, f.num_nodes());
  }
}

const dataset& dataset::reachable_part() const {
  const auto& reached = shared<reachable_set>();
  return reached.part != nullptr ? *reached.part : *this;
}

const std::vector<dataset_name>& dataset_names() {
  static const std::vector<dataset_name> names = [] {
    std::vector<dataset_name> all;
    for (const char* const name : {"sqlite3-O0", "sqlite3-O2", "lua5.4-O0", "irreducible"}) {
      all.push_back({name, "", 0});
    }
    for (const char* const shape : {"structured", "irreducible", "nest", "ladder", "switch"}) {
      for (const std::uint32_t size : {10'000U, 100'000U, 1'000'000U}) {
        all.push_back({std::string(shape) + "-" + std::to_string(size), shape, size});
      }
    }
    return all;
  }();
  return names;
}

std::unique_ptr<const dataset> make_dataset(const dataset_name& which) {
  std::vector<flat_function> functions;
  if (which.generated()) {
    functions.push_back(generate(which.shape, which.size));
  } else {
    functions = read_corpus(which.name);
  }
  return std::make_unique<const dataset>(which.name, std::move(functions));
}

} // namespace midend_benchmarks
