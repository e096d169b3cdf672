// A payload by its type: JSON and other text as text, an image as an image, anything else in hex. Never as markup.

import { element } from './dom.js';

const mostText = 256 * 1024;
const mostHex = 8 * 1024;
const textTypes = ['application/xml', 'application/javascript', 'application/x-ndjson', 'application/yaml', 'application/x-www-form-urlencoded'];
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml'];

export const mostBytes = 4 * 1024 * 1024;

let imageUrl = null;

// Returns the nodes to show, and a sentence on the form.
export function present(contentType, payload, isWhole) {
  if (imageUrl !== null) URL.revokeObjectURL(imageUrl);
  imageUrl = null;
  const type = contentType.split(';')[0].trim().toLowerCase();
  if (payload.length === 0) return [element('p', { class: 'hint' }, 'The payload is empty.'), ''];
  if (isWhole && imageTypes.includes(type)) return presentImage(type, payload);
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (isJson || type.startsWith('text/') || type.endsWith('+xml') || textTypes.includes(type)) return presentText(contentType, payload, isJson && isWhole, isWhole);
  return presentHex(payload, isWhole);
}

function presentImage(type, payload) {
  imageUrl = URL.createObjectURL(new Blob([payload], { type }));
  return [element('img', { src: imageUrl, alt: 'The payload as an image' }), 'shown as an image'];
}

function presentText(contentType, payload, isJson, isWhole) {
  let text = decode(contentType, payload.subarray(0, mostText * 2));
  let how = 'shown as text';
  if (isJson && payload.length <= mostText && isValidJson(text)) {
    text = indent(text);
    how = 'JSON, indented';
  }
  const isCut = !isWhole || text.length > mostText || payload.length > mostText * 2;
  return [element('pre', {}, text.slice(0, mostText)), isCut ? `${how}, cut off` : how];
}

function presentHex(payload, isWhole) {
  const shown = payload.subarray(0, mostHex);
  const isCut = !isWhole || shown.length < payload.length;
  return [element('pre', { class: 'hex' }, hexLines(shown)), isCut ? 'in hex, cut off' : 'in hex'];
}

function decode(contentType, payload) {
  const charset = /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(payload);
  } catch {
    return new TextDecoder().decode(payload);
  }
}

function isValidJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Indents the text itself: parsing and formatting would change numbers of more than 53 bits.
export function indent(text) {
  let result = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '{' || token === '[') {
      depth++;
      result += token + line();
    } else if (token === '}' || token === ']') {
      depth--;
      result = /[{[]\s*$/.test(result) ? result.trimEnd() + token : result + line() + token;
    } else if (token === ',') result += token + line();
    else result += token === ':' ? ': ' : token;
  }
  return result;
}

export function hexLines(data) {
  const lines = [];
  for (let at = 0; at < data.length; at += 16) {
    const row = [...data.subarray(at, at + 16)];
    const hex = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    const text = row.map(byte => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex}  ${text}`);
  }
  return lines.join('\n');
}
