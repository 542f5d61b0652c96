// The link to a session, for others.
import { showNote } from './view.js';

const hasOnlyThisMachine = (): boolean => /^(localhost|127\.|\[::1\])/.test(location.hostname);

/** Without a secure context there is no clipboard, but a selection can be copied. */
function copySelected(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

export async function shareLink(session: string): Promise<void> {
  const link = new URL(`#/s/${encodeURIComponent(session)}`, document.baseURI).href;
  const before = document.activeElement as HTMLElement | null;
  const isCopied = await (navigator.clipboard?.writeText(link) ?? Promise.reject(new Error())).then(
    () => true,
    () => copySelected(link),
  );
  before?.focus();
  const where = hasOnlyThisMachine() ? ' It leads to this machine: others need its name or address instead.' : '';
  showNote(isCopied ? `The link is copied.${where}` : `This is the link: ${link}`);
}
