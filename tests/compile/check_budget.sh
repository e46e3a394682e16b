#!/usr/bin/env bash
# check_budget.sh COMPILER INCLUDE_DIR HEADER: lines of preprocessed text, blank ones squeezed, within the budget of
# its kind. The numbers hold for g++ 12's library.
set -eu
compiler=$1 include_dir=$2 header=$3
version=$("$compiler" -dumpversion)
if [ "${version%%.*}" != 12 ]; then
  echo "budgets are stated for g++ 12, this is $version"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#include "%s"\n' "$header" |
  "$compiler" -std=c++20 -E -P -MD -MF "$work/dependencies" -MT x -I"$include_dir" -x c++ - -o "$work/text"
lines=$(wc -l <"$work/text")
if [ "$header" = midend/midend.hpp ]; then
  budget=57000 # all analyses, evolutions and dependences of nests among them
elif [ "$header" = midend/unrolling.hpp ] || [ "$header" = midend/unrolling/advise_unrolling.hpp ] ||
  [ "$header" = midend/unrolling/try_unrolling.hpp ] || [ "$header" = midend/unrolling/measure_unrolling.hpp ]; then
  budget=63300 # a trial: the loop extracted, the transformation, the clean-up with its analyses, and the estimate; the advice besides
elif [ "$header" = midend/ssa/phis_of_operations.hpp ] || [ "$header" = midend/ssa/verify_phis_of_operations.hpp ] || [ "$header" = midend/ssa/verify_sccp_plan.hpp ]; then
  budget=29400 # <vector>, the whole of sccp with facts, and the partition or the checker on top
elif [ "$header" = midend/ssa/poison_promises.hpp ]; then
  budget=26300 # the whole of sccp with facts
elif [ "$header" = midend/induction/loop_trip_counter.hpp ] || [ "$header" = midend/machine/cost/count_loop_trips.hpp ]; then
  budget=33800 # the whole of sccp, bounds and bits of numbers, what branches say, evolutions of a flat copy with its dominators, counters of other loops, and the counts
elif [ "$header" = midend/induction/evolutions.hpp ] || [ "$header" = midend/induction/plain_trip_counter.hpp ] ||
  [ "$header" = midend/transform/loop_ends.hpp ] || [ "$header" = midend/unrolling/unrolling_advice.hpp ]; then
  budget=26700 # all of evolutions
elif [ "$header" = midend/transform/replace_final_values.hpp ]; then
  budget=31200 # all of evolutions, with conditions of several comparisons, the plan, and the checker that is asked on a copy
elif [ "$header" = midend/transform/remove_dead_loops.hpp ]; then
  budget=29100 # all of evolutions, with conditions of several comparisons, and the plan
elif [ "$header" = midend/transform/reduce_strength.hpp ]; then
  budget=29500 # all of evolutions, the plan, and the model of a machine
elif [ "$header" = midend/transform/unswitch.hpp ]; then
  budget=27900 # <vector>, dominators, repair of SSA form, and counts
elif [ "$header" = midend/transform/index_split.hpp ]; then
  budget=29800 # the same and evolutions
elif [ "$header" = midend/transform/loop_versioning.hpp ]; then
  budget=31800 # <vector>, copies of loops with their counts, the accesses of a nest, evolutions, and checks at run time
elif [ "$header" = midend/transform/verify_loop_versioning.hpp ]; then
  budget=31400 # evolutions, the accesses of a nest, the plan with its witness, and the certificate
elif [ "$header" = midend/transform/interchange.hpp ] || [ "$header" = midend/transform/verify_interchange.hpp ] ||
  [ "$header" = midend/transform/collapse.hpp ] || [ "$header" = midend/transform/verify_collapse.hpp ] ||
  [ "$header" = midend/transform/condition_split.hpp ] || [ "$header" = midend/transform/verify_condition_split.hpp ]; then
  budget=30600 # evolutions, the accesses of a nest, dependences or the checker of their proofs, and the plan or the certificate
elif [ "$header" = midend/transform.hpp ]; then
  budget=49900 # all transformations, also by sccp and value numbering, the facts that some take, the checkers, and the advice that unrolling carries out
elif [ "$header" = midend/transform/unroll_with_remainder.hpp ]; then
  budget=37300 # <vector>, wide numbers, the counters of a loop, and loops for what a profile says
elif [ "$header" = midend/loop_package.hpp ] || [ "$header" = midend/loop_package/loop_package.hpp ]; then
  budget=82000 # the trials, and nine transformations as members
elif [ "$header" = midend/loop_package/version_members.hpp ]; then
  budget=67200 # the advice by trial, and four transformations
elif [ "$header" = midend/loop_package/unrolling_members.hpp ]; then
  budget=64000 # the advice by trial, and three transformations
elif [ "$header" = midend/loop_package/nest_members.hpp ] || [ "$header" = midend/loop_package/split_members.hpp ]; then
  budget=38600 # evolutions, facts, dependences, two transformations
elif [ "$header" = midend/unrolling/program_trial.hpp ]; then
  budget=59100 # the clean-up with its analyses, and the estimate
elif [ "$header" = midend/unrolling/apply_unrolling.hpp ]; then
  budget=40200 # the three transformations, and the advice that they carry out
elif [ "$header" = midend/transform/verify_untaken_exits.hpp ]; then
  budget=31800 # the plan, which it asks again, and the checker that asks nothing
elif [ "$header" = midend/transform/untaken_exits.hpp ] || [ "$header" = midend/transform/unroll_loops.hpp ] || [ "$header" = midend/transform/peel_by_profile.hpp ] ||
  [ "$header" = midend/transform/plan_unroll_with_remainder.hpp ]; then
  budget=31200 # loops are described and counted, and copied
elif [ "$header" = midend/package/clean_up.hpp ]; then
  budget=43500 # sccp with branch facts, value numbering, both packages, and what moves and removes operations
elif grep -q '/algorithm\( \|$\)' "$work/dependencies"; then
  budget=35000
else
  budget=26000 # of which 800 are the sentences that explain types that do not fit
fi
echo "$header: $lines lines, $budget allowed"
[ "$lines" -le "$budget" ]
