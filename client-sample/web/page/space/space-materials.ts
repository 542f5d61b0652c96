// Surfaces: boxes with their edges, the ground with its grid. Lines are drawn by the shader, as wide as a pixel at any
// distance.
import { BackSide, Color, FrontSide, MeshLambertMaterial, type WebGLProgramParametersWithUniforms } from 'three';
import type { SolidKind } from './space-solids.js';

/** Colours of the ground. */
export interface Ground {
  readonly ground: Color;
  readonly line: Color;
  /** 0 to 1: how strong the lines are. */
  readonly strength: number;
}

const EDGES = `#include <color_fragment>
  vec2 away = min(vUv, 1.0 - vUv) / fwidth(vUv);
  diffuseColor.rgb *= mix(0.6, 1.0, smoothstep(0.4, 1.6, min(away.x, away.y)));`;

/** Lines every metre and, stronger, every five; those that would be dense are left out. */
const GRID_HEAD = `#include <common>
uniform vec3 lineColour;
uniform float lineStrength;
varying vec2 vMetres;
float gridLine(float apart) {
  vec2 at = vMetres / apart;
  vec2 wide = fwidth(at);
  vec2 line = 1.0 - min(abs(fract(at - 0.5) - 0.5) / wide, 1.0);
  vec2 sparse = 1.0 - smoothstep(0.08, 0.35, wide);
  return max(line.x * sparse.x, line.y * sparse.y);
}`;
const GRID_BODY = `#include <color_fragment>
  float grid = max(0.45 * gridLine(1.0), max(gridLine(5.0), gridLine(25.0)));
  diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, lineStrength * grid);`;

function withEdges(shader: WebGLProgramParametersWithUniforms): void {
  shader.fragmentShader = shader.fragmentShader.replace('#include <color_fragment>', EDGES);
}

export function makeMaterial(kind: SolidKind): MeshLambertMaterial {
  const material = new MeshLambertMaterial({
    vertexColors: kind === 'round', flatShading: kind === 'hull', shadowSide: FrontSide,
  });
  if (kind === 'box') {
    material.defines = { USE_UV: '' };
    material.onBeforeCompile = withEdges;
  } else if (kind === 'sensor') {
    material.transparent = true;
    material.opacity = 0.25;
    material.depthWrite = false;
  }
  return material;
}

/**
 * The surface of planes, and that of fields of heights.
 * @param metres  the place on the grid [m] of a vertex at `position`
 */
export function makeGround(metres: string): { material: MeshLambertMaterial; paint(of: Ground): void } {
  const uniforms = { lineColour: { value: new Color() }, lineStrength: { value: 0 } };
  const material = new MeshLambertMaterial({ shadowSide: BackSide }); // what the sun sees does not shade itself
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vMetres;')
      .replace('#include <begin_vertex>', `#include <begin_vertex>\n  vMetres = ${metres};`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', GRID_HEAD)
      .replace('#include <color_fragment>', GRID_BODY);
  };
  const paint = ({ ground, line, strength }: Ground): void => {
    material.color.copy(ground);
    uniforms.lineColour.value.copy(line);
    uniforms.lineStrength.value = strength;
  };
  return { material, paint };
}
