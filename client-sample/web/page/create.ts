// The form that makes a session: of a built-in scene, or of a file with one.
import { askScenes, createSession, isDone, wordsOf, type Answer, type Scene } from './api.js';
import { hasGame } from './sessions.js';
import { hasSession, tokenField } from './start.js';
import { passwords } from './passwords.js';
import { byId, make, number } from './view.js';

const NAME_MAX = 63; // characters
const FIRST = 'sandbox';
const PASSWORD_MAX = 63; // [bytes]
const FILE_MAX = 1 << 20; // [bytes]
const GROUPS = [['game', 'Games'], ['space', 'In space'], ['scene', 'Scenes'], ['large', 'Large worlds']] as const;

const FORM = `<form novalidate>
  <label for="new-name">Name</label>
  <input id="new-name" autocomplete="off" spellcheck="false" autocapitalize="none" aria-describedby="new-name-fault">
  <p class="fault" id="new-name-fault" role="alert"></p>
  <fieldset aria-describedby="scene-fault"><legend>Scene</legend>
    <div id="scenes"><p class="soft" role="status">Reading the scenes of the server …</p></div>
    <label id="file-label"><input type="file" id="file" accept=".json,application/json"><span
      id="file-text"></span></label>
    <div class="fault" id="scene-fault" role="alert"></div>
  </fieldset>
  <label for="new-password">Password, if those who come shall need one</label>
  <input id="new-password" type="password" autocomplete="new-password" aria-describedby="new-password-fault">
  <p class="fault" id="new-password-fault" role="alert"></p>
  <label class="check"><input id="new-private" type="checkbox"> Private: only who has its link finds it</label>
  <p class="fault" id="new-fault" role="alert"></p>
  <div class="actions"><button class="main" id="make">Create and play</button> <button type="button"
    id="cancel">Cancel</button></div>
</form>`;
const FILE_ASK = 'Or take a scene file: drop it here, or choose one';

let own: { readonly file: string; readonly name: string; readonly text: string } | null = null; // the file's scene
let reading: File | null = null; // that will be `own`
let isNamed = false; // by the user
let opened = 0; // how often the form was

const nameField = (): HTMLInputElement => byId<HTMLInputElement>('new-name');
const passwordField = (): HTMLInputElement => byId<HTMLInputElement>('new-password');
const chosen = (): string => byId('scenes').querySelector<HTMLInputElement>('input:checked')?.value ?? '';

// ---- the name -------------------------------------------------------------------------------------------

/** A free name after the scene. */
function suggestName(): void {
  if (!isNamed) {
    const base =
      (own?.name ?? chosen())
        .toLowerCase()
        .replace(/[^a-z0-9-]+/g, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, NAME_MAX - 4) || 'session';
    let name = base;
    for (let i = 2; hasSession(name); ++i) {
      name = `${base}-${i}`;
    }
    nameField().value = name;
    fault('new-name', '');
  }
}

/** @return what is wrong with it, or "" */
function judgeName(name: string): string {
  if (name === '') {
    return 'A session needs a name.';
  }
  const wrong = /[^a-z0-9-]/.exec(name)?.[0];
  if (wrong !== undefined) {
    return `A name has a to z, 0 to 9 and -, but no “${wrong}”.`;
  }
  return name.length > NAME_MAX ? `A name has at most ${NAME_MAX} characters; this one has ${name.length}.`
    : hasSession(name) ? `There is a session of this name. Take another name, or play in that one.` : '';
}

function fault(of: 'new-name' | 'new-password' | 'scene' | 'new', ...words: (string | Node)[]): void {
  byId(`${of}-fault`).replaceChildren(...words);
  if (of === 'new-name') {
    nameField().setAttribute('aria-invalid', String(words[0] !== ''));
  }
}

// ---- the scene ------------------------------------------------------------------------------------------

function card({ name, title, bodies, memory_mib: memory, fits, game = '' }: Scene): HTMLElement {
  const label = make('label');
  const input = make('input');
  const text = make('span');
  input.type = 'radio';
  input.name = 'scene';
  input.value = name;
  const isPlayed = hasGame(game);
  input.disabled = fits === false || !isPlayed;
  const facts = !isPlayed
    ? `its game is ${game}, which this page does not have`
    : fits === false
      ? `needs more memory: start the server with --memory ${memory}`
      : `${number.format(bodies)} ${bodies === 1 ? 'body' : 'bodies'}`;
  text.append(make('b', name), make('span', title), make('small', facts));
  label.className = 'scene';
  label.append(input, text);
  return label;
}

/** What is offered first. The order of the others is the server's. */
const rank = ({ name, kind }: Scene): number => (name === FIRST ? 0 : kind === 'game' ? 1 : 2);

function showScenes(scenes: readonly Scene[]): void {
  const groups = GROUPS.flatMap(([of, title]) => {
    const cards = scenes
      .filter(({ dimensions, kind }) => (dimensions === 3 ? 'space' : kind) === of)
      .sort((a, b) => rank(a) - rank(b))
      .map(card);
    const group = make('div');
    group.className = 'group';
    group.append(...cards);
    return cards.length === 0 ? [] : [make('h3', title), group];
  });
  byId('scenes').replaceChildren(...groups);
  if (own === null && reading === null) {
    byId('scenes').querySelector<HTMLInputElement>('input:enabled')?.click();
  }
}

async function readScenes(): Promise<void> {
  const scenes = byId('scenes');
  const found = await askScenes().catch((error: Error) => error);
  if (!scenes.isConnected) {
    return; // the form was closed
  }
  if (found instanceof Error) {
    const again = make('button', 'Ask again');
    again.type = 'button';
    again.onclick = () => void readScenes();
    const text = make('p', `The scenes of the server are not known. ${found.message} `);
    text.className = 'soft';
    text.append(again);
    scenes.replaceChildren(text);
  } else {
    showScenes(found);
  }
}

/** @return what is wrong with it, or "" */
function judgeFile({ name, size }: File): string {
  if (size > FILE_MAX) {
    return `${name} has ${number.format(size)} bytes; a scene has at most ${number.format(FILE_MAX)}.`;
  }
  return size === 0 ? `${name} is empty.` : '';
}

async function takeFile(file: File): Promise<void> {
  const wrong = judgeFile(file);
  fault('scene', wrong);
  fault('new', '');
  reading = wrong === '' ? file : null;
  if (wrong !== '') {
    return;
  }
  const text = await file.text();
  if (reading !== file) {
    return; // the form was closed, or something else was chosen
  }
  own = { file: file.name, name: file.name.replace(/[.].*$/, ''), text };
  byId('scenes').querySelectorAll<HTMLInputElement>('input:checked').forEach((input) => (input.checked = false));
  byId('file-text').textContent = `${file.name}, ${number.format(file.size)} bytes`;
  byId('file-label').classList.add('chosen');
  suggestName();
}

function dropFile(): void {
  own = reading = null;
  byId<HTMLInputElement>('file').value = '';
  byId('file-text').textContent = FILE_ASK;
  byId('file-label').classList.remove('chosen');
  fault('scene', '');
}

/** The line of the file that the server speaks of, with a mark below the column. */
function quote(error: string): HTMLElement | null {
  const [, line, column] = /\bline (\d+), column (\d+)/.exec(error) ?? /\b(\d+):(\d+)\b/.exec(error) ?? [];
  const text = own?.text.split('\n')[Number(line) - 1];
  if (text === undefined) {
    return null;
  }
  const at = Math.max(0, Number(column) - 1);
  const from = Math.max(0, at - 30); // a line may be long
  const plain = (part: string): string => part.replace(/\s/g, ' ');
  const made = make(
    'pre', `${line} │ ${plain(text.slice(from, at + 30))}\n${' '.repeat(line!.length)} │ ${' '.repeat(at - from)}^`,
  );
  made.tabIndex = 0; // it may have to be scrolled
  return made;
}

// ---- making it ------------------------------------------------------------------------------------------

/** Says what was refused where it can be mended. */
function tell(answer: Answer): void {
  const words = wordsOf(answer);
  const isOfName = answer.status === 409 || (answer.status === 400 && /^(\/|")?name\b/i.test(answer.error));
  if (isOfName) {
    fault('new-name', words);
    nameField().focus();
  } else if (answer.status === 400 && answer.error.includes('/password')) {
    fault('new-password', words);
  } else if (answer.status === 400 || answer.status === 413) {
    const lines = quote(answer.error);
    fault('scene', make('p', own === null ? words : `${own.file}: ${words}`), ...(lines === null ? [] : [lines]));
  } else {
    fault('new', words, ...(answer.status === 401 ? [tokenField(() => void submit())] : []));
  }
}

async function submit(): Promise<void> {
  const name = nameField().value.trim();
  const wrong = judgeName(name);
  const password = passwordField().value;
  const isLong = new TextEncoder().encode(password).length > PASSWORD_MAX;
  fault('new-name', wrong);
  fault(
    'new-password',
    isLong ? `A password has at most ${PASSWORD_MAX} bytes, of which some letters take two to four.` : '',
  );
  fault('scene', '');
  fault('new', '');
  if (wrong !== '' || isLong) {
    (wrong !== '' ? nameField() : passwordField()).focus();
    return;
  }
  if (own === null && chosen() === '') {
    fault('scene', 'Choose a scene, or a file with one.');
    return;
  }
  const button = byId<HTMLButtonElement>('make');
  button.setAttribute('aria-disabled', 'true');
  const [from, of] = [location.hash, opened];
  const answer = await createSession(name, own === null ? { scene: chosen() } : { document: own.text }, {
    ...(password === '' ? {} : { password }),
    ...(byId<HTMLInputElement>('new-private').checked ? { private: true } : {}),
  });
  button.setAttribute('aria-disabled', 'false');
  if (isDone(answer)) {
    passwords.set(name, password);
  }
  if (!button.isConnected) {
    return; // the form was closed: another one may be open
  }
  if (!isDone(answer)) {
    tell(answer);
    return;
  }
  if (of !== opened) {
    return; // it was closed, and opened again
  }
  const isHere = !byId('create').hidden && location.hash === from; // else the user has gone elsewhere
  close();
  if (isHere) {
    location.hash = `#/s/${encodeURIComponent(name)}`;
  }
}

function close(): void {
  byId('create').hidden = true;
  byId('create').replaceChildren();
  byId('new').setAttribute('aria-expanded', 'false');
  own = reading = null;
  isNamed = false;
}

function build(): void {
  byId('create').innerHTML = FORM;
  byId('create').querySelector('form')!.onsubmit = (event) => {
    event.preventDefault();
    if (byId('make').getAttribute('aria-disabled') !== 'true') {
      void submit();
    }
  };
  nameField().oninput = () => {
    isNamed = nameField().value !== '';
    fault('new-name', judgeName(nameField().value.trim()));
  };
  passwordField().oninput = () => fault('new-password', '');
  byId('scenes').onchange = () => {
    dropFile();
    suggestName();
  };
  byId<HTMLInputElement>('file').onchange = () => {
    const file = byId<HTMLInputElement>('file').files?.[0];
    if (file) {
      void takeFile(file);
    }
  };
  byId('cancel').onclick = () => {
    close();
    byId('new').focus();
  };
  dropFile();
}

/** @param file  a scene that was dropped */
export async function showForm(file?: File): Promise<void> {
  opened += 1;
  if (byId('create').firstElementChild?.tagName !== 'FORM') {
    build();
    void readScenes();
  }
  byId('create').scrollIntoView({ block: 'nearest' });
  nameField().focus();
  if (file) {
    await takeFile(file);
  }
}
