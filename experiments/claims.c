/* The list of claims of an experiment; see claims.h. */
#include "claims.h"

#include <string.h>

bool claim_at(const char *claims, int index, char id[CLAIM_ID]) {
    const char *at = claims + strspn(claims, " ");
    for (int i = 0; i < index; ++i) at += strcspn(at, " "), at += strspn(at, " ");
    const size_t length = strcspn(at, " ");
    if (length == 0 || length >= CLAIM_ID || index >= CLAIMS) return false;
    memcpy(id, at, length);
    id[length] = 0;
    return true;
}

const char *claim_count(claim_tally *tally, const char *id) {
    char listed[CLAIM_ID];
    for (int i = 0; claim_at(tally->claims, i, listed); ++i)
        if (strcmp(listed, id) == 0) return tally->checked[i]++ ? "this claim was checked before" : NULL;
    return "this claim is not in the list of claims of the experiment";
}

bool claim_missing(const claim_tally *tally, int *index, char id[CLAIM_ID]) {
    while (claim_at(tally->claims, *index, id))
        if (!tally->checked[(*index)++]) return true;
    return false;
}
