// Recordings of the server, and files of this device.
import { right } from '../token.js';
import { byId } from '../view.js';

export interface FileRow {
  readonly name: string;
  readonly size: number;
  readonly modified: string;
}

export const sizeText = (size: number): string =>
  size < 1e3 ? `${size} bytes` : size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;

const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** @throws Error  the server does not answer */
export async function askRecordings(): Promise<FileRow[]> {
  const answer = await fetch(new URL('api/recordings', document.baseURI), { headers: right() });
  if (!answer.ok) {
    throw new Error(`${answer.status} ${answer.statusText}`);
  }
  return ((await answer.json()) as { recordings: FileRow[] }).recordings;
}

/**
 * @param progress  is told the share that has come
 * @throws Error  the server does not have it, or does not answer
 */
export async function loadRecording(
  name: string, progress: (share: number) => void, signal: AbortSignal,
): Promise<ArrayBuffer> {
  const answer = await fetch(new URL(`api/recordings/${encodeURIComponent(name)}`, document.baseURI), {
    headers: right(), signal,
  });
  if (!answer.ok || !answer.body) {
    await answer.text(); // to its end
    throw new Error(
      answer.status === 404
        ? 'The server has no such recording. One that is still being written is not there yet.'
        : `The server says ${answer.status} ${answer.statusText}.`,
    );
  }
  const size = Number(answer.headers.get('content-length') ?? 0);
  const parts: Uint8Array[] = [];
  let have = 0;
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    have += part.value.length;
    progress(size > 0 ? have / size : 0);
  }
  const all = new Uint8Array(have);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}

/**
 * Fills a list of recordings.
 * @param rows  null: the server does not answer
 * @param none  what to say when there is none
 */
export function fillList(
  id: string, rows: readonly FileRow[] | null, href: (name: string) => string, none: string,
): void {
  const items = (rows ?? []).map(({ name, size, modified }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = href(name);
    const [title, details] = [document.createElement('b'), document.createElement('small')];
    title.textContent = name;
    details.textContent = `${sizeText(size)} · ${modified ? when.format(new Date(modified)) : ''}`;
    link.append(title, details);
    item.append(link);
    return item;
  });
  if (items.length === 0) {
    const empty = document.createElement('li');
    empty.className = 'empty';
    empty.textContent = rows === null
      ? 'The server does not answer. This page tries again every few seconds.'
      : none;
    items.push(empty);
  }
  const list = byId(id);
  if (list.textContent !== items.map((item) => item.textContent).join('')) {
    const focus = [...list.querySelectorAll('a')].findIndex((link) => link === document.activeElement);
    list.replaceChildren(...items);
    list.querySelectorAll('a')[focus]?.focus();
  }
}

/** Asks the user for a file. */
export function chooseFile(then: (file: File) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.isr,.part';
  input.addEventListener('change', () => input.files?.[0] && then(input.files[0]));
  input.click();
}

/** A file that is dropped anywhere on an element. */
export function takeDrops(of: HTMLElement, then: (file: File) => void): void {
  const has = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  of.addEventListener('dragover', (event) => {
    if (has(event)) {
      event.preventDefault();
      of.classList.add('dropping');
    }
  });
  of.addEventListener('dragleave', (event) => event.relatedTarget === null && of.classList.remove('dropping'));
  of.addEventListener('drop', (event) => {
    event.preventDefault();
    of.classList.remove('dropping');
    const file = event.dataTransfer?.files[0];
    if (file) {
      then(file);
    }
  });
}
