/* The list of claims of an experiment; see claims.h. */
#include "claims.h"

#include <string.h>

bool claim_at(const char *claims, int index, char id[CLAIM_ID], bool *timed) {
    static const char mark[] = "time:";
    const char *at = claims + strspn(claims, " ");
    for (int i = 0; i < index; ++i) at += strcspn(at, " "), at += strspn(at, " ");
    const bool marked = strncmp(at, mark, sizeof mark - 1) == 0;
    if (marked) at += sizeof mark - 1;
    const size_t length = strcspn(at, " ");
    if (length == 0 || length >= CLAIM_ID || index >= CLAIMS) return false;
    memcpy(id, at, length);
    id[length] = 0;
    if (timed) *timed = marked;
    return true;
}

int claim_place(const char *claims, const char *id, bool *timed) {
    char listed[CLAIM_ID];
    for (int i = 0; claim_at(claims, i, listed, timed); ++i)
        if (strcmp(listed, id) == 0) return i;
    return -1;
}

const char *claim_count(claim_tally *tally, const char *id, bool pass) {
    bool timed;
    const int place = claim_place(tally->claims, id, &timed);
    const char *wrong = NULL;
    if (place < 0)
        wrong = "this claim is not in the list of claims of the experiment";
    else if (tally->checked[place]++)
        wrong = "this claim was checked before";
    const bool holds = pass && !wrong;
    tally->held += holds, tally->failed += !holds;
    tally->late += !holds && !wrong && timed;
    return wrong;
}

bool claim_missing(claim_tally *tally, int *index, char id[CLAIM_ID]) {
    while (claim_at(tally->claims, *index, id, NULL))
        if (!tally->checked[(*index)++]) {
            ++tally->failed;
            return true;
        }
    return false;
}

bool claim_verdict(const claim_tally *tally, bool busy) { return tally->failed == (busy ? tally->late : 0); }
