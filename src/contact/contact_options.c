/* The options of contact between bodies: defaults and checks; the list of responses. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/cookie.h"
#include "base/words.h"
#include "contact_options.h"

#define ENTRY(name, text) {name, text},
static const sn_listing response_table[] = {SN_CONTACT_RESPONSES(ENTRY)};
#undef ENTRY
enum { RESPONSES = sizeof response_table / sizeof *response_table };

const sn_listing *sn_contact_responses(int *count) {
    *count = RESPONSES;
    return response_table;
}

#define AT(member) offsetof(sn_contact_options, member)
static const sn_field fields[] = {
    {"between", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, "all", NULL, "",
     "the pairs that touch: `\"all\"`, or a list of pairs of names; twice the same name: the body touches itself"},
    {"self", SN_FIELD_BOOL, AT(self), 1, 0, 1, 0, 0, NULL, NULL, "", "each body also touches itself"},
    {"response", SN_FIELD_CHOICE, AT(response), 1, 0, 0, 0, 0, "area", sn_contact_responses, "",
     "what happens where bodies touch"},
    {"untangle", SN_FIELD_BOOL, AT(untangle), 1, 0, 1, 0, 0, NULL, NULL, "",
     "response exact: cloth that starts with intersections is parted before the first step, when it can be"},
    {"friction", SN_FIELD_DOUBLE, AT(friction), 1, 0, 1e300, 0, 0.3, NULL, NULL, "", "Coulomb's coefficient"},
    {"thickness", SN_FIELD_DOUBLE, AT(thickness), 1, 0, 1e300, 0, 0, NULL, NULL, "m",
     "responses penalty and exact: surfaces touch when they are nearer than this; 0: when they intersect, or nearly "
     "so"},
    {"stiffness", SN_FIELD_DOUBLE, AT(stiffness), 1, 0, 1e300, 0, 0, NULL, NULL, "Pa/m",
     "response penalty: pressure per depth; 0 takes it from the stiffness, size and weight of the bodies"},
    {"damping", SN_FIELD_DOUBLE, AT(damping), 1, 0, 1e300, 0, 0.1, NULL, NULL, "",
     "response penalty: part of the critical damping of a contact"},
    {"relaxation", SN_FIELD_DOUBLE, AT(relaxation), 1, 0, 1, 1, 0.1, NULL, NULL, "",
     "response area: the part of the depth that a step takes away"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

const sn_field *sn_contact_fields(int *count) {
    *count = FIELDS;
    return fields;
}

sn_contact_options sn_contact_options_default(void) {
    sn_contact_options options = {.cookie = SN_COOKIE};
    sn_fields_default(fields, FIELDS, &options);
    return options;
}

bool sn_contact_responds(const sn_contact_options *options, const char *response) {
    return options->use && strcmp(*options->response ? options->response : response_table->name, response) == 0;
}

/* Refuses options that have no effect with the response. */
static sn_status check_used(const sn_contact_options *o, sn_error *error) {
    const sn_contact_options usual = sn_contact_options_default();
    const char *given = NULL, *with = NULL;
    if (!sn_contact_responds(o, "penalty") && o->stiffness != usual.stiffness) given = "stiffness", with = "penalty";
    if (!sn_contact_responds(o, "penalty") && o->damping != usual.damping) given = "damping", with = "penalty";
    if (sn_contact_responds(o, "area") && o->thickness != usual.thickness)
        given = "thickness", with = "penalty' and 'exact";
    if (!sn_contact_responds(o, "area") && o->relaxation != usual.relaxation) given = "relaxation", with = "area";
    if (!sn_contact_responds(o, "exact") && o->untangle) given = "untangle", with = "exact";
    if (!given) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, given, "%s has no effect with response '%s'; it is for '%s'", given,
                      *o->response ? o->response : response_table->name, with);
}

sn_status sn_contact_options_check(const sn_contact_options *o, sn_error *error) {
    sn_status status = sn_cookie_check(o->cookie, "sn_contact_options", error);
    if (status || !o->use) return status;
    if (o->pair_count < 0 || (o->pair_count > 0 && !o->pair))
        return sn_fail_at(error, SN_BAD_INPUT, "between", "%d pairs are given without a list", o->pair_count);
    status = sn_fields_check(fields, FIELDS, o, error);
    return status ? status : check_used(o, error);
}
