// The player's panel and light: numbers change in place.
import type { Difference, InputDifference } from '../../src/compare.js';
import { memberHex } from '../theme.js';
import { byId } from '../view.js';
import { sizeText } from './files.js';
import type { About, Frame, Proof } from './messages.js';
import { eventText } from './timeline.js';

const number = new Intl.NumberFormat('en');
const EVENTS_SHOWN = 200;

function setText(id: string, text: string): void {
  const element = byId(id);
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name, text = '', className = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

const seconds = (ticks: number, rate: number): string => `${(ticks / rate).toFixed(2)} s`;
const JUDGEMENTS = { right: 'the same as in the file', unknown: 'the file does not name it', wrong: '' };

function inputText({ kind, slot, sequence, isIn }: InputDifference): string {
  const what = `${kind} of slot ${slot}${sequence === undefined ? '' : `, sequence ${sequence}`}`;
  return isIn === 'both' ? `${what}: not the same in both` : `${what}: only in ${isIn.toUpperCase()}`;
}

export class Info {
  differenceTick = 0;
  private proof: Proof | null = null;
  private frame: Frame | null = null;
  private shownRoots = '';

  clear(): void {
    this.proof = this.frame = null;
    this.shownRoots = '';
    [
      'time', 'checked', 'session', 'scene', 'game', 'epoch', 'ticks', 'length', 'commands', 'keyframes', 'size',
    ].forEach((id) => setText(`p-${id}`, '–'));
    byId('p-events').replaceChildren();
    byId('p-roots').replaceChildren();
    byId('p-warning').hidden = true;
    setText('p-of', '');
    this.showDifference(null);
    this.showLight();
  }

  showAbout(about: About, seek: (tick: number) => void): void {
    const { firstTick, lastTick, tickRateHz } = about;
    setText('p-session', about.session);
    setText('p-scene', about.sceneName || '–');
    setText('p-game', about.game || 'none');
    setText('p-epoch', String(about.epoch));
    setText('p-ticks', `${number.format(firstTick)} to ${number.format(lastTick)}`);
    setText('p-length', `${seconds(lastTick - firstTick, tickRateHz)} at ${tickRateHz} Hz`);
    setText('p-commands', number.format(about.commandCount));
    setText('p-keyframes', number.format(about.keyframes.length));
    setText('p-size', sizeText(about.size));
    setText('p-warning', about.warning);
    byId('p-warning').hidden = about.warning === '';
    const rows = about.events.slice(0, EVENTS_SHOWN).map((event) => {
      const row = make('li');
      const go = make('button');
      go.type = 'button';
      const swatch = make('i');
      swatch.style.background = event.slot === undefined ? '' : memberHex(event.slot);
      go.append(swatch, make('span', eventText(event)), make('small', number.format(event.tick)));
      go.addEventListener('click', () => seek(event.tick));
      row.append(go);
      return row;
    });
    if (about.events.length > EVENTS_SHOWN) {
      rows.push(make('li', `and ${number.format(about.events.length - EVENTS_SHOWN)} more on the time line`, 'soft'));
    }
    byId('p-events').replaceChildren(...(rows.length > 0 ? rows : [make('li', 'Nobody came or went.', 'soft')]));
  }

  showProof(proof: Proof): void {
    this.proof = proof;
    setText('p-checked', `${number.format(proof.checked)} of ${number.format(proof.total)}`);
    const button = byId('p-verify');
    const text = proof.isRunning ? 'Stop' : 'Verify all';
    const label = button.querySelector('span')!;
    if (label.textContent !== text) {
      label.textContent = text;
    }
    this.showLight();
  }

  private showLight(): void {
    const { proof, frame } = this;
    const share = proof ? Math.floor((proof.checked * 100) / proof.total) : 0;
    let [state, text] = ['unknown', 'not verified'];
    if (proof?.wrong !== undefined) {
      [state, text] = ['wrong', `tick ${number.format(proof.wrong)} is wrong`];
    } else if (proof?.checked === proof?.total && proof) {
      [state, text] = ['right', 'all ticks verified'];
    } else if (frame?.sides.some(({ judgement }) => judgement === 'wrong')) {
      [state, text] = ['wrong', `tick ${number.format(frame.tick)} is wrong`];
    } else if (proof) {
      [state, text] = [proof.isRunning ? 'busy' : 'unknown', `${share} % verified`];
    }
    byId('p-light').dataset.state = state;
    setText('p-light-text', text);
  }

  /** @param frame  null: nothing new */
  showFrame(frame: Frame | null, abouts: readonly (About | null)[]): void {
    this.frame = frame ?? this.frame;
    const [about] = abouts;
    if (!this.frame || !about) {
      return;
    }
    const { tick, sides, differing } = this.frame;
    setText('p-time', `${seconds(tick - about.firstTick, about.tickRateHz)} · tick ${number.format(tick)}`);
    const now = sides.map(({ root, judgement }) => `${root}${judgement}`).join();
    if (now !== this.shownRoots) {
      this.shownRoots = now;
      byId('p-roots').replaceChildren(
        ...sides.map(({ root, judgement, recorded }, i) => {
          const line = make('p', '', judgement);
          line.append(
            make('span', sides.length > 1 ? `Root ${'AB'[i]!}` : 'Root'), make('code', root),
            make('small', JUDGEMENTS[judgement] || `the file has ${recorded}`),
          );
          return line;
        }),
      );
    }
    if (sides.length > 1) {
      const text = !differing ? `Tick ${number.format(tick)}: both states are the same.`
        : `Tick ${number.format(tick)}: ${number.format(differing.fields)} ` +
          `${differing.fields === 1 ? 'field differs' : 'fields differ'}, ` +
          `${differing.bodies.length} ${differing.bodies.length === 1 ? 'body' : 'bodies'}.`;
      setText('p-difference-now', text);
    }
    this.showLight();
  }

  // ---- comparing ------------------------------------------------------------------------------------

  showComparing(done: number, total: number): void {
    byId('p-difference').hidden = false;
    setText('p-difference-text', `Comparing: ${Math.floor((100 * done) / Math.max(1, total))} %`);
  }

  /** @param of  null: nothing is compared */
  showDifference(of: Difference | null): void {
    byId('p-difference').hidden = of === null;
    byId('p-difference-go').hidden = of?.tick === undefined;
    ['p-difference-inputs', 'p-difference-fields'].forEach((id) => byId(id).replaceChildren());
    setText('p-difference-count', '');
    setText('p-difference-now', '');
    if (of === null) {
      setText('p-difference-text', '');
      return;
    }
    const headers = of.headers.length > 0 ? ` Headers differ in: ${of.headers.join(', ')}.` : '';
    if (!of.isCommon) {
      setText('p-difference-text', `They have no tick in common.${headers}`);
      return;
    }
    if (of.tick === undefined) {
      setText(
        'p-difference-text',
        `Equal: ${number.format(of.equalTicks)} ticks, from ${number.format(of.firstTick)} ` +
          `to ${number.format(of.lastTick)}.${headers}`,
      );
      return;
    }
    this.differenceTick = of.stateTick!;
    setText(
      'p-difference-text',
      `Different from tick ${number.format(of.tick)} on; ` +
        `${number.format(of.equalTicks)} ticks before it are equal.${headers}`,
    );
    setText('p-difference-go', `Go to tick ${number.format(of.stateTick!)}`);
    byId('p-difference-inputs').replaceChildren(...of.inputs.map((input) => make('li', inputText(input))));
    byId('p-difference-fields').replaceChildren(...of.fields.map(({ place, a, b }) => {
      const line = make('li');
      line.append(make('b', place), make('span', `A ${a}`), make('span', `B ${b}`));
      return line;
    }));
    const counts = [...of.counts].map(([section, count]) => `${number.format(count)} of ${section}`).join(', ');
    setText(
      'p-difference-count',
      of.fieldCount === 0
        ? 'Their states are the same.'
        : `In all ${number.format(of.fieldCount)} ${of.fieldCount === 1 ? 'field' : 'fields'}: ${counts}`,
    );
  }
}
