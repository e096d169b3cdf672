// Other documents of the service, and payloads as files. A plain link would not send this tab's key, so all are fetched.

import { errorOf, send } from './api.js';
import { makeDialog, openDialog } from './dialogs.js';
import { byId, element, setText } from './dom.js';
import { bytes } from './format.js';
import { indent } from './payload.js';

const mostText = 256 * 1024;
const keepMs = 60_000;

const extensions = { 'application/json': 'json', 'text/plain': 'txt', 'text/html': 'html', 'text/css': 'css', 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg', 'application/xml': 'xml' };

let shown = null;
let asked = 0;

export function makeDocuments() {
  const dialog = byId('document-dialog');
  makeDialog(dialog, byId('document-close'));
  dialog.addEventListener('close', () => {
    shown = null;
    asked++;
  });
  byId('documents').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button !== null) void open(button.textContent, button.dataset.path);
  });
  byId('document-save').addEventListener('click', () => save(shown.blob, shown.name));
}

async function open(title, path) {
  setText(byId('document-title'), title);
  setText(byId('document-text'), '');
  setText(byId('document-note'), `${path}: reading`);
  byId('document-save').disabled = true;
  if (!openDialog(byId('document-dialog'), 'tables-heading')) return;
  const turn = ++asked;
  try {
    const blob = await fetchBlob(path);
    const text = await blob.slice(0, mostText).text();
    if (turn !== asked) return;
    const isJson = blob.type.includes('json') && blob.size <= mostText;
    setText(byId('document-text'), isJson ? indent(text) : text);
    setText(byId('document-note'), `${path}, ${bytes(blob.size)}${blob.size > mostText ? ', cut off here' : ''}`);
    shown = { blob, name: nameOf(path, blob.type) };
    byId('document-save').disabled = false;
  } catch (error) {
    if (turn === asked) setText(byId('document-note'), `${path}: ${error.message}`);
  }
}

export async function fetchBlob(path) {
  const response = await send(path, '*/*');
  if (!response.ok) throw await errorOf(response);
  return await response.blob();
}

// The browser reads the file from memory at some later time; release it after a while.
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), keepMs);
}

// A file name that is valid everywhere, made of any text.
export function nameOf(text, type) {
  const last = text.split('/').at(-1).replace(/[^\w.-]+/gu, '_').replace(/^[._]+/, '').slice(0, 80);
  const extension = extensions[type.split(';')[0].trim().toLowerCase()] ?? (type.startsWith('text/') ? 'txt' : 'bin');
  const name = last === '' ? 'entry' : last;
  return name.includes('.') ? name : `${name}.${extension}`;
}
