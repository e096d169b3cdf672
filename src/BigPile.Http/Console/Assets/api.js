// Requests to the service that served the page, with the key of this tab.

const keyName = 'bigpile-api-key';

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? problem?.title ?? `The service answered ${status}.`);
    this.status = status;
    this.code = problem?.code ?? '';
  }
}

export function apiKey() {
  return sessionStorage.getItem(keyName) ?? '';
}

export function setApiKey(key) {
  if (key === '') sessionStorage.removeItem(keyName);
  else sessionStorage.setItem(keyName, key);
}

export async function send(path, accept, signal, request = {}) {
  const headers = { ...request.headers, Accept: accept };
  const key = apiKey();
  if (key !== '') headers.Authorization = `Bearer ${key}`;
  return await fetch(path, { ...request, headers, signal, cache: 'no-store', redirect: 'error' });
}

// Sends a change.
export async function change(method, path, request = {}) {
  const response = await send(path, 'application/json', undefined, { ...request, method });
  if (!response.ok) throw await errorOf(response);
  return response;
}

export async function getJson(path, signal) {
  const response = await send(path, 'application/json', signal);
  if (!response.ok) throw await errorOf(response);
  return await response.json();
}

export async function errorOf(response) {
  let problem = null;
  try {
    problem = await response.json();
  } catch {
    // not a problem document: the status must suffice
  }
  return new ApiError(response.status, problem);
}

// A health report is an answer even with status 503.
export async function getHealth() {
  const response = await send('health/ready', 'application/json');
  try {
    return await response.json();
  } catch {
    return { status: response.ok ? 'ready' : 'starting' };
  }
}

export function tablePath(table) {
  return `v1/tables/${encodeURIComponent(table)}`;
}

export function entryPath(table, key) {
  return `${tablePath(table)}/entries/${encodeURIComponent(key)}`;
}

// A peek: it does not count as a use of the entry.
export function lookPath(table, key) {
  return `${entryPath(table, key)}?look=true`;
}

export function keysPath(table, prefix, cursor, limit) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (prefix !== '') query.set('prefix', prefix);
  if (cursor !== null) query.set('cursor', cursor);
  return `${tablePath(table)}/keys?${query}`;
}
