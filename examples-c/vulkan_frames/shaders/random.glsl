// The random numbers of one sample: the generator and the seed of renderer/vec.hpp, number for number.
uint random_state;

uint hash(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

void seed(uint x, uint y, uint number, uint frame) {
  random_state = hash(x + hash(y + hash(number + hash(frame))));
}

// In [0, 1).
float next_random() {
  random_state = random_state * 747796405u + 2891336453u;
  const uint word = ((random_state >> ((random_state >> 28) + 4)) ^ random_state) * 277803737u;
  return float(((word >> 22) ^ word) >> 8) * (1.0 / 16777216.0);
}
