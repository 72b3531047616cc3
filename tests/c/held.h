/* What a process holds that could be left behind: descriptors, mappings of anonymous files, memory, threads, and files that have names. */
#ifndef GEVT_TESTS_HELD_H
#define GEVT_TESTS_HELD_H

#include "gate.h"

/* The entries of a folder but for folders, which other tests make; with a part of a name, those only that have it in theirs. */
static inline int held_entries(const char *path, const char *part) {
  DIR *folder = opendir(path);
  struct dirent *entry;
  int count = 0;
  if (!folder) return 0;
  while ((entry = readdir(folder)) != NULL) {
    count += entry->d_name[0] != '.' && entry->d_type != DT_DIR && strstr(entry->d_name, part) != NULL;
  }
  closedir(folder);
  return count;
}

/* The descriptors of this process, less the one that counts them. */
static inline int held_descriptors(void) {
  return held_entries("/proc/self/fd", "") - 1;
}

/* The mappings of anonymous files. */
static inline int held_mappings(void) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  int count = 0;
  if (!CHECK(maps != NULL)) return -1;
  while (fgets(line, sizeof line, maps)) count += strstr(line, "/memfd:") != NULL;
  fclose(maps);
  return count;
}

/* The resident memory, in KiB. */
static inline long held_memory(void) {
  long size = 0, resident = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (!CHECK(statm != NULL) || !CHECK(fscanf(statm, "%ld %ld", &size, &resident) == 2)) return -1;
  fclose(statm);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The threads of this process whose names begin so: gevt's with "gevt-". */
static inline int held_threads(const char *name) {
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *entry;
  int count = 0;
  if (!CHECK(tasks != NULL)) return -1;
  while ((entry = readdir(tasks)) != NULL) {
    char path[300], found[32] = "";
    FILE *file;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    file = fopen(path, "r");
    if (file && fgets(found, sizeof found, file)) count += strncmp(found, name, strlen(name)) == 0;
    if (file) fclose(file);
  }
  closedir(tasks);
  return count;
}

/* Files with gevt's name on them where shared memory is put. In /tmp other tests have files of that name. */
static inline int held_files(void) {
  return held_entries("/dev/shm", "gevt") + held_entries("/dev/mqueue", "gevt");
}

#endif
