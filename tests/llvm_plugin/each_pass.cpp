// each_pass PLUGIN MEGABYTES SECONDS PIPELINES FILE...: runs each of the pipelines, which semicolons separate, over
// each module as opt-19 -load-pass-plugin=PLUGIN -passes=PIPELINE -verify-each would do, in a process with limits. The
// process goes on with the next pipeline and a module that is read anew; a new one is made where one has died. To start
// opt-19 for each would take ten times as long.
//
// Prints a line for each module and pipeline that fails: what kind (crash, timeout, rejected, disagrees, invalid), the
// module, the pipeline, and the first line that was printed; and `skipped FILE` for what LLVM cannot read or verify.
// The last line counts: `modules M skipped S runs R failed F`. The exit status is 0 even if some failed.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int status_skipped = 77;
constexpr int status_invalid = 78; ///< LLVM's verifier complains afterwards
constexpr int status_wrong_use = 79;

void run_passes(llvm::Module& m, llvm::PassPlugin& plugin, const std::string& pipeline) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::StandardInstrumentations instrumentations(m.getContext(), false, true);
  instrumentations.registerCallbacks(callbacks, &modules);
  llvm::PassBuilder builder(nullptr, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  plugin.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    std::_Exit(status_wrong_use);
  }
  passes.run(m, modules);
  if (llvm::verifyModule(m, &llvm::errs())) {
    std::_Exit(status_invalid);
  }
}

/// What happened to a module from a pipeline on.
struct outcome {
  std::size_t reached = 0; ///< the number of the pipeline that was begun last
  int status = 0;          ///< as `waitpid` gives it
};

/// Runs the pipelines from number `first` on in another process, as far as that gets. `log` gets what the last one
/// prints.
outcome run_from(std::size_t first, const std::vector<std::string>& pipelines, const std::string& file,
                 llvm::PassPlugin& plugin, const std::string& log, rlim_t megabytes, unsigned seconds) {
  int begun[2];
  if (pipe(begun) != 0) {
    std::perror("pipe");
    std::exit(2);
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(2);
  }
  if (child == 0) {
    dup2(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    const rlimit memory = {megabytes << 20, megabytes << 20};
    setrlimit(RLIMIT_AS, &memory);
    for (std::size_t k = first; k != pipelines.size(); ++k) {
      alarm(seconds);
      llvm::LLVMContext context;
      context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {});
      llvm::SMDiagnostic wrong;
      const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(file, wrong, context);
      if (m == nullptr || llvm::verifyModule(*m)) {
        std::_Exit(status_skipped);
      }
      if (write(begun[1], "", 1) != 1) {
        std::_Exit(status_wrong_use);
      }
      if (ftruncate(2, 0) == 0) {
        lseek(2, 0, SEEK_SET);
      }
      run_passes(*m, plugin, pipelines[k]);
    }
    std::_Exit(0);
  }
  close(begun[1]);
  outcome out;
  std::size_t count = 0;
  for (char byte = 0; read(begun[0], &byte, 1) == 1;) {
    ++count;
  }
  close(begun[0]);
  waitpid(child, &out.status, 0);
  out.reached = count == 0 ? pipelines.size() : first + count - 1;
  return out;
}

std::string first_line(const std::string& file) {
  std::string line;
  if (std::FILE* const f = std::fopen(file.c_str(), "r")) {
    for (int c = std::fgetc(f); c != EOF && c != '\n' && line.size() < 200; c = std::fgetc(f)) {
      line.push_back(static_cast<char>(c));
    }
    std::fclose(f);
  }
  return line;
}

const char* kind_of(int status, const std::string& line) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ? "timeout" : "crash";
  }
  if (WEXITSTATUS(status) == status_invalid) {
    return "invalid";
  }
  if (WEXITSTATUS(status) == status_skipped) {
    return "invalid"; // it could be read for the pipelines before
  }
  return line.find("differs") != std::string::npos                                    ? "disagrees"
         : line.find("certificate") != std::string::npos || line.find("midend-") == 0 ? "rejected"
         : line.find("LLVM ERROR") != std::string::npos                               ? "invalid"
                                                                                      : "crash";
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fputs("usage: each_pass PLUGIN MEGABYTES SECONDS PIPELINES FILE...\n", stderr);
    return 2;
  }
  setenv("MIDEND_VERIFY", "1", 1);
  auto loaded = llvm::PassPlugin::Load(argv[1]);
  if (!loaded) {
    llvm::errs() << llvm::toString(loaded.takeError()) << "\n";
    return 2;
  }
  llvm::PassPlugin& plugin = *loaded;
  const auto megabytes = static_cast<rlim_t>(std::strtoul(argv[2], nullptr, 10));
  const auto seconds = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
  std::vector<std::string> pipelines(1);
  for (const char* c = argv[4]; *c != '\0'; ++c) {
    if (*c == ';') {
      pipelines.emplace_back();
    } else {
      pipelines.back().push_back(*c);
    }
  }
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const std::string log = "/tmp/each_pass." + std::to_string(getpid());
  unsigned long skipped = 0;
  unsigned long runs = 0;
  unsigned long failed = 0;
  for (int i = 5; i != argc; ++i) {
    for (std::size_t k = 0; k < pipelines.size();) {
      const outcome done = run_from(k, pipelines, argv[i], plugin, log, megabytes, seconds);
      if (done.reached == pipelines.size()) { // what LLVM reads no module from, or stops itself
        ++skipped;
        std::printf("skipped %s\n", argv[i]);
        break;
      }
      runs += done.reached + 1 - k;
      k = done.reached + 1;
      if (done.status != 0) {
        const std::string line = first_line(log);
        if (WIFEXITED(done.status) && WEXITSTATUS(done.status) == status_wrong_use) {
          std::fprintf(stderr, "each_pass: %s\n", line.c_str());
          return 2;
        }
        ++failed;
        std::printf("%s %s %s: %s\n", kind_of(done.status, line), argv[i], pipelines[done.reached].c_str(),
                    line.c_str());
      }
    }
  }
  std::remove(log.c_str());
  std::printf("modules %d skipped %lu runs %lu failed %lu\n", argc - 5, skipped, runs, failed);
  return 0;
}
