/* The structures with a size as the first version of gevt.h had them. A program that was built with it passes these sizes for good, so this
   file never changes. */
#ifndef GEVT_TESTS_FIRST_STRUCTURES_H
#define GEVT_TESTS_FIRST_STRUCTURES_H

#include <gevt.h>

typedef struct first_device {
  size_t size;
  void *instance;
  void *physical_device;
  void *device;
  void *get_instance_proc_addr;
  uint32_t api_version;
  uint32_t extension_count;
  const char *const *extensions;
  uint32_t features;
  uint32_t reserved;
} first_device_t;

typedef struct first_queue {
  size_t size;
  void *queue;
  uint32_t family;
  uint32_t flags;
  void (*lock)(void *user);
  void (*unlock)(void *user);
  void *user;
} first_queue_t;

typedef struct first_batch {
  size_t size;
  const void *waits;
  uint32_t wait_count;
  uint32_t reserved;
  const void *signal;
  uint64_t ticket;
} first_batch_t;

typedef struct first_info {
  size_t size;
  uint32_t flags;
  uint32_t state;
  uint32_t backend;
  int32_t device;
  gevt_context_t context;
  uint32_t imported;
  uint32_t reserved;
  uint64_t record_count;
  char name[64];
} first_info_t;

typedef struct first_context_info {
  size_t size;
  uint32_t backend;
  int32_t device;
  uint32_t known;
  uint32_t luid_node_mask;
  uint8_t uuid[16];
  uint8_t luid[8];
  uint32_t pci_domain;
  uint32_t pci_bus;
  uint32_t pci_device;
  uint32_t pci_function;
  char name[256];
} first_context_info_t;

typedef struct first_stream_info {
  size_t size;
  gevt_context_t context;
  uint32_t backend;
  int32_t device;
  uint32_t flags;
  uint32_t queue_family;
  char name[64];
} first_stream_info_t;

#endif
