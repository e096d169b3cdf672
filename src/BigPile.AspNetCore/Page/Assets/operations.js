// What the service does just now, and how far it is. Only a key that may administrate is told.

import { ApiError, apiKey, getJson } from './api.js';
import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, count, percent } from './format.js';

let refusedKey = null;

// Asks no more with a key that was refused, nor where there are no operations: the answer would be the same each time.
export async function lookAtOperations() {
  if (refusedKey === apiKey()) return;
  try {
    show((await getJson('v1/operations')).operations.filter(operation => operation.state === 'running'));
  } catch (error) {
    show([]);
    if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404)) throw error;
    refusedKey = apiKey();
  }
}

function show(operations) {
  byId('operations').hidden = operations.length === 0;
  keyedRows(byId('operations-body'), operations, operation => operation.id, row, (made, operation) => {
    const [, bar, figure] = made.children;
    const progress = operation.progress ?? {};
    if (progress.total === undefined) bar.removeAttribute('value');
    else bar.value = progress.fraction;
    setText(figure, textOf(progress));
  });
}

function row(operation) {
  const name = operation.table === undefined ? operation.kind : `${operation.kind} ${operation.table}`;
  const label = element('label', { for: `operation-${operation.id}` }, name);
  return element('div', { class: 'progress-row' }, label, element('progress', { id: `operation-${operation.id}`, max: '1' }), element('span', { class: 'figure' }));
}

function textOf(progress) {
  if (progress.total === undefined) return progress.records !== undefined ? `${count(progress.records)} records` : progress.entries !== undefined ? `${count(progress.entries)} entries` : '';
  const parts = progress.unit === 'bytes' ? `${bytes(progress.done)} of ${bytes(progress.total)}` : `${count(progress.done)} of ${count(progress.total)} ${progress.unit}`;
  return `${percent(progress.fraction)}, ${parts}`;
}
