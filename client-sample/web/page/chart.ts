// The last 20 seconds of one number, as a line beside it.
const SAMPLES = 100; // at five a second

export class Chart {
  private readonly values: number[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  clear(): void {
    this.values.length = 0;
    this.canvas.getContext('2d')?.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  add(value: number): void {
    const { canvas, values } = this;
    values.push(value);
    values.splice(0, values.length - SAMPLES);
    const context = canvas.getContext('2d');
    if (!context) {
      return;
    }
    const top = Math.max(1e-9, ...values) * 1.1;
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.beginPath();
    values.forEach((each, i) => {
      context.lineTo(
        ((i + SAMPLES - values.length) / (SAMPLES - 1)) * canvas.width,
        canvas.height - 2 - (each / top) * (canvas.height - 4),
      );
    });
    context.strokeStyle = style.color;
    context.lineWidth = 2;
    context.stroke();
  }
}
