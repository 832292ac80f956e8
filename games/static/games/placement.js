/** Where a card goes by itself: on a tap, a double tap or a drop. What is allowed, the table says. */

import { WASTE, isColumn, isFoundation, moveOf } from "./movelog.js";

/**
 * All piles that take cards of a pile, foundations first.
 *
 * @param {import("./table.js").Table} table
 * @param {string} from
 * @param {number} [count]
 * @returns {string[]}
 */
export function targetsOf(table, from, count = 1) {
  const piles = count === 1 && !isFoundation(from) ? [...table.foundations, ...table.columns] : table.columns;
  return piles.filter((to) => to !== from && table.refusal(moveOf(from, to, count)) === null);
}

/**
 * The foundation that takes the top card of a pile, the leftmost of several.
 *
 * @param {import("./table.js").Table} table
 * @param {string} from
 * @returns {import("./movelog.js").Action | null}
 */
export function homeward(table, from) {
  const home = targetsOf(table, from).find(isFoundation);
  return home ? moveOf(from, home) : null;
}

/**
 * The best column that takes cards: the longest, the leftmost of equals, else an empty one. Cards that are a whole
 * column already gain nothing by going to an empty one.
 *
 * @param {import("./table.js").Table} table
 * @param {string} from
 * @param {number} [count]
 * @returns {import("./movelog.js").Action | null}
 */
function columnward(table, from, count = 1) {
  const isWhole = isColumn(from) && table.piles[from].length === count;
  const size = (/** @type {string} */ column) => table.piles[column].length;
  const columns = targetsOf(table, from, count).filter((to) => isColumn(to) && !(isWhole && size(to) === 0));
  const longest = columns.reduce((best, column) => (best && size(best) >= size(column) ? best : column), "");
  return longest ? moveOf(from, longest, count) : null;
}

/**
 * What a single tap on the top card of a pile does.
 *
 * @param {import("./table.js").Table} table
 * @param {string} from
 * @param {boolean} tapsWasteToColumn
 * @returns {import("./movelog.js").Action | null}
 */
export function tapPlace(table, from, tapsWasteToColumn) {
  if (isFoundation(from)) {
    return null;
  }
  return homeward(table, from) ?? (from === WASTE && tapsWasteToColumn ? columnward(table, from) : null);
}

/**
 * The best place for cards: a foundation, else the longest column, else an empty one.
 *
 * @param {import("./table.js").Table} table
 * @param {string} from
 * @param {number} [count]
 * @returns {import("./movelog.js").Action | null}
 */
export function bestPlace(table, from, count = 1) {
  return (count === 1 && !isFoundation(from) ? homeward(table, from) : null) ?? columnward(table, from, count);
}

/**
 * What dropping cards on a pile means: on any foundation, they go to the one that takes them.
 *
 * @param {import("./table.js").Table} table
 * @param {string} from
 * @param {number} count
 * @param {string} onto
 * @returns {import("./movelog.js").Action | null} null where no log can name it: foundation to foundation, a run home
 */
export function dropPlace(table, from, count, onto) {
  if (isFoundation(onto)) {
    if (isFoundation(from) || count > 1) {
      return null;
    }
    return homeward(table, from) ?? moveOf(from, onto);
  }
  return isColumn(onto) ? moveOf(from, onto, count) : null;
}
