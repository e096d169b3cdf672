// Builds elements from names and texts. Nothing from the service is ever parsed as markup.

export function byId(id) {
  return document.getElementById(id);
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Keeps existing rows, so that focus and selection stay.
export function keyedRows(parent, items, keyOf, make, update) {
  const old = new Map([...parent.children].map(row => [row.dataset.key, row]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let row = old.get(key);
    if (row === undefined) {
      row = make(item);
      row.dataset.key = key;
    }
    old.delete(key);
    if (row === place) place = place.nextElementSibling;
    else parent.insertBefore(row, place);
    update(row, item);
  }
  for (const gone of old.values()) gone.remove();
}
