// The list of keys, which is read page by page.

import { byId, element, keyedRows, setText } from './dom.js';
import { ApiError, getJson, keysPath } from './api.js';
import { clearEntry, makeEntry, openEntry } from './entry.js';
import { counted } from './format.js';
import { shortened, visible } from './text.js';

const pageSize = 100;
const mostPages = 20;
const restMs = 120;

let listing = { table: '', prefix: '', cursor: null, seen: new Set() };
let running = new AbortController();
let rest = 0;
let shownNames = '';
let onError = () => {};

export function makeKeys(report) {
  onError = report;
  makeEntry(report, { onDeleted: forget, onPut: showPut });
  byId('find').addEventListener('submit', event => {
    event.preventDefault();
    void list(byId('key-table').value, byId('key-prefix').value);
  });
  byId('key-table').addEventListener('change', () => void list(byId('key-table').value, byId('key-prefix').value));
  byId('more').addEventListener('click', () => void loadMore());
  byId('keys').addEventListener('click', event => {
    const option = event.target.closest('[role=option]');
    if (option !== null) select(option, 0);
  });
  byId('keys').addEventListener('keydown', move);
}

export function showTableNames(names) {
  byId('keys-panel').hidden = names.length === 0;
  if (names.join() === shownNames) return;
  shownNames = names.join();
  keyedRows(byId('key-table'), names, name => name, name => element('option', { value: name }, name), () => {});
  if (listing.table === '' || names.includes(listing.table)) {
    if (listing.table === '' && names.length > 0) void list(names[0], '');
    return;
  }
  listing = { table: '', prefix: '', cursor: null, seen: new Set() }; // its table was dropped, or is not accessible with this key
  byId('key-prefix').value = '';
  clearEntry('Choose a key to see its entry.');
  if (names.length > 0) void list(names[0], '');
}

// Discards all that was read with another key.
export function hideKeys() {
  showTableNames([]);
  byId('keys').replaceChildren();
}

export function shownTable() {
  return listing.table;
}

export function browse(table) {
  byId('key-table').value = table;
  byId('key-prefix').value = '';
  void list(table, '');
  byId('keys-heading').scrollIntoView({ block: 'start' });
  byId('keys-heading').focus({ preventScroll: true });
}

export function listAgain(table) {
  if (table === listing.table) void list(table, listing.prefix);
}

export function showPut(table, key) {
  if (table === listing.table && !listing.seen.has(key)) append([key]);
  if (table === listing.table) void openEntry(table, key);
}

function forget(table, key) {
  if (table !== listing.table) return;
  listing.seen.delete(key);
  const option = optionOf(key);
  const next = option?.nextElementSibling ?? option?.previousElementSibling;
  option?.remove();
  clearEntry('The entry is deleted. Choose another key.');
  next?.scrollIntoView({ block: 'nearest' });
}

function optionOf(key) {
  return [...byId('keys').children].find(option => option.dataset.entryKey === key);
}

async function list(table, prefix) {
  if (table === '') return;
  listing = { table, prefix, cursor: null, seen: new Set() };
  running.abort();
  byId('keys').replaceChildren();
  clearEntry('Choose a key to see its entry.');
  await loadMore();
}

async function loadMore() {
  const asked = listing;
  running = new AbortController();
  setText(byId('keys-note'), 'reading');
  try {
    // A page of a large table may have few keys or none, though more follow.
    for (let added = 0, pages = 0; added < pageSize && pages < mostPages; pages++) {
      const page = await getJson(keysPath(asked.table, asked.prefix, listing.cursor, pageSize), running.signal);
      if (asked !== listing) return;
      added += append(page.keys);
      listing.cursor = page.cursor ?? null;
      if (listing.cursor === null) break;
    }
    byId('more').hidden = listing.cursor === null;
    showCount();
  } catch (error) {
    if (error.name === 'AbortError' || asked !== listing) return;
    byId('more').hidden = true;
    setText(byId('keys-note'), textOf(error));
    onError(error);
  }
}

function showCount() {
  const isOne = listing.seen.size === 1;
  const number = listing.seen.size === 0 ? 'No keys' : counted(listing.seen.size, 'key');
  const whose = listing.prefix === '' ? [] : [` that ${isOne ? 'begins' : 'begin'} with “`, ...visible(listing.prefix), '”'];
  byId('keys-note').replaceChildren(number, ...whose, listing.cursor === null ? '' : ' so far');
}

// A walk through a changing table may return a key twice.
function append(keys) {
  const fresh = keys.filter(key => !listing.seen.has(key));
  for (const key of fresh) {
    listing.seen.add(key);
    const option = element('li', { role: 'option', 'aria-selected': 'false', tabindex: '-1', id: `key-${listing.seen.size - 1}` }, ...shortened(key));
    option.dataset.entryKey = key;
    byId('keys').append(option);
  }
  return fresh.length;
}

function move(event) {
  const options = [...byId('keys').children];
  if (options.length === 0) return;
  const at = options.findIndex(option => option.getAttribute('aria-selected') === 'true');
  const places = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: options.length - 1, PageDown: at + 10, PageUp: Math.max(0, at - 10) };
  const place = places[event.key];
  if (place === undefined) return;
  event.preventDefault();
  select(options[Math.min(options.length - 1, place)], restMs);
}

// Holding an arrow key down does not request every entry on the way.
function select(option, delayMs) {
  const box = byId('keys');
  box.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
  option.setAttribute('aria-selected', 'true');
  box.setAttribute('aria-activedescendant', option.id);
  option.scrollIntoView({ block: 'nearest' });
  clearTimeout(rest);
  const { table } = listing;
  rest = setTimeout(() => void openEntry(table, option.dataset.entryKey), delayMs);
}

function textOf(error) {
  if (!(error instanceof ApiError)) return 'The service can’t be reached.';
  return error.code === 'route_not_found' ? 'This service does not list keys.' : error.message;
}
