/** What became of a finished game: on its way, being checked, its verdict with ranks and the distribution. */

import { copy, make, part } from "./play_page.js";
import { percentText, say, scoreText } from "./words.js";

/**
 * @typedef {object} Result
 * @property {string} title
 * @property {readonly string[]} lines
 * @property {any} [distribution] as the API gives it
 * @property {number} [ownScore]
 * @property {string} [share] a text to share
 */

/**
 * Show a result in place of an older one.
 *
 * @param {Result} result
 * @param {boolean} isVegas
 */
export function showResult({ title, lines, distribution, ownScore, share }, isVegas) {
  const panel = part("#result");
  const before = panel.dataset.title;
  panel.hidden = false;
  panel.dataset.title = title;
  part("#result-title").textContent = title;
  const body = part("#result-body");
  body.replaceChildren(...lines.map((line) => make("p", "", line)));
  if (distribution?.histogram.length) {
    body.append(histogram(distribution, ownScore, isVegas));
  }
  if (share) {
    const button = make("button", "", say("result.share"));
    button.setAttribute("type", "button");
    button.addEventListener("click", () => void copy(button, share, say("copied")));
    body.append(button);
  }
  part("#announcer").textContent = [title, ...lines].join(" ");
  if (before === undefined || panel.getBoundingClientRect().top > window.innerHeight) {
    panel.scrollIntoView({ block: "nearest" });
  }
}

export function hideResult() {
  const panel = part("#result");
  panel.hidden = true;
  delete panel.dataset.title;
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
