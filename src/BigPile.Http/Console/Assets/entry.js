// The entry of the selected key, read by peeks.

import { askDelete, askReplace, askTouch, say } from './actions.js';
import { ApiError, errorOf, lookPath, send } from './api.js';
import { fetchBlob, nameOf, save } from './documents.js';
import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, count, exactBytes } from './format.js';
import { mostBytes, present } from './payload.js';
import { visible } from './text.js';

const mostEditable = 256 * 1024;
const longKey = 64;

let reading = new AbortController();
let shown = null;
let onError = () => {};

export function makeEntry(report, { onDeleted, onPut }) {
  onError = report;
  const act = (id, run) => byId(id).addEventListener('click', () => {
    if (shown !== null) run(shown.table, shown.key, shown);
  });
  act('download', (table, key, entry) => void download(table, key, entry));
  act('touch', (table, key, entry) => askTouch(table, key, entry, onPut));
  act('replace', (table, key, entry) => askReplace(table, key, entry, onPut));
  act('delete', (table, key, entry) => askDelete(table, key, entry, onDeleted));
}

export function clearEntry(hint) {
  reading.abort();
  shown = null;
  byId('keys').removeAttribute('aria-activedescendant');
  hideEntry(hint);
}

function hideEntry(hint) {
  byId('entry-body').hidden = true;
  byId('entry-hint').hidden = false;
  setText(byId('entry-hint'), hint);
}

export async function openEntry(table, key) {
  reading.abort();
  reading = new AbortController();
  const asked = reading;
  try {
    const response = await send(lookPath(table, key), '*/*', asked.signal);
    if (!response.ok) throw await errorOf(response);
    const payload = await readStart(response);
    if (asked === reading && !asked.signal.aborted) showEntry(table, key, response, payload);
  } catch (error) {
    if (error.name === 'AbortError' || asked !== reading) return;
    shown = null;
    hideEntry(textOf(error));
    onError(error);
  }
}

async function download(table, key, { type }) {
  try {
    save(await fetchBlob(lookPath(table, key)), nameOf(key, type));
  } catch (error) {
    say(`The payload can’t be had: ${textOf(error)}`);
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

function showEntry(table, key, response, { start, isWhole }) {
  byId('entry-hint').hidden = true;
  byId('entry-body').hidden = false;
  byId('entry-key').replaceChildren(...visible(key));
  byId('entry-key').scrollTop = 0;
  byId('entry-key').tabIndex = byId('entry-key').scrollHeight > byId('entry-key').clientHeight ? 0 : -1;
  const type = response.headers.get('Content-Type') ?? 'application/octet-stream';
  const [node, how] = present(type, start, isWhole);
  byId('payload').replaceChildren(node);
  byId('payload').scrollTop = 0;
  setText(byId('payload-note'), how);
  showFacts(factsOf(key, response, type, start.length));
  shown = { table, key, type, tag: response.headers.get('ETag'), priority: response.headers.get('BigPile-Priority') ?? '', text: isWhole ? editable(start) : null };
}

function showFacts(facts) {
  keyedRows(byId('entry-facts'), facts, ([name]) => name, ([name]) => element('div', {}, element('dt', {}, name), element('dd')), (row, [, value, title]) => {
    setText(row.lastElementChild, value);
    row.lastElementChild.title = title ?? '';
  });
}

// Text that a field returns unchanged.
function editable(payload) {
  if (payload.length > mostEditable || payload.includes(13)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  } catch {
    return null;
  }
}

function factsOf(key, response, type, readBytes) {
  const header = name => response.headers.get(name);
  const size = header('Content-Encoding') === null ? Number(header('Content-Length') ?? readBytes) : readBytes;
  const facts = [['Type', type], ['Size', bytes(size), exactBytes(size)], ['ETag', header('ETag') ?? '–']];
  const seconds = (name, value) => facts.push([name, /^\d+s?$/.test(value) ? `${count(Number.parseInt(value, 10))} s` : value]);
  if (header('BigPile-Ttl') === null) facts.push(['TTL', 'does not expire']);
  else seconds('TTL', header('BigPile-Ttl'));
  facts.push(['Priority', header('BigPile-Priority') ?? '–'], tagsOf(header('BigPile-Tag-Hashes')));
  for (const [name, of] of [['Age', 'Age'], ['BigPile-Sliding', 'Each use gives']]) if (header(name) !== null) seconds(of, header(name));
  for (const [name, of] of [['BigPile-Expires', 'Gone at the latest'], ['Last-Modified', 'Written'], ['Content-Encoding', 'Encoding']]) {
    if (header(name) !== null) facts.push([of, header(name)]);
  }
  const keyBytes = new TextEncoder().encode(key).length;
  if (keyBytes > longKey) facts.push(['Key', exactBytes(keyBytes)]);
  return facts;
}

function tagsOf(hashes) {
  if (hashes === null) return ['Tags', 'none'];
  const number = hashes.split(', ').length;
  return ['Tags', `${count(number)}, as ${number === 1 ? 'a hash' : 'hashes'}: ${hashes}`, 'An entry holds the hashes of its tags, and not their names.'];
}

function textOf(error) {
  if (!(error instanceof ApiError)) return 'The service can’t be reached.';
  return error.status === 404 ? 'There is no such entry any more.' : error.message;
}
