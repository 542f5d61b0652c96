// XXH3-64 of exactly 16 bytes, seed 0: all that a fingerprint's schema needs.
const MASK = (1n << 64n) - 1n;
// Bytes 24 to 55 of its secret.
const SECRET = [0x1f67b3b7a4a44072n, 0x78e5c0cc4ee679cbn, 0x2172ffcc7dd05a82n, 0x8e2443f7744608b8n];

const swap = (value) => Buffer.from(value.toString(16).padStart(16, "0"), "hex").readBigUInt64LE();

export function xxh3Of16(first, second) {
  const low = first ^ SECRET[0] ^ SECRET[1];
  const high = second ^ SECRET[2] ^ SECRET[3];
  const product = low * high;
  let hash = (16n + swap(low) + high + ((product & MASK) ^ (product >> 64n))) & MASK;
  hash ^= hash >> 37n;
  hash = (hash * 0x165667919e3779f9n) & MASK;
  return hash ^ (hash >> 32n);
}
