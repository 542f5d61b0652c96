// Says what a browser lacks. It is written for old ones, and loaded before the page's script, which they may not be
// able to read.
(function () {
  'use strict';
  var BROWSERS = 'Isostep runs in Chrome, Edge and Opera from version 111, Firefox from 114 and Safari from 16.4.';

  function say(title, text) {
    document.documentElement.setAttribute('data-unsupported', ''); // the page's script does not begin
    var message = document.getElementById('unsupported');
    if (!message) { // the error came before the page was read
      document.addEventListener('DOMContentLoaded', function () { say(title, text); });
      return;
    }
    document.getElementById('unsupported-title').textContent = title;
    document.getElementById('unsupported-text').textContent = text;
    message.removeAttribute('hidden');
  }

  /** Whether Workers may be modules. A browser that knows the option asks for it before it does anything else. */
  function hasModuleWorkers() {
    var asked = false;
    var options = { get type() { asked = true; throw 0; } };
    try {
      new Worker('./icon.svg', options).terminate();
    } catch (error) { /* thrown above, or there are none */ }
    return asked;
  }

  var lacks = [];
  if (typeof WebAssembly !== 'object') {
    lacks.push(['WebAssembly', 'If it was switched off, as in a lockdown mode, switch it on for this page.']);
  }
  if (typeof WebGL2RenderingContext === 'undefined') {
    lacks.push(['WebGL 2', 'If it was switched off, switch hardware acceleration on in the settings.']);
  }
  if (!('noModule' in document.createElement('script'))) {
    lacks.push(['modules', '']);
  } else if (!hasModuleWorkers()) {
    lacks.push(['Workers of modules', '']);
  }
  if (typeof BigInt64Array === 'undefined') {
    lacks.push(['64-bit integers (BigInt64Array)', '']);
  }
  if (lacks.length > 0) {
    var names = lacks.map(function (lack) {
      return lack[0];
    });
    var advice = lacks
      .map(function (lack) {
        return lack[1];
      })
      .filter(Boolean);
    var text = advice.concat(['Else update it, or take another one.', BROWSERS]).join(' ');
    say('This browser has no ' + names.join(', no '), text);
  }

  window.addEventListener('error', function (event) {
    var target = event.target;
    if (window.isostep) {
      return; // the page runs
    }
    if (target && target.tagName === 'SCRIPT') {
      say('A part of the page did not load', 'The server may be restarting, or has a new version. Reload the page.');
    } else if (event.error instanceof SyntaxError || /SyntaxError/.test(event.message || '')) {
      say('This browser cannot read the page\'s script', 'Update it, or take another one. ' + BROWSERS);
    }
  }, true);
}());
