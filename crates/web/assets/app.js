// What HTML cannot do by itself: sliders that fill a field, files that fill a text, cells pasted
// from a spreadsheet, and marks on the field that is wrong. Nothing is computed here.
"use strict";
(() => {
  const fire = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));

  const sliders = { "cap-slider": ["cap", ""], "mtbf-slider": ["mtbf", "h"] };
  document.addEventListener("input", (event) => {
    const to = sliders[event.target.id];
    if (!to) return;
    event.stopPropagation();
    const field = document.getElementById(to[0]);
    field.value = event.target.value + to[1];
    fire(field);
  }, true);

  document.addEventListener("change", async (event) => {
    const into = event.target.dataset && event.target.dataset.into;
    const file = into && event.target.files[0];
    if (!file) return;
    event.stopPropagation();
    const field = document.getElementById(into);
    field.value = await file.text();
    fire(field);
  }, true);

  // Cells copied from a spreadsheet go through the server's own reader of pasted rows.
  document.addEventListener("paste", (event) => {
    const cell = event.target.closest && event.target.closest("table.jobs input");
    const text = event.clipboardData && event.clipboardData.getData("text/plain");
    if (!cell || !text || !/\t|\n.*\S/.test(text)) return;
    event.preventDefault();
    const field = document.getElementById("pasted");
    field.closest("details").open = true;
    field.value = text;
    field.focus();
  });

  const mark = () => {
    document.querySelectorAll("#ask [aria-invalid]").forEach((field) => {
      field.removeAttribute("aria-invalid");
    });
    const wrong = document.querySelector("#answer .wrong");
    if (!wrong) return;
    const { row, column } = wrong.dataset;
    const field = row > 0
      ? document.querySelector(`#ask tr[data-row="${row}"] [name="job-${column}"]`)
      : document.getElementById(column);
    if (field) field.setAttribute("aria-invalid", "true");
  };
  document.addEventListener("htmx:afterSettle", mark);
  document.addEventListener("DOMContentLoaded", mark);
  // A question that a newer one overtakes, or that the reader leaves behind, is no error to report;
  // one that cannot be sent is reported as htmx:sendError all the same.
  document.addEventListener("DOMContentLoaded", () => {
    window.htmx.logger = (_element, event, detail) => {
      const ended = event === "htmx:afterRequest" && detail.xhr && detail.xhr.status === 0;
      if (ended || event === "htmx:sendAbort") delete detail.error;
    };
  });
  document.addEventListener("htmx:beforeRequest", () => {
    document.getElementById("answer")?.setAttribute("aria-busy", "true");
  });

  // Dragging a job's row of the calendar to the right lets its runs wait that much longer.
  const drag = { field: null };
  document.addEventListener("pointerdown", (event) => {
    const picture = event.target.closest && event.target.closest(".gantt tr[data-row] svg.strip");
    if (!picture) return;
    const row = picture.closest("tr");
    drag.field = document.querySelector(`#ask tr[data-row="${row.dataset.row}"] [name="job-may_wait"]`);
    drag.from = event.clientX;
    drag.hours = row.dataset.hours / picture.getBoundingClientRect().width;
    drag.waits = drag.field ? parseFloat(drag.field.value) || 0 : 0;
    if (drag.field) event.preventDefault();
  });
  document.addEventListener("pointerup", (event) => {
    const { field } = drag;
    drag.field = null;
    if (!field || Math.abs(event.clientX - drag.from) < 4) return;
    const hours = Math.max(0, Math.round(drag.waits + (event.clientX - drag.from) * drag.hours));
    field.value = hours > 0 ? `${hours}h` : "";
    fire(field);
  });

  // What agents see changes by itself; the server draws it.
  const live = document.querySelector("[data-events]");
  if (live && window.EventSource) {
    const events = new EventSource(live.dataset.events);
    events.addEventListener("cards", async () => {
      // A request that is cut off because the reader leaves is no mistake.
      const answer = await fetch(live.dataset.now).catch(() => null);
      if (answer && answer.ok) live.innerHTML = await answer.text().catch(() => live.innerHTML);
    });
    window.addEventListener("pagehide", () => events.close());
  }

  // A menu closes when something else is chosen.
  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.menu[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  });
})();
