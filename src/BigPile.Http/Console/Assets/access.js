// What the key of this tab allows, as the service reports. The page offers nothing else, and says what is missing and why.

import { apiKey, getJson } from './api.js';
import { byId, element, setText } from './dom.js';

const askAgainMs = 30_000; // keys may change while the page is open

const nothing = { key: undefined, read: false, write: false, admin: false, everything: false, operations: false };

let known = nothing;
let askedWith = null;
let askedAt = 0;

export function may() {
  return known;
}

export async function lookAtAccess() {
  if (askedWith === apiKey() && Date.now() - askedAt < askAgainMs) return;
  const key = apiKey();
  if (askedWith !== key) forgetAccess();
  const access = await getJson('v1/access');
  const has = scope => access.scopes.includes(scope);
  known = {
    key: access.key,
    read: has('read'),
    write: has('write'),
    admin: has('admin') && access.administration,
    everything: has('read') && access.allTables,
    operations: has('admin') && access.administration && access.allTables,
  };
  askedWith = key;
  askedAt = Date.now();
  show(access);
}

// A key's rights may have been reduced meanwhile.
export function askAgain() {
  askedAt = 0;
}

// Without a valid key nothing is known, and nothing is offered.
export function forgetAccess() {
  known = nothing;
  askedWith = null;
  byId('access').hidden = true;
  showScopes();
}

function show(access) {
  const missing = missingOf(access);
  byId('access').hidden = missing.length === 0;
  const scopes = access.scopes.length === 1 ? access.scopes[0] : `${access.scopes.slice(0, -1).join(', ')} and ${access.scopes.at(-1)}`;
  const isOne = access.tables.length === 1 && !access.tables[0].endsWith('*');
  const tables = access.allTables ? 'all tables' : `the ${isOne ? 'table' : 'tables'} ${access.tables.join(', ')}`;
  setText(byId('access-may'), `${access.key === undefined ? 'Everybody' : `The key “${access.key}”`} has the ${access.scopes.length === 1 ? 'scope' : 'scopes'} ${scopes}, for ${tables}.`);
  byId('access-not').replaceChildren(...missing.map(text => element('li', {}, text)));
  showScopes();
}

function missingOf(access) {
  const has = scope => access.scopes.includes(scope);
  const missing = [];
  if (!has('read')) missing.push('No tables, keys, entries or figures: they need the scope read.');
  else if (!access.allTables) missing.push('No other tables, and no memory, process, latency, connections or metrics: they need a key that reads all tables.');
  if (!has('write')) missing.push('No changes of entries: they need the scope write.');
  if (!has('admin')) missing.push('No operations, and no dropping of tables: they need the scope admin.');
  else if (!access.administration) missing.push('No operations, and no dropping of tables: administration is answered on another port.');
  else if (!access.allTables) missing.push('No operations on the whole pile: they need a key for all tables.');
  return missing;
}

function showScopes() {
  byId('tables').hidden = askedWith === null;
  byId('tables-closed').hidden = known.read;
  byId('write-actions').hidden = !known.write;
  for (const button of document.querySelectorAll('[data-scope=write]')) button.hidden = !known.write;
  byId('documents').hidden = !known.everything;
  for (const id of ['memory', 'service']) if (!known.everything) byId(id).hidden = true;
  if (!known.operations) byId('operations').hidden = true;
  if (!known.everything) byId('recovery').hidden = true;
}
