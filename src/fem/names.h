/* The names of all laws, rotations and elements with their one line of text: one table for the kernels' tables and for
 * the public lists. A new block is one file (of laws and rotations in kernel/) and one entry here: its name and text,
 * and its place in the list. */
#ifndef SN_FEM_NAMES_H
#define SN_FEM_NAMES_H

#define SN_LAWS(X)                                                                                                     \
    X(linear)                                                                                                          \
    X(corotated)                                                                                                       \
    X(corrected_corotated)                                                                                             \
    X(hybrid_strain)                                                                                                   \
    X(corotated_updated)                                                                                               \
    X(stvk)                                                                                                            \
    X(stvk_volume)                                                                                                     \
    X(neo_hookean)                                                                                                     \
    X(stable_neo_hookean)                                                                                              \
    X(mooney_rivlin)                                                                                                   \
    X(ogden)                                                                                                           \
    X(reduced_polynomial)                                                                                              \
    X(ciarlet)                                                                                                         \
    X(orthotropic)                                                                                                     \
    X(orthotropic_green)                                                                                               \
    X(cloth_stvk)                                                                                                      \
    X(cloth_orthotropic)                                                                                               \
    X(cloth_baraff_witkin)                                                                                             \
    X(cloth_particles)

#define SN_LAW_linear "linear", "Hooke's law on the linear strain, for small displacements"
#define SN_LAW_corotated "corotated", "Hooke's law on the strain that remains when the element's rotation is taken out"
#define SN_LAW_corrected_corotated                                                                                     \
    "corrected-corotated", "corotated shape term with the nonlinear volume term (J - 1)^2"
#define SN_LAW_hybrid_strain "hybrid-strain", "corotated shear with the pressure of Green's strain"
#define SN_LAW_corotated_updated                                                                                       \
    "corotated-updated",                                                                                               \
        "corotated with the gradients of the present shape: its elements add no torque, with any rotation"
#define SN_LAW_stvk "stvk", "Saint Venant-Kirchhoff: Hooke's law on Green's strain"
#define SN_LAW_stvk_volume                                                                                             \
    "stvk-volume", "stvk with a penalty on the change of volume, so that nothing rests inside out"
#define SN_LAW_neo_hookean "neo-hookean", "compressible neo-Hookean with ln J"
#define SN_LAW_stable_neo_hookean "stable-neo-hookean", "neo-Hookean that stays finite under inversion and collapse"
#define SN_LAW_mooney_rivlin                                                                                           \
    "mooney-rivlin", "first and second isochoric invariant and a volume term; without c01 the isochoric neo-Hookean"
#define SN_LAW_ogden "ogden", "powers of the isochoric stretches and a volume term"
#define SN_LAW_reduced_polynomial                                                                                      \
    "reduced-polynomial", "powers of the first isochoric invariant and a volume term (Yeoh)"
#define SN_LAW_ciarlet "ciarlet", "Ciarlet-Geymonat: tr C, tr C^2, tr cof C, J^2 and ln J"
#define SN_LAW_orthotropic                                                                                             \
    "orthotropic", "three moduli, ratios and shear moduli along material axes, on the corotated strain"
#define SN_LAW_orthotropic_green "orthotropic-green", "the same on Green's strain"
#define SN_LAW_cloth_stvk "cloth-stvk", "cloth, isotropic: Hooke's law in plane stress on Green's strain"
#define SN_LAW_cloth_orthotropic                                                                                       \
    "cloth-orthotropic", "woven cloth: moduli along warp and weft, a ratio and a shear modulus, on Green's strain"
#define SN_LAW_cloth_baraff_witkin                                                                                     \
    "cloth-baraff-witkin", "woven cloth: springs against the stretch of warp and weft and against their shear"

#define SN_LAW_cloth_particles                                                                                         \
    "cloth-particles", "woven cloth by finite differences on a grid of particles: element particles"

/* The first is the default. */
#define SN_ROTATIONS(X)                                                                                                \
    X(polar)                                                                                                           \
    X(higham)                                                                                                          \
    X(qr)                                                                                                              \
    X(edge)                                                                                                            \
    X(mean_edge)                                                                                                       \
    X(isvd)                                                                                                            \
    X(csvd)                                                                                                            \
    X(pd_qr)                                                                                                           \
    X(project)                                                                                                         \
    X(reflect)                                                                                                         \
    X(dapd)                                                                                                            \
    X(dapd_exact)

#define SN_ROTATION_polar "polar", "the nearest proper rotation, for every matrix: singular, inverted, tiny or huge"
#define SN_ROTATION_higham "higham", "plain polar decomposition: follows the sign of det F, a reflection when inverted"
#define SN_ROTATION_qr "qr", "Gram-Schmidt on the edges: cheap and proper, prefers the first axis"
#define SN_ROTATION_edge "edge", "a frame on two edges of the element (Nesme): cheap and proper, prefers the first edge"
#define SN_ROTATION_mean_edge                                                                                          \
    "mean-edge", "a frame on the mean of three edges and on one of them (Mueller's, one per element)"
#define SN_ROTATION_isvd "isvd", "invertible singular value decomposition: inversion along the shortest axis"
#define SN_ROTATION_csvd "csvd", "as isvd, but an inverted element keeps the axis along which it collapsed"
#define SN_ROTATION_pd_qr "pd-qr", "polar while det F is at least 0.06, qr below"
#define SN_ROTATION_project "project", "polar of the element moved back to where it collapsed"
#define SN_ROTATION_reflect "reflect", "polar of the element mirrored at where it collapsed"
#define SN_ROTATION_dapd                                                                                               \
    "dapd", "degeneration-aware polar decomposition: no turn beyond the collapse, smooth; alpha and beta"
#define SN_ROTATION_dapd_exact                                                                                         \
    "dapd-exact", "dapd with the exact stress, the gradient of the energy also in degenerate elements: dearer"

/* The first is the default. */
#define SN_ELEMENTS(X)                                                                                                 \
    X(tet4)                                                                                                            \
    X(tet4_smooth)                                                                                                     \
    X(tet10)                                                                                                           \
    X(tet10_high)                                                                                                      \
    X(tet10_reduced)                                                                                                   \
    X(tri3)                                                                                                            \
    X(cloth)                                                                                                           \
    X(particles)                                                                                                       \
    X(springs)

#define SN_ELEMENT_tet4 "tet4", "linear tet, one point"
#define SN_ELEMENT_tet4_smooth "tet4-smooth", "linear tet for nearly incompressible solids: the volume counts per node"
#define SN_ELEMENT_tet10 "tet10", "quadratic tet, 4 points (degree 2)"
#define SN_ELEMENT_tet10_high "tet10-high", "quadratic tet, 14 points (degree 5)"
#define SN_ELEMENT_tet10_reduced                                                                                       \
    "tet10-reduced", "quadratic tet for nearly incompressible solids: the volume counts once per element"
#define SN_ELEMENT_tri3 "tri3", "plane linear triangle (plane strain)"
#define SN_ELEMENT_cloth "cloth", "linear triangle in space, for cloth: a membrane with hinges on its edges"
#define SN_ELEMENT_particles "particles", "a grid of particles for cloth: edges, corners and second differences"
#define SN_ELEMENT_springs "springs", "a spring and a damper along every edge of the tets"

#endif
