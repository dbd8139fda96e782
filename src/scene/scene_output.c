/* "output" of a scene: which steps are written, in which formats, and how a picture is taken. */
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define AT(member) offsetof(sn_output_options, member)
#define ANY -1e300, 1e300, 0, 0

static const sn_field fields[] = {
    {"every", SN_FIELD_INT, AT(every), 1, 0, 1e300, 0, 10, NULL, NULL, "",
     "write each N-th step; 0 writes only the end"},
    {"formats", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, "vtu", sn_output_formats, "",
     "a list of file formats for `--out`; [] writes none"},
    {"fields", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, "displacement, velocity, stress, von_mises", sn_output_fields, "",
     "a list of the fields that the files hold"},
    {"picture.width", SN_FIELD_INT, AT(picture.width), 1, 16, 8192, 0, 1280, NULL, NULL, "pixels",
     "width of the picture"},
    {"picture.height", SN_FIELD_INT, AT(picture.height), 1, 16, 8192, 0, 720, NULL, NULL, "pixels",
     "height of the picture"},
    {"picture.field", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, "von_mises", sn_picture_fields, "",
     "the field that gives the colours"},
    {"picture.low", SN_FIELD_DOUBLE, AT(picture.low), 1, ANY, NULL, NULL, "",
     "value of the first colour; taken from the data when `low` is `high`"},
    {"picture.high", SN_FIELD_DOUBLE, AT(picture.high), 1, ANY, NULL, NULL, "", "value of the last colour"},
    {"picture.azimuth", SN_FIELD_DOUBLE, AT(picture.azimuth), 1, -1e300, 1e300, 0, 30, NULL, NULL, "degrees",
     "of the camera about the body"},
    {"picture.elevation", SN_FIELD_DOUBLE, AT(picture.elevation), 1, -89, 89, 0, 20, NULL, NULL, "degrees",
     "of the camera above the ground"},
    {"picture.edges", SN_FIELD_BOOL, AT(picture.edges), 1, 0, 1, 0, 1, NULL, NULL, "",
     "draw the edges of the elements"},
};

const sn_field *sn_output_option_fields(int *count) {
    *count = COUNT(fields);
    return fields;
}

/* A list of names into an array of char[stride]. */
static sn_status read_names(const sn_place *place, const sn_listing *choice, int choices, char *name, int stride,
                            int most, int *count) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    if (sn_place_count(place) > most)
        return sn_place_fail(place, SN_BAD_INPUT, "has %d names; at most %d", sn_place_count(place), most);
    *count = sn_place_count(place);
    for (int i = 0; i < *count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        status = sn_read_name(&item, choice, choices, name + i * stride, stride);
    }
    return status;
}

/* Refuses a range of colours for a picture without colours. */
static sn_status check_range(const sn_place *picture, const sn_picture_options *options) {
    sn_place child;
    if (strcmp(options->field, "none") != 0) return SN_OK;
    for (int i = 0; i < 2; ++i)
        if (sn_place_get(picture, i ? "high" : "low", &child))
            return sn_place_fail(&child, SN_BAD_INPUT, "has no effect with the field 'none', which gives no colours");
    return SN_OK;
}

sn_status sn_scene_read_output(const sn_place *place, sn_output_options *options) {
    sn_place child, picture;
    int count;
    sn_status status = sn_read_fields(place, fields, COUNT(fields), options);
    if (!status && sn_place_get(place, "formats", &child)) {
        const sn_listing *choice = sn_output_formats(&count);
        status = read_names(&child, choice, count, options->formats[0], (int)sizeof *options->formats,
                            COUNT(options->formats), &options->format_count);
    }
    if (!status && sn_place_get(place, "fields", &child)) {
        const sn_listing *choice = sn_output_fields(&count);
        status = read_names(&child, choice, count, options->fields[0], (int)sizeof *options->fields,
                            COUNT(options->fields), &options->field_count);
    }
    const bool pictured = !status && sn_place_get(place, "picture", &picture);
    if (pictured && sn_place_get(&picture, "field", &child)) {
        const sn_listing *choice = sn_picture_fields(&count);
        status = sn_read_name(&child, choice, count, options->picture.field, (int)sizeof options->picture.field);
    }
    return status || !pictured ? status : check_range(&picture, &options->picture);
}
