/* Runs the threads of a kernel.

   Where no thread waits for another, one runs after the other on one stack. Otherwise each thread of a block has a stack of its
   own and runs until it waits; when all whom it waits for have come, they go on. Blocks run one after the other.
   Exited threads are not waited for, as on devices of compute capability 7 and later. */
#define _GNU_SOURCE
#include "device.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { READY, AT_BLOCK, AT_WARP, DONE };

struct block {
    struct thread thread[MAX_THREADS];
    void *scheduler;
    struct thread *running;
    struct kernel *kernel;
    char **params;
    uint32_t threads;
    uint32_t count[DONE + 1]; /* of threads, by state */
    int failed;
};

struct counts emulated_counts;
char emulated_complaint[2048];
char *emulated_shared;
uint64_t emulated_local_begin, emulated_local_end;
static struct block block;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* the host may launch from several threads */

void emulated_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(emulated_complaint, sizeof emulated_complaint, format, arguments);
    va_end(arguments);
}

/* Save what a call must preserve, exchange stacks, and return where the other one had called. */
void exchange_stacks(void **save, void *next);
__asm__(".text\n"
        "exchange_stacks:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
        "  ret\n");

static void become(struct thread *t, int state) {
    block.count[t->state]--, block.count[state]++;
    t->state = state;
}

static void yield(struct thread *t, int state) {
    become(t, state);
    exchange_stacks(&t->stack, block.scheduler);
}

void fail(struct thread *t, const char *why) {
    emulated_complain("%s, thread (%u, %u, %u) of block (%u, %u, %u): %s", block.kernel->name, t->tid[0], t->tid[1], t->tid[2],
                      t->ctaid[0], t->ctaid[1], t->ctaid[2], why);
    block.failed = 1;
    yield(block.running, DONE);
}

static void begin(void) {
    struct thread *t = block.running;
    block.kernel->entry(t, block.params, 0);
    yield(t, DONE);
}

static void begin_all(void) {
    for (uint32_t k = 0; k < block.threads; k++) block.kernel->entry(&block.thread[k], block.params, 0);
    yield(block.running, DONE);
}

static void prepare_stack(struct thread *t, void (*begin)(void)) {
    uint64_t colour = (t->index & 127) * 1088; /* or the stacks of all threads would fall into the same sets of the cache */
    void **top = (void **)(emulated_local_begin + (uint64_t)(t->index + 1) * LOCAL_BYTES - colour);
    *--top = 0; /* where a call would have left its return address, for the alignment that calls expect */
    *--top = (void *)begin;
    t->stack = top - 6;
    t->state = READY;
}

static void resume(struct thread *t) {
    block.running = t;
    become(t, READY);
    exchange_stacks(&block.scheduler, t->stack);
}

/* Let those of a warp go on of whom nobody is missing. */
static void release_warps(uint32_t threads) {
    for (uint32_t k = 0; k < threads; k++) {
        struct thread *t = &block.thread[k], *warp = &block.thread[k & ~31u];
        uint32_t lanes = threads - (k & ~31u) < 32 ? threads - (k & ~31u) : 32, missing = 0;
        if (t->state != AT_WARP) continue;
        for (uint32_t lane = 0; lane < lanes; lane++)
            missing |= t->mask >> lane & 1 && warp[lane].state != AT_WARP && warp[lane].state != DONE;
        for (uint32_t lane = 0, mask = missing ? 0 : t->mask; lane < lanes; lane++)
            if (mask >> lane & 1 && warp[lane].state == AT_WARP) become(&warp[lane], READY);
    }
}

/* Each thread in its turn until it waits; those who wait for the block go on when all the others do, too. */
static void run_together(uint32_t threads) {
    for (uint32_t k = 0; k < threads; k++) prepare_stack(&block.thread[k], begin);
    memset(block.count, 0, sizeof block.count);
    block.count[READY] = threads;
    while (block.count[DONE] < threads && !block.failed) {
        int all = block.count[AT_BLOCK] == threads - block.count[DONE];
        if (!all && block.count[AT_WARP]) release_warps(threads);
        uint32_t resumed = 0;
        for (uint32_t k = 0; k < threads && !block.failed; k++) {
            struct thread *t = &block.thread[k];
            if (t->state != READY && !(all && t->state == AT_BLOCK)) continue;
            resume(t);
            resumed++;
        }
        if (!resumed) emulated_complain("%s: threads wait for each other forever", block.kernel->name), block.failed = 1;
    }
}

static void run_apart(void) {
    prepare_stack(&block.thread[0], begin_all);
    resume(&block.thread[0]);
}

static void place_threads(const uint32_t grid[3], const uint32_t size[3], uint32_t threads, uint32_t dynamic_shared) {
    for (uint32_t k = 0; k < threads; k++) {
        struct thread *t = &block.thread[k];
        memset(t, 0, sizeof *t);
        t->tid[0] = k % size[0], t->tid[1] = k / size[0] % size[1], t->tid[2] = k / size[0] / size[1];
        memcpy(t->ntid, size, sizeof t->ntid);
        memcpy(t->nctaid, grid, sizeof t->nctaid);
        t->index = k, t->threads = threads, t->dynamic_shared = dynamic_shared;
        t->shared = (uint64_t)emulated_shared, t->block = &block;
    }
}

static void prepare_memory(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    emulated_shared = mmap(0, SHARED_BYTES, PROT_READ | PROT_WRITE, flags | MAP_32BIT, -1, 0);
    emulated_local_begin = (uint64_t)mmap(0, (size_t)LOCAL_BYTES * MAX_THREADS, PROT_READ | PROT_WRITE, flags, -1, 0);
    emulated_local_end = emulated_local_begin + (uint64_t)LOCAL_BYTES * MAX_THREADS;
}

static void run_block(uint64_t index, const uint32_t grid[3], uint32_t threads, uint32_t shared) {
    for (uint32_t k = 0; k < threads; k++) {
        block.thread[k].ctaid[0] = index % grid[0];
        block.thread[k].ctaid[1] = index / grid[0] % grid[1];
        block.thread[k].ctaid[2] = index / grid[0] / grid[1];
    }
    memset(emulated_shared, 0xA5, shared); /* no kernel may count on zeros */
    block.kernel->together ? run_together(threads) : run_apart();
}

static int launch(struct kernel *kernel, const uint32_t grid[3], const uint32_t size[3], uint32_t dynamic_shared, char **params) {
    if (!emulated_shared) prepare_memory();
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2], threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t shared = (uint64_t)kernel->static_shared + dynamic_shared + 16;
    if (!blocks || !threads || threads > MAX_THREADS || shared > SHARED_BYTES) return 1; /* CUDA_ERROR_INVALID_VALUE */
    block.kernel = kernel, block.params = params, block.threads = threads, block.failed = 0;
    place_threads(grid, size, threads, dynamic_shared);
    for (uint64_t k = 0; k < blocks && !block.failed; k++) run_block(k, grid, threads, shared);
    emulated_counts.launches++;
    for (uint32_t k = 0; k < threads; k++) {
        emulated_counts.loaded += block.thread[k].loaded;
        emulated_counts.stored += block.thread[k].stored;
    }
    emulated_counts.fetched += emulated_moved(0);
    emulated_counts.written += emulated_moved(1);
    emulated_next_launch();
    return block.failed ? 719 : 0; /* CUDA_ERROR_LAUNCH_FAILED */
}

int emulated_launch(struct kernel *kernel, const uint32_t grid[3], const uint32_t size[3], uint32_t dynamic_shared, char **params) {
    pthread_mutex_lock(&one_at_a_time);
    int status = launch(kernel, grid, size, dynamic_shared, params);
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

/* What kernels call. A value is laid down, read when all have come, and left until all have read. */

void wait_block(struct thread *t) { yield(t, AT_BLOCK); }

void wait_warp(struct thread *t, uint32_t mask) {
    t->mask = mask;
    yield(t, AT_WARP);
}

uint32_t count_block(struct thread *t, int predicate) {
    uint32_t count = 0;
    t->deposit = predicate;
    wait_block(t);
    for (uint32_t k = 0; k < t->threads; k++) count += block.thread[k].state != DONE && block.thread[k].deposit;
    wait_block(t);
    return count;
}

static struct thread *warp_of(struct thread *t) { return &block.thread[t->index & ~31u]; }

uint32_t live_warp(struct thread *t) {
    uint32_t live = 0;
    for (uint32_t lane = 0; lane < 32 && (t->index & ~31u) + lane < t->threads; lane++)
        live |= (uint32_t)(warp_of(t)[lane].state != DONE) << lane;
    return live;
}

uint32_t vote_warp(struct thread *t, uint32_t mask, int predicate) {
    uint32_t ballot = 0;
    t->deposit = predicate;
    wait_warp(t, mask);
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) ballot |= (uint32_t)(warp_of(t)[lane].deposit != 0) << lane;
    wait_warp(t, mask);
    return ballot;
}

/* The clamp holds two numbers: the last lane that may be read, and which bits of the lane number part the warp. */
static uint32_t shuffled(struct thread *t, uint32_t mask, uint32_t value, int lane, int found, int *found_out) {
    t->deposit = value;
    wait_warp(t, mask);
    uint32_t other = found ? (uint32_t)warp_of(t)[lane].deposit : value;
    wait_warp(t, mask);
    *found_out = found;
    return other;
}

#define LANES int lane = t->index & 31, parts = clamp >> 8 & 31, last = (lane & parts) | (clamp & 31 & ~parts), first = lane & parts
uint32_t shuffle_up(struct thread *t, uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp, int *found) {
    LANES;
    (void)first;
    int source = lane - (int)(by & 31);
    return shuffled(t, mask, value, source, source >= last, found);
}
uint32_t shuffle_down(struct thread *t, uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp, int *found) {
    LANES;
    (void)first;
    int source = lane + (int)(by & 31);
    return shuffled(t, mask, value, source, source <= last, found);
}
uint32_t shuffle_bfly(struct thread *t, uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp, int *found) {
    LANES;
    (void)first;
    int source = lane ^ (int)(by & 31);
    return shuffled(t, mask, value, source, source <= last, found);
}
uint32_t shuffle_idx(struct thread *t, uint32_t mask, uint32_t value, uint32_t to, uint32_t clamp, int *found) {
    LANES;
    int source = first | (int)(to & 31 & ~parts);
    return shuffled(t, mask, value, source, source <= last, found);
}
