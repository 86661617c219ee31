/* Which parts of global memory a launch reads and writes: sectors of 32 bytes, each counted once, as if a cache held all of them
   while a kernel runs. That is what a device's memory has to move at least; a program's time on large arrays follows it.
   It is counted inside `traffic` only, because it takes ten times as long as a load. */
#include "device.h"
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 5, SLOTS = 1 << 23 }; /* a table of 64 MB, for launches that touch less than a quarter of a gigabyte */

int emulated_tracing;
static uint64_t *seen; /* sector, direction and launch in one word */
static uint64_t launch = 1;
static uint64_t touched[2];

static void note(uint64_t sector, int direction) {
    uint64_t key = (sector << 1 | (uint64_t)direction) << 16 | launch;
    for (uint64_t k = key * 0x9E3779B97F4A7C15u >> 41, tries = 0; tries < 64; k = (k + 1) & (SLOTS - 1), tries++) {
        if (seen[k] == key) return;
        if ((seen[k] & 0xffff) == launch) continue; /* another sector of this launch */
        seen[k] = key;
        touched[direction]++;
        return;
    }
    touched[direction]++; /* the table is full here: it counts as not seen before */
}

void emulated_touch(uint64_t address, uint32_t size, int direction) {
    if (!seen) seen = calloc(SLOTS, sizeof *seen);
    for (uint64_t sector = address >> SECTOR; sector <= (address + size - 1) >> SECTOR; sector++) note(sector, direction);
}

/* The bytes that the launch which ends here has moved in this direction, 0 in, 1 out. */
uint64_t emulated_moved(int direction) {
    uint64_t bytes = touched[direction] << SECTOR;
    touched[direction] = 0;
    return bytes;
}

void emulated_next_launch(void) {
    if (++launch == 1 << 16) launch = 1, seen ? memset(seen, 0, SLOTS * sizeof *seen) : 0;
}
