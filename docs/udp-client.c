/* A driver for the device "udp": moves the tool down and up, and prints the force (docs/haptics.md).
 * cc udp-client.c -lm; ./a.out [PORT [PACKETS]] beside `sinew run SCENE --realtime`. */
#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct packet {
    char mark[4]; /* "SNHP" to Sinew, "SNHF" back */
    uint32_t number;
    double vector[3]; /* m, or N */
    uint32_t button, zero;
};

int main(int count, char **word) {
    const int packets = count > 2 ? atoi(word[2]) : 10000;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(count > 1 ? atoi(word[1]) : 4711))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int channel = socket(AF_INET, SOCK_DGRAM, 0);
    if (channel < 0 || connect(channel, (struct sockaddr *)&to, sizeof to)) return 1;
    int answers = 0;
    for (int i = 1; i <= packets; ++i, usleep(1000)) { /* a real driver sleeps until the device has a new place */
        struct packet p = {{'S', 'N', 'H', 'P'}, (uint32_t)i, {0, 0.1 + 0.02 * cos(0.003 * i), 0}, 0, 0}, back;
        (void)!send(channel, &p, sizeof p, 0);
        while (recv(channel, &back, sizeof back, MSG_DONTWAIT) == sizeof back && ++answers % 100 == 0)
            printf("%u: %g %g %g N\n", back.number, back.vector[0], back.vector[1], back.vector[2]);
    }
    close(channel);
    return answers == 0;
}
