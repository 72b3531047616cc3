// The two kernels of cuda_frames: a Julia set, and the development of its light to a picture.
//
// kernels.ptx is what `nvcc -ptx -arch=compute_70 -use_fast_math kernels.cu` makes of this file, under version 7.0 of PTX, which
// drivers of CUDA 11.0 and later take. The target is one that such drivers compile for any later GPU.

namespace {

// Colours that go round once as `turn` goes by 1.
__device__ float wave(float turn) {
  return 0.5f + 0.5f * __cosf(6.2831853f * turn);
}

// The sRGB curve after a filmic one (Narkowicz's fit of ACES).
__device__ unsigned char to_byte(float light) {
  const float film = __saturatef(__fdividef(light * (2.51f * light + 0.03f), light * (2.43f * light + 0.59f) + 0.14f));
  const float curve = film <= 0.0031308f ? 12.92f * film : 1.055f * __powf(film, 1 / 2.4f) - 0.055f;
  return static_cast<unsigned char>(curve * 255 + 0.5f);
}

} // namespace

// Adds one sample of each pixel to `light`. The sample lies at (across, down) in its pixel, both from 0 to 1; `span` is the
// picture's height in the plane of the set z -> z * z + (real, imaginary).
extern "C" __global__ void draw(float4 *light, int width, int height, float real, float imaginary, float span,
                                float across, float down) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) {
    return;
  }
  constexpr int kMostSteps = 1000;
  constexpr float kEscape = 4096; // squared: far out, so that the colours do not show where a step ends
  const float pixel = span / static_cast<float>(height);
  float zr = (static_cast<float>(x) + across - 0.5f * static_cast<float>(width)) * pixel;
  float zi = (0.5f * static_cast<float>(height) - static_cast<float>(y) - down) * pixel;
  float dr = 1, di = 0; // the derivative of z with respect to the first z
  bool close = false;   // the derivative has outgrown any distance that shows
  float size = zr * zr + zi * zi, nearest = size;
  int steps = 0;
#pragma unroll 1
  while (steps < kMostSteps && size < kEscape) {
    const float slope = 2 * (zr * dr - zi * di);
    di = 2 * (zr * di + zi * dr);
    dr = slope;
    if (dr * dr + di * di > 1e20f) {
      dr *= 1e-9f, di *= 1e-9f;
      close = true;
    }
    const float next = zr * zr - zi * zi + real;
    zi = 2 * zr * zi + imaginary;
    zr = next;
    size = zr * zr + zi * zi;
    nearest = fminf(nearest, size);
    steps++;
  }

  float red, green, blue;
  if (size < kEscape) {
    // Inside: how near the orbit came to the middle.
    const float glow = __fsqrt_rn(nearest);
    red = 0.05f * glow, green = 0.09f * glow, blue = 0.3f * glow;
  } else {
    // Outside: a relief whose slope is that of the potential, lit from the upper left.
    const float ur = zr * dr + zi * di, ui = zi * dr - zr * di;
    const float relief = fmaxf(0.0f, 1.4f + (ui - ur) * rsqrtf(ur * ur + ui * ui) * 0.7071068f) * 0.4166667f;
    // The distance to the set, in pixels: its edge shines.
    const float far = 0.5f * __logf(size) * __fsqrt_rn(__fdividef(size, dr * dr + di * di));
    const float shine = close ? 0.55f : 0.55f * __expf(-0.7f * __fdividef(far, pixel));
    const float smooth = static_cast<float>(steps) + 1 - __log2f(0.5f * __log2f(size));
    const float turn = 0.045f * smooth;
    // Far from the set it is night.
    const float bright = relief * relief * 1.1f * (1 - __expf(-0.004f * smooth * smooth));
    red = bright * wave(turn + 0.35f) + shine;
    green = bright * wave(turn + 0.22f) * 0.75f + 0.8f * shine;
    blue = bright * wave(turn + 0.05f) + 0.02f + 0.55f * shine;
  }
  float4 &sum = light[y * width + x];
  sum = make_float4(sum.x + red, sum.y + green, sum.z + blue, sum.w + 1);
}

// Makes bytes of the light, three a pixel. Bright places shine on their neighbours, and the corners are darker.
extern "C" __global__ void develop(unsigned char *rgb, const float4 *light, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) {
    return;
  }
  const float4 here = light[y * width + x];
  const float share = __fdividef(1, here.w);
  float red = here.x * share, green = here.y * share, blue = here.z * share;
  float weights = 0, glow_red = 0, glow_green = 0, glow_blue = 0;
#pragma unroll 1
  for (int dy = -6; dy <= 6; dy += 2) {
#pragma unroll 1
    for (int dx = -6; dx <= 6; dx += 2) {
      const int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
      const float4 there = light[v * width + u];
      const float weight = __expf(-0.06f * static_cast<float>(dx * dx + dy * dy));
      weights += weight;
      glow_red += weight * fmaxf(0.0f, there.x * share - 0.6f);
      glow_green += weight * fmaxf(0.0f, there.y * share - 0.6f);
      glow_blue += weight * fmaxf(0.0f, there.z * share - 0.6f);
    }
  }
  const float part = __fdividef(0.6f, weights);
  red += glow_red * part, green += glow_green * part, blue += glow_blue * part;
  const float across = 2 * static_cast<float>(x) / static_cast<float>(width) - 1;
  const float down = 2 * static_cast<float>(y) / static_cast<float>(height) - 1;
  const float corner = 1.1f - 0.25f * (across * across + down * down);
  unsigned char *to = rgb + 3 * (y * width + x);
  to[0] = to_byte(red * corner);
  to[1] = to_byte(green * corner);
  to[2] = to_byte(blue * corner);
}
