/* The list of experiments. An experiment is one file with one table experiment_NAME, and one line here. */
#include "experiment.h"

#define EXPERIMENTS(X)                                                                                                 \
    X(civit_contact)                                                                                                   \
    X(civit_differentials)                                                                                             \
    X(civit_embed)                                                                                                     \
    X(civit_force_fields)                                                                                              \
    X(civit_persistent)                                                                                                \
    X(civit_recover)                                                                                                   \
    X(civit_stiffness)                                                                                                 \
    X(hauth_bar)                                                                                                       \
    X(hauth_cantilever)                                                                                                \
    X(hauth_constant_q)                                                                                                \
    X(hauth_contact)                                                                                                   \
    X(hauth_corotated)                                                                                                 \
    X(hauth_cube)                                                                                                      \
    X(hauth_liver)                                                                                                     \
    X(hauth_shear)                                                                                                     \
    X(hauth_solvers)                                                                                                   \
    X(hauth_spheres)                                                                                                   \
    X(hauth_springs)                                                                                                   \
    X(hauth_toy)                                                                                                       \
    X(kikuuwe_crush)                                                                                                   \
    X(kikuuwe_lift)                                                                                                    \
    X(kikuuwe_v)                                                                                                       \
    X(locking)                                                                                                         \
    X(muller_bars)                                                                                                     \
    X(muller_bone)                                                                                                     \
    X(muller_tube)                                                                                                     \
    X(nesme_assembly)                                                                                                  \
    X(nesme_recover)                                                                                                   \
    X(nesme_scaling)                                                                                                   \
    X(nesme_torque)
extern const experiment experiment_civit_differentials, experiment_civit_force_fields, experiment_civit_persistent,
    experiment_civit_ramp, experiment_civit_recover;
extern const experiment experiment_civit_stiffness, experiment_hauth_corotated;
extern const experiment experiment_hauth_bar, experiment_hauth_cantilever, experiment_hauth_cube,
    experiment_hauth_shear, experiment_hauth_toy;
extern const experiment experiment_hauth_springs, experiment_muller_bars, experiment_muller_bone,
    experiment_muller_tube;
extern const experiment experiment_locking;
extern const experiment experiment_kikuuwe_crush, experiment_kikuuwe_lift, experiment_kikuuwe_v;
extern const experiment experiment_nesme_recover, experiment_nesme_torque;
extern const experiment experiment_hauth_contact, experiment_hauth_solvers, experiment_nesme_assembly,
    experiment_nesme_scaling;

#define DECLARE(name) extern const experiment experiment_##name;
EXPERIMENTS(DECLARE)
#undef DECLARE

#define ENTRY(name) &experiment_##name,
const experiment *const experiments[] = {EXPERIMENTS(ENTRY) NULL /* the end */};
#undef ENTRY
const experiment *const experiments[] = {
    &experiment_civit_differentials,
    &experiment_civit_force_fields,
    &experiment_civit_persistent,
    &experiment_civit_ramp,
    &experiment_civit_recover,
    &experiment_civit_stiffness,
    &experiment_hauth_bar,
    &experiment_hauth_cantilever,
    &experiment_hauth_constant_q,
    &experiment_hauth_contact,
    &experiment_hauth_corotated,
    &experiment_hauth_cube,
    &experiment_hauth_liver,
    &experiment_hauth_shear,
    &experiment_hauth_solvers,
    &experiment_hauth_spheres,
    &experiment_hauth_springs,
    &experiment_hauth_toy,
    &experiment_kikuuwe_crush,
    &experiment_kikuuwe_lift,
    &experiment_kikuuwe_v,
    &experiment_locking,
    &experiment_muller_bars,
    &experiment_muller_bone,
    &experiment_muller_tube,
    &experiment_nesme_assembly,
    &experiment_nesme_recover,
    &experiment_nesme_scaling,
    &experiment_nesme_torque,
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
