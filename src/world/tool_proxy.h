/* The proxy: the point of a surface that holds a tool.
 *
 * The nearest point of a faceted surface jumps: seen from inside, at the plane that halves the angle between two
 * facets. So the proxy is the foot of the interpolated normal, as in Phong shading (Kobbelt and others 1998): with the
 * unit normals n_i of the corners x_i of a triangle,
 *
 *   p = sum b_i x_i,   n = sum b_i n_i,   p - s n = q,   sum b_i = 1
 *
 * has a solution (b, s), which Newton's method finds. s |n| is how deep q is inside, negative outside. b and n do not
 * jump at the border of two triangles, because both have the same normals there. Where a b_i is negative, the search
 * goes on in the triangle behind that edge.
 *
 * Edges that are sharp in the rest shape have two normals, one for each side, and the search does not go across them in
 * this way. There the proxy is the nearest point, and n is the direction of the line between q and the proxy: it turns
 * gradually when the tool goes around an edge (Hauth 2004, 5.4.3).
 *
 * The search is local: it begins in a triangle and goes to neighbours. A tool that presses begins in the triangle of
 * the last step, so it never goes through a thin body to the other side, although that may be nearer (the god object of
 * Zilles and Salisbury 1995). */
#ifndef SN_WORLD_TOOL_PROXY_H
#define SN_WORLD_TOOL_PROXY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sn_tool_face {
    int32_t vertex[3];    /* numbers by which neighbours know their common corners */
    double x[3][3];       /* m: corners */
    double n[3][3];       /* unit normals of the corners, out of the body */
    int32_t neighbour[3]; /* the triangle behind the edge from corner k to k + 1; -1: none */
    bool sharp[3];        /* this edge is sharp, or a rim */
} sn_tool_face;

/* A surface, given by its triangles. */
typedef struct sn_tool_faces {
    /* Fills the face; without the normals if they are not wanted. */
    void (*face)(const void *data, int32_t triangle, bool normals, sn_tool_face *face);
    const void *data;
    double side; /* -1: the body is on the side to which the normals of the triangles point (cloth from behind) */
} sn_tool_faces;

typedef struct sn_tool_spot {
    int32_t triangle;
    double share[3];  /* barycentric */
    double point[3];  /* m: p */
    double normal[3]; /* of length 1, out of the body */
    double distance;  /* m: of q from the surface, negative inside */
} sn_tool_spot;

/* Finds the proxy of q from triangle `start` on. It looks at `most` triangles, and at those around them. */
void sn_tool_track(const sn_tool_faces *faces, int32_t start, const double q[3], int most, sn_tool_spot *spot);
/* The same, but the point is the nearest one. */
void sn_tool_descend(const sn_tool_faces *faces, int32_t start, const double q[3], int most, sn_tool_spot *spot);

/* The vector area of a triangle over the squares of its edges at corner k. Summed over the triangles at a vertex these
 * give its normal, which is exact when all of them lie on a sphere (Max 1999). */
void sn_tool_weigh_corner(const double *const x[3], int k, double out[3]);

#endif
