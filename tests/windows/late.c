/* A library that is loaded after gevt.dll, and so ends before it. */
#include <windows.h>

__declspec(dllexport) void (*at_detach)(void);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
  (void)module, (void)reserved;
  if (reason == DLL_PROCESS_DETACH && at_detach) at_detach();
  return TRUE;
}
