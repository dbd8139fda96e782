/* The polynomials of ROCK2; see rock2.c. */
#ifndef SN_TIME_ROCK2_H
#define SN_TIME_ROCK2_H

enum { SN_ROCK2_STAGES = 200 };

typedef struct sn_rock2_polynomial {
    int stages;
    double length; /* length of the stable part of the negative real axis */
    double mu[SN_ROCK2_STAGES], kappa[SN_ROCK2_STAGES], nu[SN_ROCK2_STAGES];
    double time[SN_ROCK2_STAGES]; /* time of g_j, in units of h */
    double sigma, tau;
} sn_rock2_polynomial;

int sn_rock2_entries(void);
/* The first polynomial that is stable down to -z; -1 when there is none. */
int sn_rock2_choose(double z);
sn_rock2_polynomial sn_rock2_make(int index);

#endif
