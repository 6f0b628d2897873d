/* How many people there are, with noise for epsilon = 1. Speaks the protocol of docs/protocol.md.
 *
 *     cc -O2 -o release release.c -lm
 *     dp-audit run audits.toml
 *
 * The noise is a random sign times a geometric number. That looks two-sided, but zero comes up in two ways, +0 and -0,
 * and so twice too often: epsilon is 1 + ln 2. `release fixed` draws -0 anew. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static double uniform(void) { /* splitmix64: strictly between 0 and 1 */
    uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static long noise(int fixed) {
    for (;;) {
        long size = (long)floor(-log(uniform())); /* k with probability (1 - 1/e) e^-k */
        int negative = uniform() < 0.5;
        if (!(fixed && negative && size == 0)) return negative ? -size : size;
    }
}

int main(int argc, char **argv) {
    int fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) { /* {"dataset": ["ann", "bob"], "n": 1000, "seed": 123} */
        char *end = strchr(line, ']'), *n = strstr(line, "\"n\": "), *seed = strstr(line, "\"seed\": ");
        if (!end || !n || !seed) return 1;
        long people = 0;
        for (char *each = strchr(line, '['); each < end; each++) people += *each == '"';
        state = strtoull(seed + 8, NULL, 10);
        printf("{\"outputs\": [");
        for (long i = 0, count = strtol(n + 5, NULL, 10); i < count; i++)
            printf(i ? ", %ld" : "%ld", people / 2 + noise(fixed));
        puts("]}");
        fflush(stdout);
    }
    free(line);
    return 0;
}
