// The recovery of a pile that was found on disk: its progress, and its findings.

import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, counted, percent } from './format.js';

const names = { progress: 'Opening', recovery: 'Pages examined', index: 'Tables indexed' };

export function isWarming(recovery) {
  return recovery.remainingBytes > 0 || recovery.indexProgress < 1;
}

export function showRecovery(recovery) {
  const bars = [];
  if (recovery.remainingBytes > 0) bars.push({ name: 'Pages examined', share: recovery.progress, text: `${bytes(recovery.totalBytes - recovery.remainingBytes)} of ${bytes(recovery.totalBytes)}` });
  if (recovery.indexProgress < 1) bars.push({ name: 'Tables indexed', share: recovery.indexProgress, text: `${counted(recovery.indexEntries, 'entry', 'entries')} found` });
  show(bars, findings(recovery));
}

// While the pile opens, only the health report is available, with a share if known.
export function showStarting(health) {
  const bars = [];
  for (const [name, value] of Object.entries(health)) {
    const share = typeof value === 'object' && value !== null ? value.progress : name.toLowerCase().endsWith('progress') ? value : undefined;
    if (typeof share === 'number') bars.push({ name: names[name] ?? name, share, text: '' });
  }
  const awaited = Array.isArray(health.awaited) && health.awaited.length > 0 ? `Waiting for: ${health.awaited.join(', ')}.` : '';
  show(bars, `The service is ${health.status ?? 'starting'}. ${awaited}`);
}

function show(bars, note) {
  byId('recovery').hidden = bars.length === 0 && note === '';
  const body = byId('recovery-body');
  const lines = [...bars, ...(note === '' ? [] : [{ name: '', note }])];
  keyedRows(body, lines, line => line.name, line => (line.note === undefined ? bar(line.name) : element('p', { class: 'note' })), (row, line) => {
    if (line.note !== undefined) {
      setText(row, line.note);
      return;
    }
    const [, track, figure] = row.children;
    track.setAttribute('aria-valuenow', (line.share * 100).toFixed(0));
    track.firstElementChild.style.width = `${line.share * 100}%`;
    setText(figure, line.text === '' ? percent(line.share) : `${percent(line.share)}, ${line.text}`);
  });
}

function bar(name) {
  const track = element('div', { class: 'progress', role: 'progressbar', 'aria-label': name, 'aria-valuemin': '0', 'aria-valuemax': '100' }, element('span'));
  return element('div', { class: 'progress-row' }, element('span', {}, name), track, element('span', { class: 'figure' }));
}

function findings(recovery) {
  if (recovery.totalBytes === 0) return '';
  const how = recovery.wasClean ? 'The last owner closed the pile.' : recovery.wasPowerCut ? 'The machine stopped while the pile was open.' : 'The last owner did not close the pile.';
  const found = [
    [recovery.restored, 'block', ' restored from the flush log'],
    [recovery.orphans, 'unfinished payload', ' freed'],
    [recovery.faults, 'damaged place', `, ${bytes(recovery.lostBytes)} of payload dropped`],
  ].filter(([number]) => number > 0).map(([number, what, became]) => counted(number, what) + became);
  const done = isWarming(recovery) ? '' : `All ${bytes(recovery.totalBytes)} of pages are examined.`;
  return [how, done, recovery.indexRestored ? 'The index came back as it was saved.' : '', found.length === 0 ? 'No damage found.' : `${found.join('; ')}.`].filter(text => text !== '').join(' ');
}
