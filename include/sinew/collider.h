/* Colliders: the shapes that the bodies meet.
 *
 *     sn_collider ball = sn_collider_default();
 *     snprintf(ball.shape, sizeof ball.shape, "sphere");
 *     sn_collider_set(&ball, "radius", &radius, 1, &error);
 *
 * A shape is a name with parameters. The scene file, these functions and the documentation read the same tables: sn_shapes lists the
 * names, sn_shape_parameters lists the parameters of one. SI units. */
#ifndef SINEW_COLLIDER_H
#define SINEW_COLLIDER_H

#include <stdbool.h>

#include "material.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes ---- */

/* What the numbers of a parameter are: this decides how they move with the collider. */
typedef enum sn_shape_role {
    SN_ROLE_NUMBER,    /* one number, or several that stay as they are */
    SN_ROLE_PLACE,     /* a point, m */
    SN_ROLE_DIRECTION, /* a vector of any length but zero */
    SN_ROLE_TURN       /* axis x, y, z (any length but zero) and degrees */
} sn_shape_role;

typedef struct sn_shape_parameter {
    const char *name; /* as the scene says it */
    const char *also; /* another name of it in scenes; NULL: none */
    sn_shape_role role;
    int count;        /* how many numbers */
    double low, high; /* allowed range of each number; +-1e300: no bound */
    bool low_open;    /* low itself is not allowed */
    bool required;    /* there is no default */
    double value[4];  /* default */
    const char *unit, *text;
} sn_shape_parameter;

SN_API const sn_listing *sn_shapes(int *count);
/* NULL and a count of 0 when there is no such shape. */
SN_API const sn_shape_parameter *sn_shape_parameters(const char *shape, int *count);

/* ---- Colliders ---- */

enum { SN_COLLIDER_VALUES = 8 };

/* How a collider turns about an axis. */
typedef struct sn_collider_turn {
    double axis[3];    /* any length but zero; default 0, 1, 0 */
    double point[3];   /* on the axis, m. The point moves with the collider's `key` */
    bool has_point;    /* false (default): the axis goes through the shape's own centre */
    const double *key; /* key_count x 2: ascending time in s, degrees; linear between. NULL: it does not turn */
    int key_count;
} sn_collider_turn;

typedef struct sn_collider {
    uint32_t cookie; /* set by sn_collider_default(); a struct without it is refused */
    char shape[32];  /* a name of sn_shapes(); default "plane" */
    int value_count;
    sn_constant value[SN_COLLIDER_VALUES]; /* the shape's parameters, by sn_collider_set; the others have their defaults. Keys of a
                                              constant are not used */
    const sn_mesh *mesh;                   /* shape "mesh": its surface, copied at creation; NULL for the other shapes */
    bool inside;                           /* keep the bodies inside of the shape; default false. Not for planes and sheets */
    double friction;                       /* Coulomb, at least 0; default 0 */
    char response[32];                     /* a name of sn_responses(); default "penalty" */
    double stiffness;                      /* Pa/m of penalty per area; 0 (default): from the bodies' stiffness and size */
    double damping;                        /* ratio of critical at contact; default 0.1 */
    const double *key; /* key_count x 4: ascending time in s, x, y, z offset in m; linear between. NULL: it does not move */
    int key_count;
    sn_collider_turn turn;
} sn_collider;

/* A level plane through the origin. */
SN_API sn_collider sn_collider_default(void);
/* The half-space below a plane; a ball. */
SN_API sn_collider sn_collider_plane(const double point[3], const double normal[3]);
SN_API sn_collider sn_collider_sphere(const double center[3], double radius);

/* Sets a parameter of the collider's shape. */
SN_API sn_status sn_collider_set(sn_collider *collider, const char *name, const double *value, int count, sn_error *error);
/* The numbers of a parameter, given or default; NULL when the shape has no such parameter, or it is required and missing. */
SN_API const double *sn_collider_get(const sn_collider *collider, const char *name);
/* Checks shape, parameters, friction, response and keys without building anything. */
SN_API sn_status sn_collider_check(const sn_collider *collider, sn_error *error);

SN_API const sn_listing *sn_responses(int *count);

/* ---- Drawing ---- */

/* A surface to draw, in the place that it has before anything moves. */
typedef struct sn_drawing {
    sn_context *context;
    bool endless; /* an endless plane: one vertex with its normal, no triangle */
    bool inside;  /* bodies are inside of it: draw it so that one sees through */
    int vertex_count;
    double *position; /* vertex_count x 3, m */
    double *normal;   /* vertex_count x 3, unit */
    int triangle_count;
    int32_t *triangle; /* triangle_count x 3, counter-clockwise seen from outside */
} sn_drawing;

SN_API void sn_drawing_destroy(sn_drawing *drawing);

#ifdef __cplusplus
}
#endif
#endif
