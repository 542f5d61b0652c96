// The laps of a race beside the world: a table with the first one first, and the time of one's own lap.
import type { Racer } from '../messages.js';
import { memberHex } from '../theme.js';

/** 83.4 s are 1:23.4. */
const clock = (seconds: number | undefined): string => {
  if (seconds === undefined) {
    return '–';
  }
  const tenths = Math.floor(10 * seconds);
  return `${Math.floor(tenths / 600)}:${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}.${tenths % 10}`;
};

export class RaceTable {
  private readonly element = document.createElement('section');
  private readonly now = document.createElement('p');
  private readonly table = document.createElement('table');
  private shown = '';

  constructor(host: HTMLElement) {
    this.element.id = 'race';
    this.element.setAttribute('aria-label', 'Laps');
    this.element.hidden = true;
    this.element.append(this.now, this.table);
    host.append(this.element);
  }

  /** @param slot  the own one; undefined: a spectator's */
  show(racers: readonly Racer[] | undefined, slot: number | undefined, names: ReadonlyMap<number, string>): void {
    this.element.hidden = racers === undefined || racers.length === 0;
    if (racers === undefined || racers.length === 0) {
      return;
    }
    const own = racers.find((racer) => racer.slot === slot);
    this.now.hidden = own === undefined;
    this.now.textContent =
      own?.now === undefined
        ? 'Drive through the line'
        : `${own.laps === undefined ? 'This lap' : `Lap ${own.laps + 1}`} ${clock(own.now)}`;
    const rows = racers.map(({ slot: of, laps, last, best }) => [
      names.get(of) ?? '', String(laps ?? '–'), clock(last), clock(best),
    ]);
    const text = JSON.stringify([racers.map((racer) => racer.slot), rows]);
    if (text !== this.shown) {
      this.shown = text;
      this.table.replaceChildren(
        this.row('th', ['', 'Laps', 'Last', 'Best']),
        ...rows.map((cells, i) => this.row('td', cells, memberHex(racers[i]!.slot))),
      );
    }
  }

  private row(kind: 'th' | 'td', cells: readonly string[], colour = 'transparent'): HTMLTableRowElement {
    const row = document.createElement('tr');
    cells.forEach((text) => (row.appendChild(document.createElement(text === '' ? 'td' : kind)).textContent = text));
    (row.firstElementChild as HTMLElement).style.borderLeft = `4px solid ${colour}`;
    return row;
  }

  remove(): void {
    this.element.remove();
  }
}
