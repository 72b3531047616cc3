/* The corpus without libFuzzer, as a test: makes the calls of each file, and proves that they are all that the library has.
   usage: replay [host|cuda] FOLDER [FILE]     with a file: that one alone */
#include "../tests/c/subject.h"

#include "calls.h"

#include <dirent.h>

static long replay(const char *path) {
  unsigned char bytes[65536];
  FILE *file = fopen(path, "rb");
  size_t size;
  if (!file) {
    check_failed(path, 0, "fopen");
    return 0;
  }
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  calls_run(bytes, size);
  return 1;
}

static long replay_folder(const char *folder) {
  DIR *all = opendir(folder);
  struct dirent *entry;
  long count = 0;
  while (all && (entry = readdir(all)) != NULL) {
    char path[PATH_MAX];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    count += replay(path);
  }
  if (all) closedir(all);
  return count;
}

int main(int argc, char **argv) {
  size_t i;
  subject_begin(argc, argv);
  if (argc < 3) return 2;
  CHECK_OK(gevt_context_set_current(NULL));
  CHECK_OK(gevt_context_close(subject_context));
  calls_begin(subject_backend);
  subject_case("corpus");
  if (argc > 3) {
    CHECK_EQUAL(replay(argv[3]), 1);
    return subject_end();
  }
  printf("files: %ld\n", replay_folder(argv[2]));
  for (i = 0; i < calls_count(); i++) {
    if (calls_made(i) == 0) check_failed(argv[2], 0, calls_name(i));
  }
  return subject_end();
}
