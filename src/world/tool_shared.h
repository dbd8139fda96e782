/* What the servo and the simulation share of a tool. Two exchanges lie between them (tool_exchange.h): samples go from
 * the servo to the simulation, buffers from the simulation to the servo. Nothing else is read by both, except the count
 * of holders and the mark that the world is gone.
 *
 * The tool is in memory of its own, because it may outlive the world and its context. */
#ifndef SN_WORLD_TOOL_SHARED_H
#define SN_WORLD_TOOL_SHARED_H

#include "sinew/haptic.h"
#include "tool_exchange.h"
#include "tool_force.h"
#include "tool_proxy.h"

/* Where the tool is; from the servo. */
typedef struct sn_tool_sample {
    bool present, button;
    double position[3], velocity[3]; /* m; m/s, smoothed */
    double time;                     /* s */
    double scale;                    /* the part of the ramp, 0 to 1 */
    double epoch; /* counts how often the tool came or jumped: a buffer of another epoch belongs to another place */
} sn_tool_sample;

enum { SN_TOOL_PATCH = 32 }; /* triangles of a patch */

typedef enum sn_tool_buffer_kind {
    SN_TOOL_STILL_PLANE,
    SN_TOOL_PLANE,
    SN_TOOL_PATCHED,
    SN_TOOL_COMPLIANCE
} sn_tool_buffer_kind;

/* What the servo knows of the surface; from the simulation. */
typedef struct sn_tool_buffer {
    sn_tool_law law;
    double radius, ramp, jump;
    sn_tool_buffer_kind kind;
    sn_tool_sample sample; /* for which it was made */
    double time, interval; /* s: of the state; from one buffer to the next */
    bool near;             /* there is a surface; else there is no force */
    bool clamped;
    double point[3], velocity[3]; /* of the proxy, m and m/s */
    double normal[3];
    double side;       /* of the faces of the patch */
    double compliance; /* m/N: how far the proxy yields along the normal within a step */
    double force;      /* N: with which the tool pressed in the last step, along the normal */
    int count;         /* faces of the patch; neighbours are places in it */
    sn_tool_face face[SN_TOOL_PATCH];
    double speed[SN_TOOL_PATCH][3][3]; /* m/s: of the corners */
} sn_tool_buffer;

/* What the servo remembers from call to call. */
typedef struct sn_tool_servo {
    bool called, known;    /* was called once; `sample` is a place of the tool */
    sn_tool_sample sample; /* the last one */
    bool pressed;          /* the button */
    double depth;          /* m: of the last call, along the normal */
    /* A new buffer differs from the old one. The servo adds the difference at its arrival, which fades. */
    bool fades;
    double began, length; /* s */
    double missing_depth, missing_normal[3], missing_gap[3];
    int32_t face; /* of the patch */
} sn_tool_servo;

struct sn_tool {
    atomic_int holders;
    atomic_bool gone; /* the world was destroyed */
    sn_exchange samples, buffers;
    sn_tool_sample sample[SN_EXCHANGE_ITEMS];
    sn_tool_buffer buffer[SN_EXCHANGE_ITEMS];
    sn_tool_servo servo; /* the servo's own */
};

/* NULL: no memory. It has one holder. */
sn_tool *sn_tool_create(void);
/* How deep the tool was at the last call of sn_haptic_force (m); above 0 when it pressed. For the servo's thread. */
double sn_tool_depth(const sn_tool *tool);

#endif
