/* The list of experiments. An experiment is one file with one table experiment_NAME, and one line here. */
#include "experiment.h"

#define EXPERIMENTS(X)                                                                                                 \
    X(civit_contact)                                                                                                   \
    X(civit_differentials)                                                                                             \
    X(civit_embed)                                                                                                     \
    X(civit_force_fields)                                                                                              \
    X(civit_persistent)                                                                                                \
    X(civit_ramp)                                                                                                      \
    X(civit_recover)                                                                                                   \
    X(civit_stiffness)                                                                                                 \
    X(cloth_motion)                                                                                                    \
    X(contact_physics)                                                                                                 \
    X(contact_pile)                                                                                                    \
    X(contact_shaken)                                                                                                  \
    X(hauth_adaptive)                                                                                                  \
    X(hauth_bar)                                                                                                       \
    X(hauth_cantilever)                                                                                                \
    X(hauth_cloth)                                                                                                     \
    X(hauth_constant_q)                                                                                                \
    X(hauth_contact)                                                                                                   \
    X(hauth_corotated)                                                                                                 \
    X(hauth_cube)                                                                                                      \
    X(hauth_haptic)                                                                                                    \
    X(hauth_hierarchy)                                                                                                 \
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

#define DECLARE(name) extern const experiment experiment_##name;
EXPERIMENTS(DECLARE)
#undef DECLARE

#define ENTRY(name) &experiment_##name,
const experiment *const experiments[] = {EXPERIMENTS(ENTRY) NULL /* the end */};
#undef ENTRY
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
