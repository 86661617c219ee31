/* The wheel of the runtime's headers lacks this file, which says what a CUDA compiler makes of some words. C makes nothing of them. */
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __align__(size) __attribute__((aligned(size)))
#define __builtin_align__(size) __align__(size)
#define CUDARTAPI
