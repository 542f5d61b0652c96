// Runs the case files in a WebAssembly module: node golden_wasm.mjs MODULE SCENE CASE
import { readFileSync } from 'node:fs';

const [modulePath, scene, casePath] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath), {});
const wasm = instance.exports;
const file = readFileSync(casePath);
const at = wasm.golden_allocate(file.length);
new Uint8Array(wasm.memory.buffer, at, file.length).set(file);
const tickCount = wasm.golden_open(at, file.length);
if (tickCount < 0) {
  console.error(`golden_wasm: ${casePath}: status ${tickCount}`);
  process.exit(1);
}
for (let tick = 1; tick <= tickCount; ++tick) {
  const status = wasm.golden_step();
  if (status !== 0) {
    console.error(`golden_wasm: ${scene}: tick ${tick}: status ${status}`);
    process.exit(1);
  }
  if (tick % 60 === 0 || tick === tickCount) {
    const hexadecimal = (n) => BigInt.asUintN(64, n).toString(16).padStart(16, '0');
    const [root, queries] = [wasm.golden_root(), wasm.golden_queries()].map(hexadecimal);
    console.log(`${scene} ${tick} ${root} ${queries}`);
  }
}
