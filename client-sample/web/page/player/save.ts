// A picture of what is shown, with a line that says what it is.
import type { Theme } from '../theme.js';
import type { Frame } from './messages.js';

const LINE = 34; // [px]
const GAP = 4;

export function savePicture(
  canvases: readonly HTMLCanvasElement[], name: string, frame: Frame, { background }: Theme,
): void {
  const picture = document.createElement('canvas');
  const ratio = Math.max(1, canvases[0]!.width / Math.max(1, canvases[0]!.clientWidth));
  picture.width = canvases.reduce((sum, { width }) => sum + width + GAP, -GAP);
  picture.height = Math.max(...canvases.map(({ height }) => height)) + LINE * ratio;
  const context = picture.getContext('2d')!;
  const isDark = parseInt(background.slice(1), 16) < 0x808080;
  context.fillStyle = isDark ? '#1d2631' : '#e4e0d6';
  context.fillRect(0, 0, picture.width, picture.height);
  let x = 0;
  for (const canvas of canvases) {
    context.drawImage(canvas, x, 0);
    x += canvas.width + GAP;
  }
  context.fillStyle = isDark ? '#e8eef5' : '#18222d';
  context.font = `${14 * ratio}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  const roots = frame.sides.map(({ root }) => root).join(' and ');
  context.fillText(`${name} · tick ${frame.tick} · root ${roots}`, 12 * ratio, picture.height - (LINE / 2) * ratio);
  picture.toBlob((blob) => {
    if (blob) {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${name.replace(/\.(isr|part)$/, '')}-tick-${frame.tick}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }
  }, 'image/png');
}
