/* The files of a trace, in the test's folder. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H
#include "objects.h"

#include <sys/stat.h>

static char folder[SCRATCH_SIZE];

static const char *file_of(const char *name) {
  static char path[300];
  snprintf(path, sizeof path, "%s/%s.json", folder, name);
  return path;
}

/* The file's contents, complete or not. The caller frees them. */
static char *bytes_of(const char *name) {
  FILE *file = fopen(file_of(name), "r");
  struct stat about;
  char *text;
  if (!CHECK(file != NULL) || !CHECK(fstat(fileno(file), &about) == 0)) return NULL;
  text = (char *)calloc(1, (size_t)about.st_size + 1);
  CHECK_EQUAL(fread(text, 1, (size_t)about.st_size, file), about.st_size);
  fclose(file);
  return text;
}

/* The file's text, to be freed; NULL where it is not whole. */
static char *text_of(const char *name) {
  char *text = bytes_of(name);
  size_t length = text ? strlen(text) : 0;
  int is_whole =
      length > 10 && strncmp(text, "{\"displayTimeUnit\"", 18) == 0 && strcmp(text + length - 5, "}\n]}\n") == 0;
  if (CHECK(is_whole)) return text;
  free(text);
  return NULL;
}

static void check_file_holds(const char *name, const char *what) {
  char *text = text_of(name);
  if (!CHECK(!text || strstr(text, what))) printf("    %s.json does not hold %s\n", name, what);
  free(text);
}

/* The file is written while the trace runs, and may be read in the middle of that. */
static inline void await_in_file(const char *name, const char *what) {
  long long deadline = now_ns() + HANG_LIMIT;
  int found = 0;
  while (!found && now_ns() < deadline) {
    char *text = bytes_of(name);
    found = text && strstr(text, what);
    free(text);
    if (!found) sleep_ns(10 * MILLISECOND);
  }
  if (!found) check_failed(__FILE__, __LINE__, what);
}

/* Removes the folder, and the files in it. */
static inline void folder_remove(void) {
  DIR *files = opendir(folder);
  struct dirent *entry;
  char path[600];
  while (files && (entry = readdir(files)) != NULL) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (files) closedir(files);
  CHECK_EQUAL(rmdir(folder), 0);
}

#endif
