/* The list of claims of an experiment.
 *
 * A list is one string: the ids of the claims with blanks between them. An experiment checks each claim of its list
 * exactly once, and no other claim. This holds for quick and for full runs, so a quick run cannot check other claims
 * than a full one. The mark "time:" in front of an id tells that the claim compares times: only such a claim can fail
 * because the machine has other work. A tally counts the claims of one run and finds those that break the rules. */
#ifndef SINEW_EXPERIMENT_CLAIMS_H
#define SINEW_EXPERIMENT_CLAIMS_H

#include <stdbool.h>

enum { CLAIM_ID = 64, CLAIMS = 128 }; /* bytes of an id with its end; the most claims of a list */

typedef struct claim_tally {
    const char *claims; /* the list */
    int checked[CLAIMS];
    int held, failed;
    int late; /* of the failed ones: those that were measured, and compare times */
} claim_tally;

/* The id at the place `index` of a list, and whether it compares times (may be NULL); false behind the end. */
bool claim_at(const char *claims, int index, char id[CLAIM_ID], bool *timed);
/* The same for an id: its place, or -1. */
int claim_place(const char *claims, const char *id, bool *timed);
/* Counts a claim that holds or not. Returns NULL, or what is wrong with the claim: then it does not hold. */
const char *claim_count(claim_tally *tally, const char *id, bool pass);
/* Finds the next claim that was not checked, from the place *index on, and counts it as failed; *index goes behind it.
 * False when there is none. */
bool claim_missing(claim_tally *tally, int *index, char id[CLAIM_ID]);
/* Whether all claims hold; on a busy machine, whether all others than those on time hold. */
bool claim_verdict(const claim_tally *tally, bool busy);

#endif
