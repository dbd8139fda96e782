/* The half-space below a plane: gap = x . n. The centre of the shape is the given point of the plane. */
#include "base/math3.h"
#include "shape.h"

typedef struct plane {
    double n[3];
} plane;

static const sn_shape_parameter parameters[] = {
    {"point", NULL, SN_ROLE_PLACE, 3, -1e300, 1e300, false, false, {0, 0, 0}, "m", "a point of the plane"},
    {"normal",
     NULL,
     SN_ROLE_DIRECTION,
     3,
     -1e300,
     1e300,
     false,
     false,
     {0, 1, 0},
     "",
     "to the side where the bodies are; any length"},
};

static sn_status check(const sn_collider *collider, sn_error *error) {
    return collider->inside ? sn_fail_at(error, SN_BAD_INPUT, "inside", "a plane has no inside; turn its normal round")
                            : SN_OK;
}

static sn_status create(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error) {
    (void)context, (void)error;
    plane *p = data;
    const double *point = sn_collider_get(collider, "point"), *normal = sn_collider_get(collider, "normal"),
                 length = sn_norm3(normal);
    for (int a = 0; a < 3; ++a) centre[a] = point[a], p->n[a] = normal[a] / length;
    return SN_OK;
}

static double gap(const void *data, const double x[3], double n[3], sn_bend *bend) {
    const plane *p = data;
    double distance = 0;
    for (int a = 0; a < 3; ++a) {
        n[a] = p->n[a];
        distance += x[a] * n[a];
    }
    if (bend) bend->curvature = 0;
    return distance;
}

static sn_status draw(const void *data, sn_drawing *drawing, sn_error *error) {
    const plane *p = data;
    drawing->endless = true;
    const sn_status status = sn_drawing_room(drawing, 1, 0, error);
    for (int a = 0; a < 3 && !status; ++a) drawing->position[a] = 0, drawing->normal[a] = p->n[a];
    return status;
}

const sn_shape sn_shape_plane = {.parameter = parameters,
                                 .parameter_count = 2,
                                 .size = sizeof(plane),
                                 .check = check,
                                 .create = create,
                                 .gap = gap,
                                 .draw = draw};

sn_collider sn_collider_plane(const double point[3], const double normal[3]) {
    sn_collider collider = sn_collider_default();
    sn_collider_set(&collider, "point", point, 3, NULL);
    sn_collider_set(&collider, "normal", normal, 3, NULL);
    return collider;
}
