/* Functions that Hauth's experiments on viscoelastic materials share: materials of constant Q and of Kelvin and Voigt,
 * and runs that record one number per step. */
#ifndef SINEW_EXPERIMENT_HAUTH_MEMORY_H
#define SINEW_EXPERIMENT_HAUTH_MEMORY_H

#include "experiment.h"
#include "timing.h"

/* Liver tissue as the document has it: Q, |mu| at 2 Hz, Poisson's ratio; the density of water. */
enum { MEMORY_TEXT = 1000 };
extern const double memory_q, memory_modulus, memory_at, memory_poisson;

/* The keys of a material with a memory of its shear, as JSON. The pressure keeps the bulk modulus of memory_modulus and
 * memory_poisson. Its viscosity is lambda / 100 as in the document. */
void memory_material(const sn_fit *fit, char text[MEMORY_TEXT]);
/* The same for a Kelvin-Voigt material ("Hooke" in the document): shear modulus and viscosity. */
void hooke_material(double mu, double viscosity, char text[MEMORY_TEXT]);
/* The quality factor of constant Q at one frequency (Hz): |mu|, and the viscosity that gives the same loss. */
void hooke_matched(double frequency, double *mu, double *viscosity);

/* One run: component `axis` of the first probe after each step, and the work. */
typedef struct memory_trace {
    int count; /* steps; value has count + 1 numbers */
    double step, *value;
    double seconds; /* of processor time */
    int newton, linear, retries;
} memory_trace;

/* Runs a scene (a whole JSON text) for `steps` steps. Release value with free(). `watch`: keeps the times of runs that
 * are repeated; NULL: one run. */
sn_status memory_simulate(experiment_run *run, const char *scene, int steps, int axis, stopwatch *watch,
                          memory_trace *trace, sn_error *error);
double memory_value(const memory_trace *trace, double t);

/* The quality factor of a decaying vibration, from the extreme speeds after the start: Q = pi / (2 ln(ratio of
 * neighbours)), mean over the first `halves` halves of a period. NaN when there are not so many. */
double memory_quality(const memory_trace *trace, int halves);
/* Hz: the number of half periods between the first and the last of `halves` + 1 extreme speeds, over twice their
 * time. */
double memory_frequency(const memory_trace *trace, int halves);

#endif
