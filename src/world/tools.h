/* The tools of a world (haptic.h): the data of the interaction "tools".
 *
 * At the begin of a step each tool takes its newest sample, finds its proxy on the surfaces at the state's positions,
 * and publishes a buffer for the servo (tools_meet.c). During the step the tool's place, the normal and the material
 * point of the proxy are constant, so the force is that of a spring between a place and a point of a body
 * (tool_force.h). With p = sum w_i x_i, the force on node i is -w_i times the force on the hand, and
 *
 *   K_ij = w_i w_j (s k n n^T + stick s k (I - n n^T)),   D_ij = w_i w_j s c n n^T
 *
 * Everything that the next step needs of a tool is in its numbers in the state. */
#ifndef SN_WORLD_TOOLS_H
#define SN_WORLD_TOOLS_H

#include "contact/box_tree.h"
#include "contact/touch_surface.h"
#include "interaction_kind.h"
#include "tool_shared.h"

/* The numbers of a tool in the state. Flags are 0 or 1. */
typedef struct sn_tool_numbers {
    double present, button, scale, epoch, time; /* the sample */
    double position[3], velocity[3];
    double near;                     /* a surface is within reach; the rest belongs to it */
    double touches, clamped, slips;  /* slips: friction is a constant force in this step */
    double body, triangle, share[3]; /* the material point: proxy, anchor of friction, or clamped point */
    double normal[3], side, radius;  /* radius: with half the thickness of cloth */
    double point[3], speed[3];       /* of the proxy at the state, m and m/s */
    double state_time, interval;     /* s */
    double friction[3];              /* N: on the hand, when it slips */
    double force, start, rise;       /* N: along the normal: at the end of the last step, at the begin of this one, and
                                        how much it rose in the last step */
    double compliance[9];            /* m/N: of the proxy within a step, without the tool's spring */
} sn_tool_numbers;
enum { SN_TOOL_NUMBERS = sizeof(sn_tool_numbers) / sizeof(double) };

typedef struct sn_tool_item {
    sn_tool_options options;
    int body; /* -1: all */
    sn_tool *shared;
    sn_tool_numbers now; /* those of the present step */
    int count, capacity; /* the nodes that carry the proxy */
    int32_t *node;
    double *weight;
    bool released; /* the one linear solve of a step found that the tool would pull */
    bool measured; /* the compliance of this step is known */
    double rigour; /* N/m: what the tool added to K along the normal */
} sn_tool_item;

/* The surface of a body that tools may touch. */
typedef struct sn_tool_ground {
    sn_touch_surface *surface; /* NULL: no tool touches this body */
    sn_box_tree *tree;
    uint8_t *sharp; /* per triangle: bit k is set when edge k is sharp, or a rim */
    bool sheet;     /* both sides are outside */
} sn_tool_ground;

typedef struct sn_tools {
    int count, capacity;
    sn_tool_item *item;
    sn_tool_ground *ground; /* bodies; NULL: there are no tools */
    double *solution;       /* 3 per node; NULL: no tool measures the compliance */
    int64_t step;           /* for which the tools have met the surfaces; -1: none */
} sn_tools;

sn_tools *sn_world_tools(const sn_world *world);

/* ---- tools_meet.c ---- */
/* Makes the surface of a body, unless it is there. */
sn_status sn_tools_ground(const sn_world *world, sn_tools *own, int body, sn_error *error);
void sn_tools_ground_release(const sn_context *context, sn_tool_ground *ground);
/* A step begins at (t, x, v): takes the sample, finds the proxy, publishes the buffer. v NULL: nothing moves. */
void sn_tools_meet(const sn_world *world, sn_tools *own, sn_tool_item *item, double t, const double *x,
                   const double *v);
/* Takes numbers of the state, after a restoration. Numbers that cannot be count as a tool that is not there. */
void sn_tools_recall(const sn_world *world, sn_tools *own, sn_tool_item *item, const sn_tool_numbers *numbers);
/* Publishes a buffer of the present numbers, without a patch unless x is given. */
void sn_tools_publish(const sn_tools *own, sn_tool_item *item, const double *x, const double *v);

/* ---- tools.c ---- */
/* The force on the hand at (x, v). */
void sn_tool_hand_force(const sn_tool_item *item, const double *x, const double *v, double force[3]);

#endif
