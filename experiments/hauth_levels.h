/* Examples 8 and 9 of Hauth 5.3.5, a part of the experiment hauth-hierarchy. */
#ifndef SINEW_HAUTH_LEVELS_H
#define SINEW_HAUTH_LEVELS_H

#include "experiment.h"

sn_status hauth_levels(experiment_run *run, sn_error *error);

#define HAUTH_LEVELS_CLAIMS                                                                                            \
    "time:bar-factor time:bar-factor-half-load bar-error bar-calm time:bar-even time:liver-real-time "                 \
    "time:liver-order time:liver-even"

#endif
