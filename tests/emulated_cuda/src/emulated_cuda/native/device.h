/* What kernels, the driver, the runtime and the scheduler of threads share. */
#ifndef DEVICE_H
#define DEVICE_H
#include <stddef.h>
#include <stdint.h>

struct block;

/* A thread of a kernel. Kernels read the first part; the second is the scheduler's. */
struct thread {
    uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
    uint32_t index, threads, dynamic_shared;
    uint64_t shared, loaded, stored;
    struct block *block;
    void *stack;
    int state;
    uint32_t mask;
    uint64_t deposit;
};

/* A kernel: what the driver's handle of a function points to. */
struct kernel {
    char *name;
    void (*entry)(struct thread *, char **, char **);
    uint32_t static_shared;
    int together;
    const uint32_t *parameters; /* how many, and the size of each */
};

/* What the process has asked of the device. The order is that of `Traffic` in traffic.py. */
struct counts {
    uint64_t launches, loaded, stored, fetched, written;
    uint64_t host_to_device, device_to_host, device_to_device, waits, allocations, copied, filled;
};

extern struct counts emulated_counts;

enum { SHARED_BYTES = 256 << 10, LOCAL_BYTES = 256 << 10, MAX_THREADS = 1024 };

int emulated_launch(struct kernel *, const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared, char **params);
int emulated_record_bytes(void *to, const void *from, int value, size_t size);
int emulated_record(struct kernel *, const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared, char **params);
void emulated_complain(const char *format, ...);
extern char emulated_complaint[2048];
extern void *emulated_captured; /* the stream whose launches are recorded; none if 0 */
extern char *emulated_shared;

/* What launches read and write of memory, sector by sector. */
extern int emulated_tracing;
void emulated_touch(uint64_t address, uint32_t size, int direction);
uint64_t emulated_moved(int direction);
void emulated_next_launch(void);

/* Called by kernels. */
void fail(struct thread *, const char *why);
void wait_block(struct thread *);
void wait_warp(struct thread *, uint32_t mask);
uint32_t count_block(struct thread *, int predicate);
uint32_t live_warp(struct thread *);
uint32_t vote_warp(struct thread *, uint32_t mask, int predicate);
uint32_t shuffle_up(struct thread *, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, int *found);
uint32_t shuffle_down(struct thread *, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, int *found);
uint32_t shuffle_bfly(struct thread *, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, int *found);
uint32_t shuffle_idx(struct thread *, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, int *found);
#endif
