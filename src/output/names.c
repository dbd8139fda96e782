/* The names that scene files use for results. They stand apart from the writers, so that a build without files
 * (WebAssembly) reads the same scenes. */
#include "base/cookie.h"
#include "frame.h"

#define LISTING(name, table, text) {#name, text},
static const sn_listing formats[] = {SN_FRAME_FORMATS(LISTING)};

static const sn_listing fields[] = {{"displacement", "m, per node"},
                                    {"velocity", "m/s, per node"},
                                    {"contact_force", "of contacts with other bodies, N, per node"},
                                    {"stress", "Cauchy, Pa, per element"},
                                    {"von_mises", "Pa, per element"},
                                    {"energy_density", "J/m^3, per element"},
                                    {"volume_ratio", "J = det F, per element"},
                                    {"pressure", "minus a third of the trace of the stress, Pa, per element"}};

const sn_listing *sn_output_formats(int *count) {
    *count = (int)(sizeof formats / sizeof *formats);
    return formats;
}

const sn_listing *sn_output_fields(int *count) {
    *count = (int)(sizeof fields / sizeof *fields);
    return fields;
}

static const sn_listing picture_fields[] = {
    {"von_mises", "von Mises stress [Pa]"}, {"displacement", "displacement [m]"}, {"velocity", "speed [m/s]"},
    {"energy", "energy density [J/m^3]"},   {"pressure", "pressure [Pa]"},        {"level", "level of refinement"},
    {"none", "a plain colour per body"}};

const sn_listing *sn_picture_fields(int *count) {
    *count = (int)(sizeof picture_fields / sizeof *picture_fields);
    return picture_fields;
}

sn_picture_options sn_picture_options_default(void) {
    return (sn_picture_options){.cookie = SN_COOKIE,
                                .width = 1280,
                                .height = 720,
                                .field = "von_mises",
                                .azimuth = 30,
                                .elevation = 20,
                                .edges = true};
}

sn_output_options sn_output_options_default(void) {
    return (sn_output_options){.cookie = SN_COOKIE,
                               .every = 10,
                               .formats = {"vtu"},
                               .format_count = 1,
                               .fields = {"displacement", "velocity", "stress", "von_mises"},
                               .field_count = 4,
                               .picture = sn_picture_options_default()};
}
