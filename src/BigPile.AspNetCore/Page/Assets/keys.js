// The key browser: a list that is read page by page, and the entry of the key that is chosen.

import { byId, element, keyedRows, setText } from './dom.js';
import { ApiError, entryPath, errorOf, getJson, keysPath, send } from './api.js';
import { bytes, count, exactBytes } from './format.js';
import { mostBytes, present } from './payload.js';

const pageSize = 100;
const mostPages = 20;
const restMs = 120;

let listing = { table: '', prefix: '', cursor: null, seen: new Set() };
let running = new AbortController();
let reading = new AbortController();
let rest = 0;
let onError = () => {};

export function makeKeys(report) {
  onError = report;
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
  const choice = byId('key-table');
  keyedRows(choice, names, name => name, name => element('option', { value: name }, name), () => {});
  if (listing.table === '' && names.length > 0) void list(names[0], '');
}

export function browse(table) {
  byId('key-table').value = table;
  byId('key-prefix').value = '';
  void list(table, '');
  byId('keys-heading').scrollIntoView({ block: 'start' });
  byId('keys-heading').focus({ preventScroll: true });
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
    // A page of a large table may hold few keys or none, though more come.
    for (let added = 0, pages = 0; added < pageSize && pages < mostPages; pages++) {
      const page = await getJson(keysPath(asked.table, asked.prefix, listing.cursor, pageSize), running.signal);
      if (asked !== listing) return;
      added += append(page.keys);
      listing.cursor = page.cursor ?? null;
      if (listing.cursor === null) break;
    }
    byId('more').hidden = listing.cursor === null;
    const whose = asked.prefix === '' ? '' : ` that ${listing.seen.size === 1 ? 'begins' : 'begin'} with “${asked.prefix}”`;
    setText(byId('keys-note'), listing.seen.size === 0 ? `No keys${whose}${listing.cursor === null ? '' : ' so far'}` : `${count(listing.seen.size)} ${listing.seen.size === 1 ? 'key' : 'keys'}${whose}${listing.cursor === null ? '' : ' so far'}`);
  } catch (error) {
    if (error.name === 'AbortError' || asked !== listing) return;
    byId('more').hidden = true;
    setText(byId('keys-note'), textOf(error));
    onError(error);
  }
}

// A walk through a table that changes meanwhile may come upon a key twice.
function append(keys) {
  const box = byId('keys');
  const fresh = keys.filter(key => !listing.seen.has(key));
  for (const key of fresh) {
    listing.seen.add(key);
    const option = element('li', { role: 'option', 'aria-selected': 'false', tabindex: '-1', id: `key-${box.children.length}` }, key);
    option.dataset.entryKey = key;
    box.append(option);
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

// Who holds an arrow key down does not ask for every entry on the way.
function select(option, delayMs) {
  const box = byId('keys');
  box.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
  option.setAttribute('aria-selected', 'true');
  box.setAttribute('aria-activedescendant', option.id);
  option.scrollIntoView({ block: 'nearest' });
  clearTimeout(rest);
  rest = setTimeout(() => void open(listing.table, option.dataset.entryKey), delayMs);
}

function clearEntry(hint) {
  byId('keys').removeAttribute('aria-activedescendant');
  byId('entry-body').hidden = true;
  byId('entry-hint').hidden = false;
  setText(byId('entry-hint'), hint);
}

async function open(table, key) {
  reading.abort();
  reading = new AbortController();
  const asked = reading;
  try {
    const response = await send(entryPath(table, key), '*/*', asked.signal);
    if (!response.ok) throw await errorOf(response);
    const payload = await readStart(response);
    if (asked !== reading) return;
    showEntry(key, response, payload);
  } catch (error) {
    if (error.name === 'AbortError' || asked !== reading) return;
    byId('entry-body').hidden = true;
    byId('entry-hint').hidden = false;
    setText(byId('entry-hint'), textOf(error));
    onError(error);
  }
}

async function readStart(response) {
  const parts = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length <= mostBytes) continue;
    await reader.cancel();
    break;
  }
  const start = new Uint8Array(Math.min(length, mostBytes));
  let at = 0;
  for (const part of parts) {
    start.set(part.subarray(0, start.length - at), at);
    at += Math.min(part.length, start.length - at);
  }
  return { start, isWhole: length <= mostBytes };
}

function showEntry(key, response, { start, isWhole }) {
  byId('entry-hint').hidden = true;
  byId('entry-body').hidden = false;
  setText(byId('entry-key'), key);
  const type = response.headers.get('Content-Type') ?? 'application/octet-stream';
  const [shown, how] = present(type, start, isWhole);
  byId('payload').replaceChildren(shown);
  byId('payload').scrollTop = 0;
  setText(byId('payload-note'), how);
  const facts = factsOf(response, type, start.length);
  keyedRows(byId('entry-facts'), facts, ([name]) => name, ([name]) => element('div', {}, element('dt', {}, name), element('dd')), (row, [, value, title]) => {
    setText(row.lastElementChild, value);
    row.lastElementChild.title = title ?? '';
  });
}

function factsOf(response, type, readBytes) {
  const header = name => response.headers.get(name);
  const size = header('Content-Encoding') === null ? Number(header('Content-Length') ?? readBytes) : readBytes;
  const facts = [['Type', type], ['Size', bytes(size), exactBytes(size)], ['ETag', header('ETag') ?? '–']];
  const seconds = (name, value) => facts.push([name, /^\d+$/.test(value) ? `${count(Number(value))} s` : value]);
  facts.push(['TTL', 'does not expire']);
  if (header('BigPile-Ttl') !== null) {
    facts.pop();
    seconds('TTL', header('BigPile-Ttl'));
  }
  if (header('Age') !== null) seconds('Age', header('Age'));
  for (const [name, of] of [['Last-Modified', 'Written'], ['Cache-Control', 'Cache'], ['BigPile-Tags', 'Tags'], ['Content-Encoding', 'Encoding']]) {
    if (header(name) !== null) facts.push([of, header(name)]);
  }
  return facts;
}

function textOf(error) {
  if (!(error instanceof ApiError)) return 'The service can’t be reached.';
  if (error.code === 'route_not_found') return 'This service does not list keys.';
  return error.status === 404 ? 'There is no such entry any more.' : error.message;
}
