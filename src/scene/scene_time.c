/* "time", "solver" and "output" of a scene. The first two follow the tables of their options. */
#include <stdio.h>
#include <string.h>

#include "linear/solver.h"
#include "scene_internal.h"
#include "time/options.h"

enum { NAMES = 32 };

/* Reads an object whose keys are a table's fields plus possibly one more. */
static sn_status read_table(const sn_place *place, const sn_field *field, int count, const char *more, void *options) {
    const char *name[NAMES];
    int names = 0;
    for (int i = 0; i < count && names < NAMES - 1; ++i) name[names++] = field[i].name;
    if (more) name[names++] = more;
    const sn_status status = sn_place_known(place, name, names, (int)sizeof *name);
    return status ? status : sn_read_fields(place, field, count, options);
}

sn_status sn_scene_read_time(const sn_place *place, sn_time_options *options) {
    int count;
    const sn_field *field = sn_time_fields(&count);
    sn_status status = read_table(place, field, count, "newton", options);
    sn_place newton;
    if (status || !sn_place_get(place, "newton", &newton)) return status;
    field = sn_newton_fields(&count);
    return read_table(&newton, field, count, NULL, &options->newton);
}

sn_status sn_scene_read_solver(const sn_place *place, sn_solver_options *options) {
    int count;
    const sn_field *field = sn_solver_fields(&count);
    return read_table(place, field, count, NULL, options);
}

/* A list of names into an array of char[stride]. */
static sn_status read_names(const sn_place *place, const sn_listing *choice, int choices, char *name, int stride, int most, int *count) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    if (sn_place_count(place) > most) return sn_place_fail(place, SN_BAD_INPUT, "has %d names; at most %d", sn_place_count(place), most);
    *count = sn_place_count(place);
    for (int i = 0; i < *count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        status = sn_read_name(&item, choice, choices, name + i * stride, stride);
    }
    return status;
}

static sn_status read_picture(const sn_place *place, sn_picture_options *picture) {
    static const char *const keys[] = {"width", "height", "field", "low", "high", "azimuth", "elevation", "edges"};
    static const sn_range elevation = {-89, 89, false, false, "degrees"};
    sn_place child;
    int fields;
    const sn_listing *field = sn_picture_fields(&fields);
    sn_status status = sn_place_known(place, keys, 8, (int)sizeof *keys);
    if (!status && sn_place_get(place, "width", &child)) status = sn_read_int(&child, 16, 8192, &picture->width);
    if (!status && sn_place_get(place, "height", &child)) status = sn_read_int(&child, 16, 8192, &picture->height);
    if (!status && sn_place_get(place, "field", &child))
        status = sn_read_name(&child, field, fields, picture->field, (int)sizeof picture->field);
    if (!status && sn_place_get(place, "low", &child)) status = sn_read_number(&child, &sn_any_number, &picture->low);
    if (!status && sn_place_get(place, "high", &child)) status = sn_read_number(&child, &sn_any_number, &picture->high);
    if (!status && sn_place_get(place, "azimuth", &child)) status = sn_read_number(&child, &sn_any_number, &picture->azimuth);
    if (!status && sn_place_get(place, "elevation", &child)) status = sn_read_number(&child, &elevation, &picture->elevation);
    if (!status && sn_place_get(place, "edges", &child)) status = sn_read_bool(&child, &picture->edges);
    return status;
}

sn_status sn_scene_read_output(const sn_place *place, sn_output_options *options) {
    static const char *const keys[] = {"every", "formats", "fields", "picture"};
    sn_place child;
    int count;
    sn_status status = sn_place_known(place, keys, 4, (int)sizeof *keys);
    if (!status && sn_place_get(place, "every", &child)) status = sn_read_int(&child, 0, INT32_MAX, &options->every);
    if (!status && sn_place_get(place, "formats", &child)) {
        const sn_listing *choice = sn_output_formats(&count);
        status = read_names(&child, choice, count, options->formats[0], (int)sizeof *options->formats,
                            (int)(sizeof options->formats / sizeof *options->formats), &options->format_count);
    }
    if (!status && sn_place_get(place, "fields", &child)) {
        const sn_listing *choice = sn_output_fields(&count);
        status = read_names(&child, choice, count, options->fields[0], (int)sizeof *options->fields,
                            (int)(sizeof options->fields / sizeof *options->fields), &options->field_count);
    }
    if (!status && sn_place_get(place, "picture", &child)) status = read_picture(&child, &options->picture);
    return status;
}
