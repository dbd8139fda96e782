/* Physical trials of contact between bodies. Each one is a small scene with one or two figures and a limit for
 * each. The experiment `contact-physics` runs the table with each response; `make test` runs the experiment quickly.
 *
 * Files: contact_trials.c (the table), contact_rest.c (bodies at rest), contact_hertz.c (closed forms of pressed
 * bodies), contact_motion.c (momentum, energy, impacts). */
#ifndef SINEW_EXPERIMENTS_CONTACT_TRIALS_H
#define SINEW_EXPERIMENTS_CONTACT_TRIALS_H

#include <stdbool.h>

#include "sinew/sinew.h"

enum { CONTACT_RESPONSES = 3 };
extern const char *const contact_response[CONTACT_RESPONSES]; /* area, penalty, exact */
enum { PROMISED_AREA = 1, PROMISED_PENALTY = 2, PROMISED_EXACT = 4, PROMISED_ALL = 7 };

/* How a trial is run. */
typedef struct contact_run {
    sn_context *context;
    const char *response;
    bool quick; /* a shorter run, the same limit */
} contact_run;

typedef struct contact_figure {
    const char *id;
    const char *text; /* what it is, with its unit */
    double limit;
    bool above;   /* it must be above the limit; otherwise below it or equal */
    int promised; /* PROMISED_: the responses that promise to pass */
} contact_figure;

enum { CONTACT_FIGURES = 2 };
typedef struct contact_trial {
    /* Writes the figures. A failure of a step is a status with a message. */
    sn_status (*run)(const contact_run *run, double figure[CONTACT_FIGURES], sn_error *error);
    int figure_count;
    contact_figure figure[CONTACT_FIGURES];
} contact_trial;

extern const contact_trial contact_trials[];
extern const int contact_trial_count;

/* Whether a response (its index) promises a figure of the trial. */
static inline bool contact_promised(const contact_trial *trial, int response) {
    int promised = 0;
    for (int i = 0; i < trial->figure_count; ++i) promised |= trial->figure[i].promised;
    return promised & 1 << response;
}

static inline bool contact_passes(const contact_figure *figure, double value) {
    return figure->above ? value > figure->limit : value <= figure->limit;
}

/* contact_rest.c */
sn_status contact_weight(const contact_run *run, double figure[], sn_error *error);
sn_status contact_slope_stiff(const contact_run *run, double figure[], sn_error *error);
sn_status contact_slope_soft(const contact_run *run, double figure[], sn_error *error);
sn_status contact_stack(const contact_run *run, double figure[], sn_error *error);
sn_status contact_patch(const contact_run *run, double figure[], sn_error *error);
/* contact_hertz.c */
sn_status contact_hertz_plane(const contact_run *run, double figure[], sn_error *error);
sn_status contact_hertz_spheres(const contact_run *run, double figure[], sn_error *error);
/* The same for a sphere on a collider, a plane; the response is one of colliders. */
sn_status contact_hertz_collider(const contact_run *run, double figure[], sn_error *error);
/* contact_motion.c */
sn_status contact_momentum(const contact_run *run, double figure[], sn_error *error);
sn_status contact_impacts(const contact_run *run, double figure[], sn_error *error);
sn_status contact_fall(const contact_run *run, double figure[], sn_error *error);
sn_status contact_pile(const contact_run *run, double figure[], sn_error *error);
sn_status contact_deep(const contact_run *run, double figure[], sn_error *error);
sn_status contact_fast(const contact_run *run, double figure[], sn_error *error);

#endif
