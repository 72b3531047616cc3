/* The path of a trace is in UTF-8 with every code page.
   usage: trace_path */
#include "objects.h"

#include <wchar.h>

/* Greek, Japanese and an emoji. No code page has all of them. */
#define NAME "gevt-\xce\xb3\xcf\x81\xce\xac\xcf\x86\xce\xbf\xcf\x82-\xe6\x97\xa5\xe6\x9c\xac-\xf0\x9f\x99\x82.json"

static void a_path_is_utf_8(void) {
  const wchar_t *wide = L"gevt-\x3b3\x3c1\x3ac\x3c6\x3bf\x3c2-\x65e5\x672c-\xd83d\xde42.json";
  gevt_event_t event = event_new();
  char text[64] = "";
  FILE *file;
  CHECK_OK(gevt_trace_start(NAME));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_trace_stop());
  CHECK_OK(gevt_destroy(event));
  file = _wfopen(wide, L"rb");
  if (CHECK(file != NULL)) {
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    CHECK(strncmp(text, "{\"displayTimeUnit\"", 18) == 0);
    fclose(file);
  }
  CHECK_EQUAL(_wunlink(wide), 0);
}

static void bytes_that_are_no_utf_8_are_refused(void) {
  CHECK_FAILS(gevt_trace_start("gevt-\xff\xfe.json"), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(a_path_is_utf_8);
  RUN(bytes_that_are_no_utf_8_are_refused);
  return subject_end();
}
