/* The CUDA runtime, of which CuPy has a copy in each of three modules: calls there jump to the function of the same name with
   `emulated_` before it, and what is not here to `emulated_not_supported`. Device memory is memory of the host, all is done at once,
   in the order in which it is asked for, and a stream is done with before the call returns. */
#include "device.h"
#include <stdlib.h>
#include <string.h>
#include "driver_types.h"

#define RUNTIME(name) emulated_cuda##name
enum { OUT_OF_MEMORY = 2, NOT_SUPPORTED = 801 };
static const size_t MOST_MEMORY = 6ull << 30;
static int last_error, current_device;

static int result(int error) { return last_error = error; }
int emulated_not_supported(void) { return result(NOT_SUPPORTED); }

/* The device. */
int RUNTIME(GetDevice)(int *device) { return *device = current_device, 0; }
int RUNTIME(SetDevice)(int device) { return device ? result(cudaErrorInvalidDevice) : 0; }
int RUNTIME(GetDeviceCount)(int *count) { return *count = 1, 0; }
int RUNTIME(DriverGetVersion)(int *version) { return *version = 12090, 0; }
int RUNTIME(RuntimeGetVersion)(int *version) { return *version = 12090, 0; }
int RUNTIME(PeekAtLastError)(void) { return last_error; }
int RUNTIME(GetLastError)(void) {
    int error = last_error;
    return last_error = 0, error;
}
const char *RUNTIME(GetErrorName)(int error) {
    return error == OUT_OF_MEMORY ? "cudaErrorMemoryAllocation" : error == NOT_SUPPORTED ? "cudaErrorNotSupported" : "emulated CUDA error";
}
const char *RUNTIME(GetErrorString)(int error) {
    return error == OUT_OF_MEMORY ? "out of memory" : error == NOT_SUPPORTED ? "not supported by the emulated device" : emulated_complaint;
}
int RUNTIME(DeviceCanAccessPeer)(int *can, int device, int peer) { return *can = 0, 0; }
int RUNTIME(DeviceGetLimit)(size_t *value, int limit) { return *value = 0, 0; }
int RUNTIME(DeviceSetLimit)(int limit, size_t value) { return 0; }
int RUNTIME(DeviceGetPCIBusId)(char *id, int room, int device) { return strncpy(id, "0000:00:00.0", room), 0; }
int RUNTIME(ProfilerStart)(void) { return 0; }
int RUNTIME(ProfilerStop)(void) { return 0; }

int RUNTIME(DeviceGetAttribute)(int *value, int attribute, int device) {
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMaxThreadsPerBlock: case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: *value = MAX_THREADS; break;
    case cudaDevAttrMaxBlockDimZ: *value = 64; break;
    case cudaDevAttrMaxGridDimX: *value = 2147483647; break;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 48 << 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 227 << 10; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = 228 << 10; break;
    case cudaDevAttrTotalConstantMemory: case cudaDevAttrMaxRegistersPerBlock: *value = 65536; break;
    case cudaDevAttrMultiProcessorCount: *value = 132; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrClockRate: *value = 1980000; break;
    default: *value = 0;
    }
    return 0;
}

int RUNTIME(GetDeviceProperties)(struct cudaDeviceProp *properties, int device) {
    *properties = (struct cudaDeviceProp){
        .name = "emulated on the processor", .totalGlobalMem = MOST_MEMORY, .sharedMemPerBlock = 48 << 10, .regsPerBlock = 65536,
        .warpSize = 32, .maxThreadsPerBlock = MAX_THREADS, .maxThreadsDim = { MAX_THREADS, MAX_THREADS, 64 },
        .maxGridSize = { 2147483647, 65535, 65535 }, .major = 9, .minor = 0, .multiProcessorCount = 132,
        .maxThreadsPerMultiProcessor = 2048, .l2CacheSize = 50 << 20,
    };
    return 0;
}
int RUNTIME(GetDeviceProperties_v2)(struct cudaDeviceProp *properties, int device) {
    return RUNTIME(GetDeviceProperties)(properties, device);
}

/* Memory. New memory is full of ones, which as floats are nan: who reads what nobody wrote shall see it. */
int RUNTIME(Malloc)(void **pointer, size_t size) {
    emulated_counts.allocations++;
    *pointer = size > MOST_MEMORY ? 0 : aligned_alloc(512, (size + 511) & ~511ull);
    if (!*pointer) return result(OUT_OF_MEMORY);
    memset(*pointer, 0xFF, size);
    return 0;
}
int RUNTIME(MallocAsync)(void **pointer, size_t size, void *stream) { return RUNTIME(Malloc)(pointer, size); }
int RUNTIME(MallocManaged)(void **pointer, size_t size, unsigned flags) { return RUNTIME(Malloc)(pointer, size); }
int RUNTIME(Free)(void *pointer) { return free(pointer), 0; }
int RUNTIME(FreeAsync)(void *pointer, void *stream) { return free(pointer), 0; }
int RUNTIME(HostAlloc)(void **pointer, size_t size, unsigned flags) { return (*pointer = calloc(1, size ? size : 1)) ? 0 : result(OUT_OF_MEMORY); }
int RUNTIME(MallocHost)(void **pointer, size_t size) { return RUNTIME(HostAlloc)(pointer, size, 0); }
int RUNTIME(FreeHost)(void *pointer) { return free(pointer), 0; }
int RUNTIME(HostRegister)(void *pointer, size_t size, unsigned flags) { return 0; }
int RUNTIME(HostUnregister)(void *pointer) { return 0; }
int RUNTIME(MemGetInfo)(size_t *available, size_t *total) { return *available = *total = MOST_MEMORY, 0; }
int RUNTIME(PointerGetAttributes)(struct cudaPointerAttributes *attributes, const void *pointer) {
    *attributes = (struct cudaPointerAttributes){ .type = cudaMemoryTypeDevice, .devicePointer = (void *)pointer };
    return 0;
}

/* Into a graph go launches, and what happens on the device alone. */
static int outside(void *stream) { return !stream || stream != emulated_captured; }

static void count_copy(size_t size, int kind) {
    if (kind == cudaMemcpyHostToDevice) emulated_counts.host_to_device++;
    if (kind == cudaMemcpyDeviceToHost) emulated_counts.device_to_host++;
    if (kind == cudaMemcpyDeviceToDevice) emulated_counts.device_to_device++, emulated_counts.copied += size;
}
int RUNTIME(Memcpy)(void *to, const void *from, size_t size, int kind) { return count_copy(size, kind), memmove(to, from, size), 0; }
int RUNTIME(MemcpyAsync)(void *to, const void *from, size_t size, int kind, void *stream) {
    if (outside(stream)) return RUNTIME(Memcpy)(to, from, size, kind);
    return kind == cudaMemcpyDeviceToDevice ? emulated_record_bytes(to, from, 0, size) : result(NOT_SUPPORTED);
}
int RUNTIME(MemcpyPeer)(void *to, int device, const void *from, int source, size_t size) {
    return RUNTIME(Memcpy)(to, from, size, cudaMemcpyDeviceToDevice);
}
int RUNTIME(MemcpyPeerAsync)(void *to, int device, const void *from, int source, size_t size, void *stream) {
    return RUNTIME(Memcpy)(to, from, size, cudaMemcpyDeviceToDevice);
}
int RUNTIME(Memcpy2DAsync)(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t height, int kind) {
    count_copy(width * height, kind);
    for (size_t k = 0; k < height; k++) memmove(to + k * to_pitch, from + k * from_pitch, width);
    return 0;
}
int RUNTIME(Memset)(void *to, int value, size_t size) { return emulated_counts.filled += size, memset(to, value, size), 0; }
int RUNTIME(MemsetAsync)(void *to, int value, size_t size, void *stream) {
    return outside(stream) ? RUNTIME(Memset)(to, value, size) : emulated_record_bytes(to, 0, value, size);
}

/* Streams: numbers. Nothing is ever under way in one. */
static void *next_handle(void) {
    static uint64_t handle = 0x1000;
    return (void *)(handle += 16);
}
int RUNTIME(StreamCreate)(void **stream) { return *stream = next_handle(), 0; }
int RUNTIME(StreamCreateWithFlags)(void **stream, unsigned flags) { return *stream = next_handle(), 0; }
int RUNTIME(StreamCreateWithPriority)(void **stream, unsigned flags, int priority) { return *stream = next_handle(), 0; }
int RUNTIME(StreamDestroy)(void *stream) { return 0; }
int RUNTIME(StreamQuery)(void *stream) { return 0; }
int RUNTIME(StreamWaitEvent)(void *stream, void *event, unsigned flags) { return 0; }
int RUNTIME(StreamGetPriority)(void *stream, int *priority) { return *priority = 0, 0; }
int RUNTIME(StreamGetFlags)(void *stream, unsigned *flags) { return *flags = 0, 0; }
static int wait(void) { return emulated_captured ? result(cudaErrorStreamCaptureUnsupported) : (emulated_counts.waits++, 0); }
int RUNTIME(StreamSynchronize)(void *stream) { return wait(); }
int RUNTIME(DeviceSynchronize)(void) { return wait(); }
int RUNTIME(StreamAddCallback)(void *stream, void (*function)(void *, int, void *), void *data, unsigned flags) {
    return function(stream, 0, data), 0;
}
int RUNTIME(LaunchHostFunc)(void *stream, void (*function)(void *), void *data) { return function(data), 0; }

/* Events: the time at which they were recorded. */
uint64_t read_clock(void);
int RUNTIME(EventCreate)(uint64_t **event) { return *event = calloc(1, sizeof **event), 0; }
int RUNTIME(EventCreateWithFlags)(uint64_t **event, unsigned flags) { return RUNTIME(EventCreate)(event); }
int RUNTIME(EventDestroy)(uint64_t *event) { return free(event), 0; }
int RUNTIME(EventRecord)(uint64_t *event, void *stream) { return *event = read_clock(), 0; }
int RUNTIME(EventQuery)(uint64_t *event) { return 0; }
int RUNTIME(EventSynchronize)(uint64_t *event) { return wait(); }
int RUNTIME(EventElapsedTime)(float *milliseconds, uint64_t *begin, uint64_t *end) {
    return *milliseconds = (double)(int64_t)(*end - *begin) / 1e6, 0;
}

/* What CuPy's own compiled kernels (CUB's, Thrust's) would be launched by: there is nobody to run them. */
int RUNTIME(FuncGetAttributes)(struct cudaFuncAttributes *attributes, const void *function) {
    *attributes = (struct cudaFuncAttributes){ .maxThreadsPerBlock = MAX_THREADS, .ptxVersion = 90, .binaryVersion = 90, .numRegs = 32 };
    return 0;
}
