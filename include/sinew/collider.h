/* Colliders: shapes that the bodies touch and cannot enter.
 *
 *     sn_collider ball = sn_collider_default();
 *     snprintf(ball.shape, sizeof ball.shape, "sphere");
 *     sn_collider_set(&ball, "radius", &radius, 1, &error);
 *
 * A shape is a name with parameters. The scene file, these functions and the documentation read the same tables:
 * sn_shapes lists the names, and sn_shape_parameters lists the parameters of one shape. SI units. */
#ifndef SINEW_COLLIDER_H
#define SINEW_COLLIDER_H

#include <stdbool.h>

#include "material.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes ---- */

/* The meaning of a parameter's numbers. It decides how they change when the collider moves and turns. */
typedef enum sn_shape_role {
    SN_ROLE_NUMBER,    /* one number or several; they stay as they are */
    SN_ROLE_PLACE,     /* a point, m: it moves and turns with the collider */
    SN_ROLE_DIRECTION, /* a vector of any length but zero: it turns with the collider */
    SN_ROLE_TURN       /* an axis x, y, z (any length but zero) and an angle in degrees */
} sn_shape_role;

typedef struct sn_shape_parameter {
    const char *name; /* the key in a scene */
    const char *also; /* another key for the same parameter; NULL: none */
    sn_shape_role role;
    int count;               /* how many numbers the parameter has, 1 to 4 */
    double low, high;        /* allowed range of each number; -1e300 and 1e300 mean no bound */
    bool low_open;           /* `low` itself is not allowed */
    bool required;           /* the parameter has no default and must be given */
    double value[4];         /* default: `count` numbers */
    const char *unit, *text; /* unit of the numbers, "" without one; one line about the parameter */
} sn_shape_parameter;

/* The shapes. `count` may be NULL. */
SN_API const sn_listing *sn_shapes(int *count);

/* The parameters of a shape. `count` may be NULL. Returns NULL and a count of 0 when there is no such shape. */
SN_API const sn_shape_parameter *sn_shape_parameters(const char *shape, int *count);

/* ---- Colliders ---- */

enum { SN_COLLIDER_VALUES = 8 };

/* How a collider turns about an axis. */
typedef struct sn_collider_turn {
    double axis[3];  /* any length but zero; default 0, 1, 0 */
    double point[3]; /* a point on the axis, m; default 0, 0, 0. It moves with the collider's `key` */
    bool has_point;  /* false (default): the axis goes through the centre of the shape, and `point` is not used */
    const double
        *key;      /* key_count x 2: time in s (ascending) and angle in degrees, linear between keys; NULL: no turn */
    int key_count; /* at least 0; default 0 */
} sn_collider_turn;

/* Response "spring-damper": a node at depth d inside, with the speed u relative to the surface, feels the force
 * stiffness d - damping u along the normal and -drag d u along the surface. */
typedef struct sn_collider_spring {
    double stiffness; /* N/m on each node, above 0; default 1e4 */
    double damping;   /* N s/m on each node, at least 0; default 0 */
    double drag;      /* N s/m^2 on each node, at least 0; default 0 */
} sn_collider_spring;

/* sn_world_create and sn_world_add_collider copy a collider with its keys, its mesh and its heights. */
typedef struct sn_collider {
    uint32_t cookie; /* set by sn_collider_default(); a struct without it is refused */
    char shape[32];  /* a name of sn_shapes(); default "plane" */
    int value_count; /* used places of `value`, 0 to SN_COLLIDER_VALUES; default 0 */

    /* The parameters that were set with sn_collider_set. All others have their defaults. `key` of a constant is not
     * used. */
    sn_constant value[SN_COLLIDER_VALUES];

    const sn_mesh *mesh; /* shape "mesh": its surface is the collider. NULL (default) for all other shapes */
    /* Shape "heightfield": rows x columns heights in m, row by row; a row runs along x, and the rows follow each other
     * along z. At least 2 x 2, finite. NULL (default) for all other shapes */
    const double *height;
    int rows, columns;
    bool inside;       /* keep the bodies inside of the shape; default false. Not for planes and sheets */
    double friction;   /* Coulomb's coefficient, at least 0; default 0 */
    char response[32]; /* a name of sn_responses(); default "penalty" */

    /* Response "penalty": pressure per depth, Pa/m, at least 0. 0 (default): from the stiffness, size and weight of the
     * bodies. */
    double stiffness;

    double damping; /* response "penalty": part of the critical damping of a contact, at least 0; default 0.1 */

    sn_collider_spring spring; /* response "spring-damper" */

    /* The path: key_count x 4: time in s (ascending) and the offset x, y, z in m, linear between keys. NULL (default):
     * the collider does not move. */
    const double *key;
    int key_count; /* at least 0; default 0 */

    sn_collider_turn turn;
} sn_collider;

/* A level plane through the origin: its normal is 0, 1, 0. */
SN_API sn_collider sn_collider_default(void);

/* The half-space below a plane. `point` (m) is on the plane; `normal` (any length but zero) points to the bodies'
 * side. */
SN_API sn_collider sn_collider_plane(const double point[3], const double normal[3]);

/* A ball: centre and radius (above 0) in m. */
SN_API sn_collider sn_collider_sphere(const double center[3], double radius);

/* Sets the parameter `name` of the collider's shape to `count` numbers, which are copied. SN_BAD_INPUT when the shape
 * or the parameter is unknown, or when `count` is not the count of the parameter. sn_collider_check tests the range. */
SN_API sn_status sn_collider_set(sn_collider *collider, const char *name, const double *value, int count,
                                 sn_error *error);

/* The numbers of a parameter: those that were set, or the defaults. NULL when the shape has no such parameter, or when
 * a required parameter was not set. Valid until the collider changes. */
SN_API const double *sn_collider_get(const sn_collider *collider, const char *name);

/* Checks shape, parameters, friction, stiffness, damping, response and keys without building anything. SN_BAD_INPUT
 * when one is wrong. */
SN_API sn_status sn_collider_check(const sn_collider *collider, sn_error *error);

/* The responses: how a collider acts on nodes that touch it. */
SN_API const sn_listing *sn_responses(int *count);

/* ---- Drawing ---- */

/* The surface of a collider for display, at its place before any motion. */
typedef struct sn_drawing {
    sn_context *context; /* outlives the drawing */
    bool endless;        /* the collider is an endless plane: one vertex with its normal and no triangle */
    bool inside;         /* the bodies are inside: draw the surface so that one sees through it */
    int vertex_count;
    double *position; /* vertex_count x 3, m */
    double *normal;   /* vertex_count x 3, unit length, outward */
    int triangle_count;
    int32_t *triangle; /* triangle_count x 3 indices of vertices, counter-clockwise seen from outside */
} sn_drawing;

SN_API void sn_drawing_destroy(sn_drawing *drawing); /* with its arrays; NULL does nothing */

#ifdef __cplusplus
}
#endif
#endif
