int cuInit(unsigned flags);
int main(void) {
  return cuInit(0);
}
