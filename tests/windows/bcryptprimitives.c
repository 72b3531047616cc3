/* Rust's standard library takes random bytes from this library, which wine 8 lacks. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size);
BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
  return SystemFunction036(bytes, (ULONG)size);
}
