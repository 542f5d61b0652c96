// The player's elements. They are made here, not in index.html: a session needs none of them.
import logo from '../icon.svg?url';

const icon = (path: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

const ICONS = {
  first: 'M6 5v14M19 5 9 12l10 7z',
  back: 'M15 5 6 12l9 7zM19 5v14',
  play: 'M7 4.500v15l13-7.500z',
  pause: 'M8 5v14M16 5v14',
  on: 'M9 5l9 7-9 7zM5 5v14',
  last: 'M18 5v14M5 5l10 7-10 7z',
  link:
    'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1' +
    'M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1',
  picture: 'M4 7h4l1.500-2h5L16 7h4v12H4zM12 16.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z',
  compare: 'M4 5h7v14H4zM13 5h7v14h-7z',
  verify: 'M5 12.500 10 17.500 19.500 7',
};
export const playIcon = (isPlaying: boolean): string => icon(isPlaying ? ICONS.pause : ICONS.play);

const button = (id: string, text: string, glyph: string, title: string): string =>
  `<button type="button" id="p-${id}" title="${title}"${text ? '' : ` aria-label="${title}"`}>` +
  `${icon(glyph)}${text ? `<span>${text}</span>` : ''}</button>`;
const ROWS = ['Session', 'Scene', 'Game', 'Epoch', 'Ticks', 'Length', 'Commands', 'Keyframes', 'Size'];
const row = (name: string, id: string): string => `<div><dt>${name}</dt><dd id="p-${id}">–</dd></div>`;
const speedOption = (speed: number): string =>
  `<option value="${speed}"${speed === 1 ? ' selected' : ''}>${speed}×</option>`;

export const PLAYER = `
<header class="bar">
  <a class="home" href="#/sessions" aria-label="Isostep: all sessions"><img src="${logo}" width="24"
    height="24" alt=""><span>Isostep</span></a>
  <a class="up" href="#/recordings">Recordings</a>
  <h1 id="p-name"></h1>
  <output id="p-light" class="light" data-state="unknown"><i></i><span id="p-light-text"></span></output>
  <button id="p-toggle" type="button" aria-expanded="true" aria-controls="p-panel">Panel</button>
</header>
<div class="stages" id="p-stages"></div>
<aside id="p-panel" aria-label="This recording">
  <p id="p-warning" class="warning" hidden></p>
  <section id="p-difference" aria-live="polite" hidden>
    <h2>Difference</h2>
    <p id="p-difference-text"></p>
    <button type="button" id="p-difference-go" hidden></button>
    <ul id="p-difference-inputs" class="fields"></ul>
    <ul id="p-difference-fields" class="fields"></ul>
    <p id="p-difference-count" class="soft"></p>
    <p id="p-difference-now" class="now"></p>
    <button type="button" id="p-compare-end">End the comparison</button>
  </section>
  <section>
    <h2>State</h2>
    <dl>
      <div><dt>Time</dt><dd id="p-time">–</dd></div>
      <div><dt>Verified</dt><dd id="p-checked">–</dd></div>
    </dl>
    <div id="p-roots" class="roots"></div>
  </section>
  <section>
    <h2>Recording</h2>
    <dl>${ROWS.map((name) => row(name, name.toLowerCase())).join('')}</dl>
  </section>
  <section>
    <h2>Events</h2>
    <ol id="p-events"></ol>
  </section>
  <section>
    <h2>Show</h2>
    <label><input type="checkbox" id="p-joints" checked> Joints</label>
    <label><input type="checkbox" id="p-contacts"> Contacts</label>
    <label><input type="checkbox" id="p-names" checked> Names</label>
  </section>
  <section class="keys">
    <h2>Keys</h2>
    <p><kbd>space</kbd> play, <kbd>←</kbd><kbd>→</kbd> one tick, with <kbd>shift</kbd> one second,
      <kbd>home</kbd><kbd>end</kbd>, <kbd>[</kbd><kbd>]</kbd> speed, <kbd>+</kbd><kbd>−</kbd> zoom, <kbd>0</kbd> fit</p>
  </section>
</aside>
<footer class="deck" role="group" aria-label="Playing">
  <div class="timeline" id="p-timeline">
    <canvas aria-hidden="true"></canvas>
    <input type="range" min="0" max="1" step="1" value="0" aria-label="Tick">
    <span class="tip" hidden></span>
    <span id="p-real"></span>
  </div>
  <div class="controls">
    <div class="transport">
      ${button('first', '', ICONS.first, 'To the first tick (home)')}
      ${button('back', '', ICONS.back, 'One tick back (left arrow)')}
      <button type="button" id="p-play" title="Play or stop (space)" aria-label="Play">${playIcon(false)}</button>
      ${button('on', '', ICONS.on, 'One tick on (right arrow)')}
      ${button('last', '', ICONS.last, 'To the last tick (end)')}
    </div>
    <label class="tick">Tick <input id="p-tick" type="text" inputmode="numeric" autocomplete="off" spellcheck="false"
      size="8"><span id="p-of"></span></label>
    <label class="speed">Speed <select id="p-speed">${SPEEDS.map(speedOption).join('')}</select></label>
    <div class="tools">
      ${button('verify', 'Verify all', ICONS.verify, 'Computes every tick and compares its root')}
      ${button('compare', 'Compare', ICONS.compare, 'Beside another recording')}
      ${button('link', 'Link', ICONS.link, 'Copies a link to this tick')}
      ${button('save', 'Picture', ICONS.picture, 'Saves a picture (PNG)')}
    </div>
  </div>
</footer>
<div class="fault" id="p-fault" role="alert" hidden><h2 id="p-fault-title"></h2><p
  id="p-fault-text"></p><div><button type="button" id="p-fault-again">Choose a file</button> <a
  href="#/recordings">All recordings</a></div></div>
<div class="loading" id="p-loading" role="status" hidden><span id="p-loading-text"></span><progress
  id="p-loading-bar" max="1" value="0" aria-label="Loading"></progress></div>
<dialog id="p-choose" aria-labelledby="p-choose-title">
  <h2 id="p-choose-title">Compare with</h2>
  <ul class="files" id="p-choose-list"></ul>
  <div class="row"><button type="button" id="p-choose-file">Choose a file</button> <button type="button"
    id="p-choose-end">Cancel</button></div>
</dialog>`;

export const LIST = `
<h1><img src="${logo}" width="44" height="44" alt=""> Recordings</h1>
<p class="lead">Every session is recorded as what came in, tick by tick. This tab computes all of it anew, and
  proves that each tick has the recorded root.</p>
<button type="button" class="drop" id="r-choose"><b>Open a file</b><span>Drop an .isr file anywhere, or choose
  one. It does not leave this tab.</span></button>
<h2>On this server</h2>
<ul class="files" id="r-list" aria-live="polite"></ul>
<p><a href="#/sessions">All sessions</a></p>`;
