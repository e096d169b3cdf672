// The running operations with their progress, and the results of ended ones. Only a key with the scope admin may read them.

import { may } from './access.js';
import { ApiError, apiKey, getJson } from './api.js';
import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, clock, count, counted, duration, percent } from './format.js';

let refusedKey = null;

export function makeOperations(onAction, onStop) {
  byId('pile-actions').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button !== null) onAction(button.dataset.action);
  });
  byId('operations-body').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button !== null) onStop(button.closest('.progress-row').dataset.key, button.dataset.name);
  });
}

// Stops asking with a refused key, and where there are no operations: the answer would not change.
export async function lookAtOperations() {
  if (!may().operations || refusedKey === apiKey()) return;
  try {
    show((await getJson('v1/operations')).operations);
  } catch (error) {
    byId('operations').hidden = true;
    if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404)) throw error;
    refusedKey = apiKey();
  }
}

function show(operations) {
  byId('operations').hidden = false;
  const running = operations.filter(operation => operation.state === 'running');
  const ended = operations.filter(operation => operation.state !== 'running');
  setText(byId('operations-note'), operations.length === 0 ? 'none since the start' : running.length === 0 ? 'none runs' : `${count(running.length)} ${running.length === 1 ? 'runs' : 'run'}`);
  keyedRows(byId('operations-body'), running, operation => operation.id, row, (made, operation) => {
    const [, bar, figure] = made.children;
    const progress = operation.progress ?? {};
    if (progress.total === undefined) bar.removeAttribute('value');
    else bar.value = progress.fraction;
    setText(figure, textOf(progress));
  });
  byId('history').hidden = ended.length === 0;
  keyedRows(byId('history-rows'), ended, operation => operation.id, endedRow, () => {});
}

function nameOf(operation) {
  return operation.table === undefined ? operation.kind : `${operation.kind} ${operation.table}`;
}

function row(operation) {
  const name = nameOf(operation);
  const label = element('label', { for: `operation-${operation.id}` }, name);
  const stop = element('button', { type: 'button', class: 'small', 'data-name': name, 'aria-label': `Stop ${name}` }, 'Stop…');
  return element('div', { class: 'progress-row' }, label, element('progress', { id: `operation-${operation.id}`, max: '1' }), element('span', { class: 'figure' }), stop);
}

function textOf(progress) {
  if (progress.total === undefined) return progress.records !== undefined ? counted(progress.records, 'record') : progress.entries !== undefined ? counted(progress.entries, 'entry', 'entries') : '';
  const parts = progress.unit === 'bytes' ? `${bytes(progress.done)} of ${bytes(progress.total)}` : `${count(progress.done)} of ${counted(progress.total, progress.unit.slice(0, -1), progress.unit)}`;
  return `${percent(progress.fraction)}, ${parts}`;
}

// Ended operations no longer change.
function endedRow(operation) {
  const took = (new Date(operation.endedAt) - new Date(operation.startedAt)) / 1000;
  return element('tr', {},
    element('th', { scope: 'row' }, nameOf(operation)),
    element('td', {}, element('span', { class: `state ${operation.state}` }, operation.state)),
    element('td', { title: operation.startedAt }, clock(operation.startedAt)),
    element('td', {}, took < 1 ? `${Math.max(0, Math.round(took * 1000))} ms` : duration(took)),
    element('td', { class: 'outcome' }, outcomeOf(operation)));
}

function outcomeOf(operation) {
  if (operation.error !== undefined) return operation.error.detail ?? operation.error.title;
  const result = operation.result;
  if (result === undefined) return operation.state === 'cancelled' ? `stopped${textOf(operation.progress ?? {}) === '' ? '' : ` at ${textOf(operation.progress)}`}` : '';
  if (result.isSound !== undefined) return `${result.isSound ? 'sound' : counted(result.faultCount, 'fault')}; ${counted(result.blocks, 'block')}, ${bytes(result.payloadBytes)} of payload${result.isSound ? '' : `; ${result.faults.join('; ')}`}`;
  if (result.freedBytes !== undefined) return `${bytes(result.freedBytes)} given back`;
  if (result.removed !== undefined) return `removed ${Object.entries(result.removed).map(([table, number]) => `${count(number)} from ${table}`).join(', ')}`;
  return Object.entries(result).filter(([, value]) => typeof value !== 'object' && value !== 0).map(([name, value]) => `${name} ${typeof value === 'number' ? count(value) : value}`).join(', ');
}
