/* Laws of the caller: their tables are checked, copied and kept by the context. Each law is one block of memory: the
 * law, the copies of its parameters and words, and the listing of all laws that the context knows from then on. Blocks
 * form a chain, the newest first; listings of older blocks stay valid. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cookie.h"
#include "base/fields.h"
#include "law.h"
#include "material_fields.h"

typedef struct own_law {
    struct own_law *next; /* first: the context releases the chain (base/context.c) */
    sn_law law;
    sn_law_table table;
    int listing_count;
    sn_listing *listing;
} own_law;

const sn_law *sn_own_law_find(const sn_context *context, const char *name) {
    for (const own_law *own = context ? context->laws : NULL; own; own = own->next)
        if (strcmp(own->law.name, name) == 0) return &own->law;
    return NULL;
}

const sn_listing *sn_context_laws(const sn_context *context, int *count) {
    const own_law *newest = context ? context->laws : NULL;
    if (!newest) return sn_laws(count);
    if (count) *count = newest->listing_count;
    return newest->listing;
}

/* ---- Checks ---- */
/* Lower-case letters, digits, '-' and '_', beginning with a letter. */
static bool is_name(const char *name, size_t room) {
    if (!name || name[0] < 'a' || name[0] > 'z' || strlen(name) >= room) return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

/* Names of material.h, and of scenes, that a constant of a new law would hide. */
static bool is_taken(const char *name) {
    static const char *const more[] = {"law",   "prony",   "select", "viscous", "rayleigh", "springs",
                                       "young", "poisson", "lame",   "shear",   "axes"};
    for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
        if (strcmp(more[i], name) == 0) return true;
    int count;
    const sn_field *field = sn_material_fields(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(field[i].name, name) == 0) return true;
    return false;
}

static sn_status check_parameter(const sn_law_table *table, int index, sn_error *error) {
    const sn_parameter *p = &table->parameter[index];
    if (!is_name(p->name, sizeof((sn_constant *)0)->name))
        return sn_fail(error, SN_BAD_INPUT,
                       "law '%s': the name of parameter %d is '%.40s'; allowed are 1 to 15 of a-z, 0-9, - and _",
                       table->name, index, p->name ? p->name : "");
    if (is_taken(p->name))
        return sn_fail(error, SN_BAD_INPUT,
                       "law '%s': a parameter cannot be called '%s': materials use that name already", table->name,
                       p->name);
    for (int i = 0; i < index; ++i)
        if (strcmp(table->parameter[i].name, p->name) == 0)
            return sn_fail(error, SN_BAD_INPUT, "law '%s': two parameters are called '%s'", table->name, p->name);
    if (!p->unit || !p->text)
        return sn_fail(error, SN_BAD_INPUT, "law '%s': parameter '%s' lacks its unit or text", table->name, p->name);
    if (p->count_min < 1 || p->count_max < p->count_min || p->count_max > SN_CONSTANT_VALUES)
        return sn_fail(error, SN_BAD_INPUT, "law '%s': parameter '%s' has %d to %d values; allowed are 1 to %d",
                       table->name, p->name, p->count_min, p->count_max, SN_CONSTANT_VALUES);
    if (!(p->low <= p->high))
        return sn_fail(error, SN_BAD_INPUT, "law '%s': parameter '%s' has the empty range %g to %g", table->name,
                       p->name, p->low, p->high);
    return SN_OK;
}

sn_law_table sn_law_table_default(void) { return (sn_law_table){.cookie = SN_COOKIE}; }

static sn_status check_table(const sn_context *context, const sn_law_table *table, sn_error *error) {
    const sn_status status = sn_cookie_check(table->cookie, "sn_law_table", error);
    if (status) return status;
    if (!is_name(table->name, SN_NAME))
        return sn_fail_at(error, SN_BAD_INPUT, "name",
                          "the name of a law is '%.40s'; allowed are 1 to %d of a-z, 0-9, - and _",
                          table->name ? table->name : "", SN_NAME - 1);
    if (sn_law_find(context, table->name))
        return sn_fail_at(error, SN_BAD_INPUT, "name", "there is a law '%s' already", table->name);
    if (!table->text) return sn_fail_at(error, SN_BAD_INPUT, "text", "law '%s' lacks its text", table->name);
    if (!table->energy) return sn_fail_at(error, SN_BAD_INPUT, "energy", "law '%s' lacks its energy", table->name);
    if (!table->stress) return sn_fail_at(error, SN_BAD_INPUT, "stress", "law '%s' lacks its stress", table->name);
    if (table->parameter_count < 0 || table->parameter_count > SN_MATERIAL_CONSTANTS ||
        (table->parameter_count && !table->parameter))
        return sn_fail_at(error, SN_BAD_INPUT, "parameter_count", "law '%s' has %d parameters; allowed are 0 to %d",
                          table->name, table->parameter_count, SN_MATERIAL_CONSTANTS);
    int values = 0;
    for (int i = 0; i < table->parameter_count; ++i) {
        const sn_status wrong = check_parameter(table, i, error);
        if (wrong) return sn_within(error, wrong, "parameter.%d", i);
        values += table->parameter[i].count_max;
    }
    if (values >= SN_LAW_CONSTANTS)
        return sn_fail_at(error, SN_BAD_INPUT, "parameter",
                          "the parameters of law '%s' have %d values; at most %d are allowed", table->name, values,
                          SN_LAW_CONSTANTS - 1);
    return SN_OK;
}

/* ---- Copy ---- */
static size_t words_of(const sn_law_table *table) {
    size_t bytes = strlen(table->name) + strlen(table->text) + 2;
    for (int i = 0; i < table->parameter_count; ++i)
        bytes +=
            strlen(table->parameter[i].name) + strlen(table->parameter[i].unit) + strlen(table->parameter[i].text) + 3;
    return bytes;
}

static const char *copy_word(const char *word, char **room) {
    char *copy = *room;
    *room += strlen(word) + 1;
    return strcpy(copy, word);
}

sn_status sn_context_add_law(sn_context *context, const sn_law_table *table, sn_error *error) {
    const sn_status status = check_table(context, table, error);
    if (status) return status;
    int known;
    const sn_listing *before = sn_context_laws(context, &known);
    const size_t parameters = (size_t)table->parameter_count * sizeof(sn_parameter),
                 listing = ((size_t)known + 1) * sizeof(sn_listing);
    own_law *own = sn_allocate_zero(context, 1, sizeof *own + parameters + listing + words_of(table));
    if (!own) return sn_no_memory(error);
    sn_parameter *parameter = (sn_parameter *)(own + 1);
    own->listing = (sn_listing *)((char *)parameter + parameters);
    char *room = (char *)own->listing + listing;
    own->table = *table;
    own->table.parameter = parameter;
    own->table.name = copy_word(table->name, &room);
    own->table.text = copy_word(table->text, &room);
    own->law = *SN_BUILD(context, sn_own_law);
    own->law.name = own->table.name, own->law.text = own->table.text;
    own->law.table = &own->table;
    own->law.parameter = parameter, own->law.parameter_count = table->parameter_count;
    if (table->needs_positive_volume) own->law.flags |= SN_LAW_POSITIVE_J;
    for (int i = 0; i < table->parameter_count; ++i) {
        parameter[i] = table->parameter[i];
        parameter[i].name = copy_word(table->parameter[i].name, &room);
        parameter[i].unit = copy_word(table->parameter[i].unit, &room);
        parameter[i].text = copy_word(table->parameter[i].text, &room);
        own->law.constant_count += parameter[i].count_max;
    }
    memcpy(own->listing, before, (size_t)known * sizeof *before);
    own->listing[known] = (sn_listing){own->table.name, own->table.text};
    ++own->law.constant_count; /* the factor of the whole law */
    own->listing_count = known + 1;
    own->next = context->laws;
    context->laws = own;
    return SN_OK;
}
