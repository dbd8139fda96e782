/* The list of devices, and their options. */
#include <string.h>

#include "base/cookie.h"
#include "base/words.h"
#include "device.h"

#define DEVICE(name, text) &sn_device_##name,
#define LISTING(name, text) {#name, text},
static const sn_device_kind *const kinds[] = {SN_DEVICES(DEVICE)};
enum { KINDS = sizeof kinds / sizeof *kinds };

const sn_device_kind *sn_device_find(const char *name) {
    for (int i = 0; i < KINDS; ++i)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

const sn_listing *sn_devices(int *count) {
    static const sn_listing listing[] = {SN_DEVICES(LISTING)};
    *count = KINDS;
    return listing;
}

#define AT(member) offsetof(sn_device_options, member)
static const sn_field fields[] = {
    {"recorded.file", SN_FIELD_TEXT, AT(file), sizeof((sn_device_options *)0)->file, 0, 0, 0, 0, NULL, NULL, "",
     "a CSV file whose first line names the columns t, x, y, z and perhaps button; beside the scene"},
    {"recorded.rows", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "s, m",
     "the path itself, instead of `file`: rows of t, x, y, z and perhaps the button, 0 or 1"},
    {"udp.port", SN_FIELD_INT, AT(port), 1, 1, 65535, 0, 4711, NULL, NULL, "",
     "of the loopback address, where a driver sends its packets"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

const sn_field *sn_device_fields(int *count) {
    *count = FIELDS;
    return fields;
}

sn_device_options sn_device_options_default(void) {
    sn_device_options options = {.cookie = SN_COOKIE, .kind = "mouse"};
    sn_fields_default(fields, FIELDS, &options);
    return options;
}

sn_device_table sn_device_table_default(void) { return (sn_device_table){.cookie = SN_COOKIE, .name = "own"}; }

sn_status sn_device_options_check(const sn_device_options *options, sn_error *error) {
    sn_status status = sn_cookie_check(options->cookie, "sn_device_options", error);
    if (status) return status;
    if (!sn_device_find(options->kind)) {
        char text[300] = "kind is unknown";
        int count;
        const sn_listing *listing = sn_devices(&count);
        sn_suggest(text, (int)sizeof text, options->kind, listing, count, (int)sizeof *listing);
        return sn_fail_at(error, SN_BAD_INPUT, "kind", "'%.31s': %s", options->kind, text);
    }
    status = sn_fields_check(fields, FIELDS, options, error);
    if (status) return status;
    const bool recorded = strcmp(options->kind, "recorded") == 0, udp = strcmp(options->kind, "udp") == 0;
    const bool rows = options->row_count != 0, file = options->file[0] != 0;
    if (recorded && rows == file)
        return sn_fail_at(error, SN_BAD_INPUT, "recorded", "a recorded path needs either rows or a file");
    if (!recorded && (rows || file))
        return sn_fail_at(error, SN_BAD_INPUT, rows ? "recorded.rows" : "recorded.file",
                          "%s has no effect: it belongs to 'recorded'", rows ? "row" : "file");
    if (!udp && options->port != 4711)
        return sn_fail_at(error, SN_BAD_INPUT, "udp.port", "port %d has no effect: it belongs to 'udp'", options->port);
    return rows ? sn_path_check(options->row, options->row_count, error) : SN_OK;
}
