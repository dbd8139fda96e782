/* The list of claims of an experiment.
 *
 * A list is one string: the ids of the claims with blanks between them. An experiment checks each claim of its list
 * exactly once, and no other claim. This holds for quick and for full runs, so a quick run cannot check other claims
 * than a full one. A tally counts the claims of one run and finds those that break the rule. */
#ifndef SINEW_EXPERIMENT_CLAIMS_H
#define SINEW_EXPERIMENT_CLAIMS_H

#include <stdbool.h>

enum { CLAIM_ID = 64, CLAIMS = 128 }; /* bytes of an id with its end; the most claims of a list */

typedef struct claim_tally {
    const char *claims; /* the list */
    int checked[CLAIMS];
} claim_tally;

/* The id at the place `index` of a list; false behind the end. */
bool claim_at(const char *claims, int index, char id[CLAIM_ID]);
/* Counts a claim. Returns NULL, or what is wrong with the claim. */
const char *claim_count(claim_tally *tally, const char *id);
/* Finds the next claim that was not checked, from the place *index on; *index goes behind it. False when there is
 * none. */
bool claim_missing(const claim_tally *tally, int *index, char id[CLAIM_ID]);

#endif
