/* A program for MSVC's linker and lib/gevt.lib, without a C library: prints the version and what a function of a stream has set. */
#include <gevt.h>

#define STDOUT ((unsigned long)-11)
__declspec(dllimport) void *GetStdHandle(unsigned long number);
__declspec(dllimport) int WriteFile(void *file, const void *bytes, unsigned long count, unsigned long *written, void *);
__declspec(dllimport) void ExitProcess(unsigned code);

static void set(void *user) {
  *(int *)user = 42;
}

void start(void) {
  const char *version = gevt_version_string();
  unsigned long length = 0, written;
  char text[32];
  int answer = 0;
  if (gevt_stream_launch(0, set, &answer) != GEVT_SUCCESS || gevt_stream_sync(0) != GEVT_SUCCESS) ExitProcess(1);
  while (version[length] && length < 20) {
    text[length] = version[length];
    length++;
  }
  text[length++] = ' ';
  text[length++] = (char)('0' + answer / 10);
  text[length++] = (char)('0' + answer % 10);
  WriteFile(GetStdHandle(STDOUT), text, length, &written, 0);
  ExitProcess(0);
}
