// The canvas: one program, one buffer that is filled anew for each frame, one draw call. README.md says why no library.
import type { Camera } from './camera.js';
import { VERTEX_BYTES, type Mesh } from './mesh.js';

const VERTEX = `#version 300 es
uniform vec2 metre;  // of clip space
uniform vec2 pixel;
layout(location = 0) in vec2 place;
layout(location = 1) in vec2 offset;
layout(location = 2) in vec4 tint;
out vec4 shade;
void main() {
  gl_Position = vec4(place * metre + offset * pixel, 0, 1);
  shade = vec4(tint.rgb * tint.a, tint.a);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 shade;
out vec4 result;
void main() {
  result = shade;
}`;

function compile(gl: WebGL2RenderingContext, type: number, source: string): WebGLShader {
  const shader = gl.createShader(type)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

export class Canvas {
  private gl: WebGL2RenderingContext;
  private metre: WebGLUniformLocation | null = null;
  private pixel: WebGLUniformLocation | null = null;
  private isStale = true; // the element may have another size

  /** @throws Error  there is no WebGL 2 */
  constructor(
    private readonly element: HTMLCanvasElement,
    private readonly camera: Camera,
  ) {
    const gl = element.getContext('webgl2', { antialias: true, alpha: false, powerPreference: 'high-performance' });
    if (!gl) {
      throw new Error('This browser has no WebGL 2, or it is switched off.');
    }
    this.gl = gl;
    this.prepare();
    element.addEventListener('webglcontextlost', (event) => event.preventDefault());
    element.addEventListener('webglcontextrestored', () => this.prepare());
    // Asking the element in each frame would make the browser lay out what changed since the last one.
    new ResizeObserver(() => (this.isStale = true)).observe(element);
  }

  private prepare(): void {
    const { gl } = this;
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, FRAGMENT));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`The drawing cannot be prepared: ${gl.getProgramInfoLog(program) ?? ''}`);
    }
    gl.useProgram(program);
    this.metre = gl.getUniformLocation(program, 'metre');
    this.pixel = gl.getUniformLocation(program, 'pixel');
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, VERTEX_BYTES, 0);
    gl.vertexAttribPointer(1, 2, gl.FLOAT, false, VERTEX_BYTES, 8);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, VERTEX_BYTES, 16);
    [0, 1, 2].forEach((index) => gl.enableVertexAttribArray(index));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Follows the element's size and the screen's pixels. */
  resize(): void {
    if (!this.isStale) {
      return;
    }
    this.isStale = false;
    const { element, camera } = this;
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    camera.width = Math.max(1, element.clientWidth);
    camera.height = Math.max(1, element.clientHeight);
    const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
    }
  }

  /** Nothing but the background: there is no world yet. */
  clear(background: string): void {
    const { gl } = this;
    const rgb = parseInt(background.slice(1), 16);
    gl.clearColor((rgb >> 16) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  draw(mesh: Mesh, background: string): void {
    const { gl, camera, element } = this;
    gl.viewport(0, 0, element.width, element.height);
    this.clear(background);
    gl.uniform2f(this.metre, (2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height);
    gl.uniform2f(this.pixel, 2 / camera.width, 2 / camera.height);
    gl.bufferData(gl.ARRAY_BUFFER, mesh.words, gl.STREAM_DRAW, 0, mesh.wordCount);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.indices, gl.STREAM_DRAW, 0, mesh.indexCount);
    gl.drawElements(gl.TRIANGLES, mesh.indexCount, gl.UNSIGNED_INT, 0);
  }
}
