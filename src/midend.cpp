// The functions of midend that do not depend on a user's types: the library behind midend::compiled.
#define MIDEND_COMPILED_SOURCE 1

#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dependence/dependence.hpp>
#include <midend/dependence/runtime_checks.hpp>
#include <midend/dependence/verify_dependences.hpp>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/initialization.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/induction/read_loop_counts.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/transform/reduce_strength.hpp>
#include <midend/transform/remove_dead_loops.hpp>
#include <midend/transform/replace_final_values.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/dependences.hpp>
#include <midend/viz/elbrus.hpp>
#include <midend/viz/explain_evolution.hpp>
#include <midend/viz/layout.hpp>
#include <midend/viz/machine.hpp>
#include <midend/viz/report.hpp>
#include <midend/viz/schedule.hpp>
#include <midend/viz/trip_formula.hpp>
#include <midend/viz/unrolling.hpp>
#include <midend/viz/unrolling_chart.hpp>
#include <midend/viz/unrolling_reasons.hpp>
#include <midend/viz/unrolling_words.hpp>
#include <midend/viz/words.hpp>
