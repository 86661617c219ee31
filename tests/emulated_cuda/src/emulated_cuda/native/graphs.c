/* Graphs: a stream that is captured records its launches, with copies of their parameters, and what is filled and copied on the
   device, and does nothing. */
#include "device.h"
#include <stdlib.h>
#include <string.h>

struct launch {
    struct kernel *kernel; /* none: bytes are copied, or filled with a value where there is nothing to copy from */
    void *to;
    const void *from;
    size_t size;
    int value;
    uint32_t grid[3], block[3], dynamic_shared;
    char **params;
    struct launch *next;
};
struct graph {
    struct launch *first, **end;
};

void *emulated_captured;
static struct graph *recording;
enum { OK = 0, NO_CAPTURE = 908 }; /* cudaErrorStreamCaptureWrongThread */

static char **copied(const uint32_t *sizes, char **params) {
    char **copies = calloc(sizes[0] + 1, sizeof *copies);
    for (uint32_t k = 0; k < sizes[0]; k++) copies[k] = memcpy(malloc(sizes[k + 1]), params[k], sizes[k + 1]);
    return copies;
}

int emulated_record(struct kernel *kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared, char **params) {
    struct launch *launch = calloc(1, sizeof *launch);
    launch->kernel = kernel, launch->dynamic_shared = dynamic_shared;
    memcpy(launch->grid, grid, sizeof launch->grid);
    memcpy(launch->block, block, sizeof launch->block);
    launch->params = copied(kernel->parameters, params);
    *recording->end = launch, recording->end = &launch->next;
    return OK;
}

int emulated_record_bytes(void *to, const void *from, int value, size_t size) {
    struct launch *launch = calloc(1, sizeof *launch);
    launch->to = to, launch->from = from, launch->value = value, launch->size = size;
    *recording->end = launch, recording->end = &launch->next;
    return OK;
}

int emulated_cudaStreamBeginCapture(void *stream, int mode) {
    recording = calloc(1, sizeof *recording);
    recording->end = &recording->first;
    return emulated_captured = stream, OK;
}
int emulated_cudaStreamEndCapture(void *stream, struct graph **graph) {
    if (!stream || stream != emulated_captured) return NO_CAPTURE;
    return *graph = recording, emulated_captured = 0, OK;
}
int emulated_cudaStreamIsCapturing(void *stream, int *status) { return *status = stream && stream == emulated_captured, OK; }

int emulated_cudaGraphInstantiate(struct graph **executable, struct graph *graph) { return *executable = graph, OK; }
int emulated_cudaGraphUpload(struct graph *executable, void *stream) { return OK; }
int emulated_cudaGraphLaunch(struct graph *executable, void *stream) {
    int status = OK;
    for (struct launch *at = executable->first; at && !status; at = at->next) {
        if (at->kernel) status = emulated_launch(at->kernel, at->grid, at->block, at->dynamic_shared, at->params);
        else if (at->from) memmove(at->to, at->from, at->size);
        else memset(at->to, at->value, at->size);
    }
    return status;
}
int emulated_cudaGraphExecDestroy(struct graph *executable) { return OK; } /* is the graph itself */
int emulated_cudaGraphDestroy(struct graph *graph) { return OK; } /* of a test there are few */
