// The grid behind the world: lines at 1, 2 or 5 times a power of ten metres, so that they are never dense.
import type { Camera } from './camera.js';
import type { Mesh } from './mesh.js';
import type { Theme } from './theme.js';

const APART_MIN = 28; // [px]

export function drawGrid(mesh: Mesh, camera: Camera, theme: Theme): void {
  const least = APART_MIN / camera.scale;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
  const [halfWidth, halfHeight] = [camera.width / 2 / camera.scale, camera.height / 2 / camera.scale];
  for (let i = Math.ceil((camera.x - halfWidth) / step); i * step < camera.x + halfWidth; ++i) {
    mesh.line(
      i * step, camera.y - halfHeight, i * step, camera.y + halfHeight, 1, i % 5 === 0 ? theme.gridStrong : theme.grid,
    );
  }
  for (let i = Math.ceil((camera.y - halfHeight) / step); i * step < camera.y + halfHeight; ++i) {
    mesh.line(
      camera.x - halfWidth, i * step, camera.x + halfWidth, i * step, 1, i % 5 === 0 ? theme.gridStrong : theme.grid,
    );
  }
}
