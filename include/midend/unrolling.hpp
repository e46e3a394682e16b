/// Unrolling: advice, trials and transformations. `midend/transform.hpp` has all other transformations.
#pragma once

#include "midend/unrolling/advise_unrolling.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/measure_unrolling.hpp"
#include "midend/unrolling/program_trial.hpp"
#include "midend/unrolling/try_unrolling.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"
#include "midend/unrolling/unrolling_savings.hpp"
