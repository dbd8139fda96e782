/* The names of all laws and rotations with their one line of text: one table for the kernels' tables and for the public lists.
 * A new block is one file in kernel/ and one entry here: its name and text, and its place in the list. */
#ifndef SN_FEM_NAMES_H
#define SN_FEM_NAMES_H

#define SN_LAWS(X)                                                                                                                         \
    X(linear)                                                                                                                              \
    X(corotated)

#define SN_LAW_linear "linear", "Hooke's law on the linear strain, for small displacements"
#define SN_LAW_corotated "corotated", "Hooke's law on the strain that remains when the element's rotation is taken out"

/* The first is the default. */
#define SN_ROTATIONS(X)                                                                                                                    \
    X(polar)                                                                                                                               \
    X(higham)                                                                                                                              \
    X(qr)                                                                                                                                  \
    X(isvd)

#define SN_ROTATION_polar "polar", "the nearest proper rotation, for every matrix: singular, inverted, tiny or huge"
#define SN_ROTATION_higham "higham", "plain polar decomposition: follows the sign of det F, a reflection when inverted"
#define SN_ROTATION_qr "qr", "Gram-Schmidt on the edges: cheap and proper, prefers the first axis"
#define SN_ROTATION_isvd "isvd", "invertible singular value decomposition: inversion along the shortest axis"

#endif
