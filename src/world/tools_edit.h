/* Making and releasing tools; see tools_edit.c. */
#ifndef SN_WORLD_TOOLS_EDIT_H
#define SN_WORLD_TOOLS_EDIT_H

#include "tools.h"

/* Checks the options and adds a tool to the end of the list. On failure the list is as it was. */
sn_status sn_tools_append(const sn_world *world, sn_tools *own, const sn_tool_options *options, sn_error *error);
/* Tells the servo that the world no longer moves the tool, and lets it go. */
void sn_tool_item_release(const sn_world *world, sn_tool_item *item);
/* The tool of this name; -1: there is none. */
int sn_world_find_tool(const sn_world *world, const char *name);

#endif
