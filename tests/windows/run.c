/* Runs a program and ends with its exit code. Wine kills a process that takes more than a second to end. A process with many threads may
   take that long on a busy machine, and the shell then sees a signal instead of the exit code.
   usage: run PROGRAM [ARGUMENT...] */
#include <stdio.h>
#include <windows.h>

int main(void) {
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  WCHAR *command = GetCommandLineW();
  DWORD code = 126;
  /* This program's own name comes first, between quotation marks if it has spaces. */
  const WCHAR end = *command == '"' ? '"' : ' ';
  while (*command && *++command != end) {}
  if (*command) command++;
  while (*command == ' ') command++;
  if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) {
    fprintf(stderr, "run: error %lu: %ls\n", GetLastError(), command);
    return 127;
  }
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);
  /* A shell under wine sees the lowest byte alone. */
  if (code != 0 && code != 77) fprintf(stderr, "run: exit code 0x%08lX\n", code);
  return (int)code;
}
