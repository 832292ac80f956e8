/** What became of a finished game: on its way, being checked, its verdict with ranks, board and distribution. */

import { copy, make, part } from "./play_page.js";
import { percentText, say, scoreText } from "./words.js";

/**
 * @typedef {object} Result
 * @property {string} title
 * @property {readonly string[]} lines
 * @property {string} [par] the comparison with the best known win
 * @property {any} [board] the upper end of the board of best results, as the API gives it
 * @property {any} [distribution] as the API gives it
 * @property {number} [ownScore]
 * @property {string} [share] a text to share
 * @property {() => Promise<unknown>} [dispute] asks for a rejection to be looked at
 */

/**
 * Show a result in place of an older one; buttons stay where they are, and keep the focus.
 *
 * @param {Result} result
 * @param {boolean} isVegas
 */
export function showResult(result, isVegas) {
  const { title, lines, par, board, distribution, ownScore } = result;
  const panel = part("#result");
  const before = panel.dataset.title;
  panel.hidden = false;
  panel.dataset.title = title;
  part("#result-title").textContent = title;
  const said = [...lines, ...(par ? [par] : [])];
  part("#result-lines").replaceChildren(...said.map((line) => make("p", "", line)));
  part("#result-board").replaceChildren(...(board?.lines.length ? [standing(board, isVegas)] : []));
  const bars = distribution?.histogram.length ? [histogram(distribution, ownScore, isVegas)] : [];
  part("#result-chart").replaceChildren(...bars);
  showButtons(result);
  if (before !== title) {
    part("#announcer").textContent = [title, ...lines].join(" ");
  }
  if (before === undefined || panel.getBoundingClientRect().top > window.innerHeight) {
    panel.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Result} result */
function showButtons({ share, dispute }) {
  const copying = part("#copy-result");
  copying.hidden = !share;
  copying.onclick = () => void copy(copying, share ?? "", say("copied"));
  const disputing = part("#dispute");
  disputing.hidden = !dispute;
  disputing.onclick = () => void sendDispute(dispute);
}

/** @param {Result["dispute"]} dispute */
async function sendDispute(dispute) {
  const answer = part("#dispute-answer");
  try {
    await dispute?.();
    answer.textContent = say("result.disputed");
  } catch {
    answer.textContent = say("result.not_disputed");
  }
}

export function hideResult() {
  const panel = part("#result");
  panel.hidden = true;
  delete panel.dataset.title;
  part("#dispute-answer").textContent = "";
}

/**
 * The upper end of a board with one's own line.
 *
 * @param {any} board
 * @param {boolean} isVegas
 */
function standing({ lines, own, total }, isVegas) {
  const table = make("table", "standing");
  const caption = make("caption", "", say("result.board", { count: total }));
  const heads = ["rank", "player", "score", "moves"].map((name) => {
    const head = make("th", name, say(`board.${name}`));
    head.setAttribute("scope", "col");
    return head;
  });
  const head = make("tr");
  head.append(...heads);
  const shown = own && lines.every((/** @type {any} */ line) => line.submission !== own.submission) ? [...lines, own] : lines;
  table.append(caption, head, ...shown.map((/** @type {any} */ line) => boardLine(line, own, isVegas)));
  return table;
}

/**
 * @param {any} line
 * @param {any} own
 * @param {boolean} isVegas
 */
function boardLine(line, own, isVegas) {
  const isOwn = line.submission === own?.submission;
  const row = make("tr", isOwn ? "own" : "");
  const name = make("td", "player", isOwn ? say("board.you", { name: line.player }) : line.player);
  row.append(
    make("td", "rank", number(line.rank)),
    name,
    make("td", "score", scoreText(line.ranked_score, isVegas)),
    make("td", "moves", number(line.moves)),
  );
  return row;
}

/**
 * @param {any} distribution
 * @param {number | undefined} ownScore
 * @param {boolean} isVegas
 */
function histogram({ histogram: bars, played, won }, ownScore, isVegas) {
  const figure = make("figure", "histogram");
  const highest = Math.max(...bars.map((/** @type {any} */ bar) => bar.won + bar.not_won));
  const chart = make("div", "chart");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", say("result.histogram", { count: played, won }));
  for (const bar of bars) {
    const isOwn = ownScore !== undefined && bar.low <= ownScore && ownScore < bar.high;
    const column = make("div", isOwn ? "chart-bar own" : "chart-bar");
    column.title = say("result.bar", {
      low: scoreText(bar.low, isVegas),
      high: scoreText(bar.high - 1, isVegas),
      count: bar.won + bar.not_won,
    });
    for (const kind of ["not_won", "won"]) {
      const piece = make("div", kind);
      piece.style.height = `${Math.round((100 * bar[kind]) / highest)}%`;
      column.prepend(piece);
    }
    chart.append(column);
  }
  const axis = make("div", "axis");
  axis.append(make("span", "", scoreText(bars[0].low, isVegas)), make("span", "", scoreText(bars.at(-1).high, isVegas)));
  figure.append(chart, axis, make("figcaption", "", say("result.histogram", { count: played, won })));
  return figure;
}

/**
 * The lines of a verified submission.
 *
 * @param {any} submission as the API gives it
 * @param {boolean} isVegas
 * @returns {string[]}
 */
export function verdictLines({ verdict, ranked, attempt_number: attempt, best, first }, isVegas) {
  const lines = [
    say("result.score", { score: scoreText(verdict.ranked_score, isVegas), moves: verdict.moves }),
  ];
  if (verdict.score !== verdict.ranked_score) {
    lines.push(say("result.shown_score", { score: scoreText(verdict.score, isVegas) }));
  }
  if (!ranked) {
    lines.push(say("result.unranked"));
    return lines;
  }
  if (best) {
    lines.push(say("result.best", { rank: best.rank, total: best.total, percent: percentText(best.percentile) }));
  } else {
    lines.push(say("result.not_best"));
  }
  if (first) {
    lines.push(say("result.first", { rank: first.rank, total: first.total, percent: percentText(first.percentile) }));
  } else if (attempt === 1) {
    lines.push(say("result.first_guest"));
  }
  return lines;
}
