// Actions that change something. Each asks for confirmation, names its effect and its target, and reports the outcome.

import { ApiError, change, entryPath, tablePath } from './api.js';
import { makeDialog, openDialog } from './dialogs.js';
import { byId, element, setText } from './dom.js';
import { visible } from './text.js';

let asked = null;
let isRunning = false;
let afterwards = () => {};

export function makeActions(onDone) {
  afterwards = onDone;
  const dialog = byId('action-dialog');
  makeDialog(dialog, byId('action-cancel'));
  dialog.addEventListener('close', () => {
    asked = null;
    byId('action-fields').replaceChildren();
  });
  byId('action-form').addEventListener('submit', event => {
    event.preventDefault();
    void run();
  });
  byId('action-form').addEventListener('input', allow);
}

// Asks for confirmation: title, effect, target, fields, and the action. A dangerous action requires the name to be typed.
function ask(question) {
  if (isRunning || document.querySelector('dialog[open]') !== null) return;
  asked = question;
  say('');
  setText(byId('action-title'), question.title);
  setText(byId('action-text'), question.text);
  byId('action-subject').replaceChildren(...(question.subject === undefined ? [] : visible(question.subject)));
  byId('action-subject').hidden = question.subject === undefined;
  byId('action-fields').replaceChildren(...(question.fields ?? []).map(field));
  setText(byId('action-do'), question.verb);
  byId('action-do').className = question.isGrave ? 'grave' : 'primary';
  showError('');
  allow();
  openDialog(byId('action-dialog'), question.fallback ?? 'tables-heading');
}

function field({ name, label, kind = 'input', value = '', hint = '', options = [], ...attributes }) {
  const control = element(kind, { name, id: `action-${name}`, autocomplete: 'off', spellcheck: 'false', ...attributes }, ...options.map(([key, text]) => element('option', { value: key }, text)));
  if (attributes.type === 'checkbox') return element('label', { class: 'check' }, control, label);
  control.value = value;
  const parts = [element('label', { for: control.id }, label), control];
  if (hint !== '') {
    control.setAttribute('aria-describedby', `hint-${name}`);
    parts.push(element('p', { class: 'hint', id: `hint-${name}` }, hint));
  }
  return element('div', { class: 'field' }, ...parts);
}

function valueOf(name) {
  const control = byId('action-form').elements.namedItem(name);
  return control.type === 'checkbox' ? control.checked : control.value;
}

function allow() {
  byId('action-do').disabled = isRunning || (asked?.typed !== undefined && valueOf('typed') !== asked.typed);
}

function showError(text) {
  byId('action-error').hidden = text === '';
  setText(byId('action-error'), text);
  if (text !== '') byId('action-error').scrollIntoView({ block: 'center' });
}

async function run() {
  const question = asked;
  if (question === null || isRunning) return;
  isRunning = true;
  allow();
  showError('');
  try {
    const done = await question.run();
    isRunning = false;
    say(done);
    if (asked === question) byId('action-dialog').close();
    afterwards();
  } catch (error) {
    isRunning = false;
    const text = question.explain?.(error) ?? (error instanceof ApiError ? error.message : 'The service can’t be reached.');
    if (asked === question) showError(text);
    else say(`${question.title}: ${text}`);
    allow();
  }
}

export function say(text) {
  byId('said').hidden = text === '';
  setText(byId('said'), text);
}

const priorities = [['', 'as the table says'], ['low', 'low'], ['normal', 'normal'], ['high', 'high'], ['never-evict', 'never evict']];

const lifetime = [
  { name: 'ttl', label: 'Time to live', hint: 'As in 30s, 5m, 2h or 1d. Empty: as the table says.' },
  { name: 'sliding', label: 'Time that each use gives', hint: 'Likewise.' },
  { name: 'tags', label: 'Tags', hint: 'Commas between them.' },
  { name: 'priority', label: 'Priority', kind: 'select', options: priorities },
];

export function askPut(table, onPut) {
  ask({
    title: 'Put an entry',
    text: 'A table that is not there is made.',
    verb: 'Put',
    fields: [
      { name: 'table', label: 'Table', value: table, required: '' },
      { name: 'key', label: 'Key', required: '' },
      { name: 'type', label: 'Content type', value: 'application/json' },
      { name: 'payload', label: 'Payload', kind: 'textarea', rows: '5' },
      ...lifetime,
      { name: 'isReplaced', label: 'Replace an entry that has this key', type: 'checkbox' },
    ],
    run: () => put(valueOf('table'), valueOf('key'), valueOf('isReplaced') ? {} : { 'If-None-Match': '*' }, onPut),
    explain: error => (error.status === 412 ? 'There is an entry with this key. To put this one in its place, choose so above.' : undefined),
  });
}

export function askReplace(table, key, entry, onPut) {
  ask({
    title: 'Replace the entry',
    text: `Its payload in the table “${table}” is lost, and its lifetime begins anew. Tags are kept as hashes only: say them again, or it has none.`,
    subject: key,
    verb: 'Replace',
    isGrave: true,
    fallback: 'keys',
    fields: [
      { name: 'type', label: 'Content type', value: entry.type },
      { name: 'payload', label: 'Payload', kind: 'textarea', rows: '8', value: entry.text ?? '', hint: entry.text === null ? 'The payload that is there can’t be changed as text.' : '' },
      ...lifetime,
    ],
    run: () => put(table, key, { 'If-Match': entry.tag }, onPut),
    explain: changed,
  });
  byId('action-priority').value = entry.priority;
}

async function put(table, key, condition, onPut) {
  const headers = { ...condition, 'Content-Type': valueOf('type') };
  for (const [name, header] of [['ttl', 'BigPile-Ttl'], ['sliding', 'BigPile-Sliding'], ['tags', 'BigPile-Tags'], ['priority', 'BigPile-Priority']]) {
    if (valueOf(name) !== '') headers[header] = octets(valueOf(name));
  }
  const isNew = (await change('PUT', entryPath(table, key), { headers, body: new TextEncoder().encode(valueOf('payload')) })).status === 201;
  onPut(table, key);
  return `${isNew ? 'Put' : 'Replaced'} an entry in the table “${table}”.`;
}

// Headers are bytes; the service reads them as UTF-8.
function octets(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

function changed(error) {
  return error.status === 412 ? 'The entry was changed since it was shown. Look at it again first.' : undefined;
}

export function askTouch(table, key, entry, onTouched) {
  ask({
    title: 'Touch the entry',
    text: `Its time in the table “${table}” begins anew, and it gets a new version.`,
    subject: key,
    verb: 'Touch',
    fallback: 'keys',
    fields: [{ name: 'ttl', label: 'Time to live', hint: 'As in 30s, 5m, 2h or 1d. Empty: as long as when it was put.' }],
    run: async () => {
      const headers = { 'If-Match': entry.tag };
      if (valueOf('ttl') !== '') headers['BigPile-Ttl'] = octets(valueOf('ttl'));
      await change('POST', `${entryPath(table, key)}:touch`, { headers });
      onTouched(table, key);
      return `Touched an entry of the table “${table}”.`;
    },
    explain: changed,
  });
}

export function askDelete(table, key, entry, onDeleted) {
  ask({
    title: 'Delete the entry',
    text: `It goes from the table “${table}”, and can’t be had back.`,
    subject: key,
    verb: 'Delete',
    isGrave: true,
    fallback: 'keys',
    run: async () => {
      await change('DELETE', entryPath(table, key), { headers: { 'If-Match': entry.tag } });
      onDeleted(table, key);
      return `Deleted an entry of the table “${table}”.`;
    },
    explain: changed,
  });
}

export function askEvict(table, onEvicted) {
  ask({
    title: 'Evict by tag',
    text: 'All entries of the table that have one of the tags go, and can’t be had back.',
    verb: 'Evict',
    isGrave: true,
    fields: [
      { name: 'table', label: 'Table', value: table, required: '' },
      { name: 'tags', label: 'Tags', required: '', hint: 'Commas between them.' },
    ],
    run: async () => {
      const tags = valueOf('tags').split(',').map(tag => tag.trim()).filter(tag => tag !== '');
      const name = valueOf('table');
      await change('POST', `${tablePath(name)}:evict`, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ tags }) });
      onEvicted(name);
      return `Evicted from the table “${name}” all entries with ${tags.length === 1 ? 'the tag' : 'one of the tags'} ${tags.map(tag => `“${tag}”`).join(', ')}.`;
    },
  });
}

export function askDrop(table, entries) {
  ask({
    title: 'Drop the table',
    text: `The table and its entries (${entries}) go, and can’t be had back.`,
    subject: table,
    verb: 'Drop',
    isGrave: true,
    typed: table,
    fields: [{ name: 'typed', label: 'Type the table’s name to go on' }],
    run: async () => {
      await change('DELETE', tablePath(table));
      return `Dropped the table “${table}”.`;
    },
  });
}

const operations = {
  flush: 'Everything that was put so far is written through to the device. Reads and writes go on meanwhile.',
  compact: 'Segments that became empty are given back to the system. Reads and writes go on meanwhile.',
  verify: 'Every block of the pile is looked at. That may read the whole pile from the disk; reads and writes go on meanwhile.',
};

export function askOperation(kind) {
  const name = kind[0].toUpperCase() + kind.slice(1);
  ask({
    title: `${name} the pile`,
    text: operations[kind],
    verb: name,
    fallback: 'operations-heading',
    run: async () => {
      await change('POST', `v1/admin:${kind}`);
      return `The operation ${kind} has begun.`;
    },
  });
}

export function askStop(id, name) {
  ask({
    title: 'Stop the operation',
    text: 'It ends where it is. What it has done so far stays done.',
    subject: name,
    verb: 'Stop',
    fallback: 'operations-heading',
    run: async () => {
      await change('DELETE', `v1/operations/${id}`);
      return `The operation ${name} is asked to stop.`;
    },
  });
}
