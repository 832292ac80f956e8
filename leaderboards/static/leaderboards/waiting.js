/** Looks again for a verdict: the server says after how many seconds, and says longer the longer it has taken. */

const waiting = document.querySelector("#waiting");
if (waiting instanceof HTMLElement) {
  setTimeout(() => location.reload(), Number(waiting.dataset.seconds) * 1000);
}
