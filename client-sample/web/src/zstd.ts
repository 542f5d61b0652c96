// The module has no zstd: it hands out compressed bytes and takes the plain ones.
import { decompress as unpack } from 'fzstd';

/** @return exactly `size` bytes; null when the frame holds something else */
export function decompress(bytes: Uint8Array, size: number): Uint8Array | null {
  try {
    const plain = unpack(bytes.slice(), new Uint8Array(size)); // the module's memory may grow meanwhile
    return plain.length === size ? plain : null;
  } catch {
    return null;
  }
}
