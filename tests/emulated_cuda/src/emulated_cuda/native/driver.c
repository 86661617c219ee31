/* The CUDA driver, of which CuPy loads modules and launches kernels with. PTX goes to the translator, which answers with the path
   of a shared object. */
#define _GNU_SOURCE
#include "device.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_VALUE = 1, INVALID_PTX = 218, NOT_FOUND = 500, NOT_SUPPORTED = 801 };
static void *const CONTEXT = (void *)0x77;
static int (*translator)(const char *ptx, char *path, size_t room);

/* Called by Python, once. */
void emulated_set_translator(int (*function)(const char *, char *, size_t)) { translator = function; }

int cuGetErrorName(int error, const char **name) {
    static char text[64];
    snprintf(text, sizeof text, "emulated CUDA driver error %d", error);
    return *name = text, OK;
}
int cuGetErrorString(int error, const char **text) { return *text = emulated_complaint[0] ? emulated_complaint : "(no more is known)", OK; }

int cuInit(unsigned flags) { return OK; }
int cuGetExportTable(void **table, const void *id) { return NOT_FOUND; } /* NVRTC asks, and goes on without */
int cuDriverGetVersion(int *version) { return *version = 12090, OK; }
int cuCtxGetCurrent(void **context) { return *context = CONTEXT, OK; }
int cuCtxSetCurrent(void *context) { return OK; }
int cuCtxCreate_v2(void **context, unsigned flags, int device) { return *context = CONTEXT, OK; }
int cuCtxDestroy_v2(void *context) { return OK; }
int cuCtxGetDevice(int *device) { return *device = 0, OK; }
int cuDevicePrimaryCtxRelease_v2(int device) { return OK; }
int cuStreamGetCtx(void *stream, void **context) { return *context = CONTEXT, OK; }

int cuModuleLoadData(void **module, const char *image) {
    char path[4096];
    int status = translator ? translator(image, path, sizeof path) : NOT_SUPPORTED;
    if (status) return status;
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*module) return OK;
    emulated_complain("%s", dlerror());
    return INVALID_PTX;
}

int cuModuleLoad(void **module, const char *path) { return NOT_SUPPORTED; }
int cuModuleUnload(void *module) { return OK; } /* kernels are counted to the end */

static void *found(void *module, const char *prefix, const char *name) {
    char symbol[4096];
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    return dlsym(module, symbol);
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    void *entry = found(module, "k", name);
    if (!entry) return emulated_complain("the module has no kernel %s", name), NOT_FOUND;
    struct kernel *kernel = calloc(1, sizeof *kernel);
    kernel->name = strdup(name);
    kernel->entry = entry;
    kernel->static_shared = *(uint32_t *)dlsym(module, "static_shared");
    kernel->together = *(uint8_t *)found(module, "together_", name);
    kernel->parameters = found(module, "parameters_", name);
    return *function = kernel, OK;
}

int cuModuleGetGlobal_v2(void **address, size_t *size, void *module, const char *name) {
    void *variable = found(module, "v", name);
    if (!variable) return emulated_complain("the module has no variable %s", name), NOT_FOUND;
    *address = variable;
    if (size) *size = *(uint64_t *)found(module, "size_of_v", name);
    return OK;
}

int cuLaunchKernel(struct kernel *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y, unsigned z,
                   unsigned shared, void *stream, char **params, void **extra) {
    if (extra) return NOT_SUPPORTED;
    int captured = stream && stream == emulated_captured;
    return (captured ? emulated_record : emulated_launch)(kernel, (uint32_t[]){ grid_x, grid_y, grid_z }, (uint32_t[]){ x, y, z },
                                                          shared, params);
}

int cuLaunchCooperativeKernel(void *kernel) { return NOT_SUPPORTED; }

int cuFuncGetAttribute(int *value, int attribute, struct kernel *kernel) {
    enum { MOST_THREADS, SHARED, CONSTANT, LOCAL, REGISTERS, PTX, BINARY, CACHE, MOST_DYNAMIC };
    int values[] = { [MOST_THREADS] = MAX_THREADS, [SHARED] = kernel->static_shared, [REGISTERS] = 32, [PTX] = 90, [BINARY] = 90,
                     [MOST_DYNAMIC] = SHARED_BYTES / 2 };
    *value = attribute <= MOST_DYNAMIC ? values[attribute] : 0;
    return OK;
}
int cuFuncSetAttribute(void *kernel, int attribute, int value) { return OK; }

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *kernel, int size, size_t shared) { return *blocks = 2048 / size, OK; }
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *kernel, void *shared_of, size_t shared, int most) {
    return *grid = 264, *block = most ? most : 512, OK;
}

/* Functions of the device's own library, which kernels call by these names. */
void kvprintf(struct thread *t, char **params, char **results) {
    fputs(*(char **)params[0], stdout); /* the format alone: arguments would have to be told from each other */
    *(int *)results[0] = 0;
}
void k__assertfail(struct thread *t, char **params, char **results) { fail(t, *(char **)params[0]); }
void kmalloc(struct thread *t, char **params, char **results) { *(void **)results[0] = malloc(*(uint64_t *)params[0]); }
void kfree(struct thread *t, char **params, char **results) { free(*(void **)params[0]); }
