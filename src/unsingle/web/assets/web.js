// What the page cannot do without a script: dropping files, live progress, the slider.
// All requests go to the server that the page came from.
"use strict";
(() => {
  const byId = (name) => document.getElementById(name);
  document.documentElement.classList.add("scripting");

  // ------------------------------------------------------------------------------------------ uploading a log

  const size = (bytes) => (bytes >= 1e9 ? (bytes / 1e9).toFixed(2) + " GB" : (bytes / 1e6).toFixed(1) + " MB");

  function upload(form, files) {
    const problem = byId("upload-problem"), panel = byId("uploading"), status = byId("upload-status"), bar = byId("uploaded");
    const show = (text) => { problem.textContent = text; problem.hidden = !text; };
    const end = (text) => {
      panel.hidden = true;
      form.removeAttribute("aria-busy");
      show(text);
      byId("file").value = ""; // so that the same file can be chosen again
      byId("file").focus();
    };
    show("");
    const max = Number(form.dataset.max);
    const total = files.reduce((sum, file) => sum + file.size, 0);
    if (total > max) {
      end(`${files.length > 1 ? "The files have" : "The file has"} ${size(total)}, but the limit is ${size(max)}: compress it with gzip, or start unsingle ` +
        "with a larger --max-upload.");
      return;
    }
    const content = new FormData();
    files.forEach((file) => content.append("log", file));
    const request = new XMLHttpRequest();
    let announced = -1;
    request.upload.onprogress = (event) => {
      bar.value = event.loaded / event.total;
      const tenth = Math.floor(10 * bar.value); // screen readers announce each change
      if (tenth !== announced) status.textContent = `Uploading: ${size(event.loaded)} of ${size(event.total)}`;
      announced = tenth;
    };
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* not from unsingle */ }
      if (request.status === 201) location.assign(`/jobs/${answer.id}`);
      else end(answer.error || "The upload failed: try again.");
    };
    request.onerror = () => end("The connection was lost: check that unsingle is still running, and try again.");
    request.onabort = () => end("");
    byId("cancel-upload").onclick = () => request.abort();
    panel.hidden = false;
    form.setAttribute("aria-busy", "true");
    status.textContent = "Uploading …";
    request.open("POST", "/api/jobs");
    request.send(content);
    byId("cancel-upload").focus();
  }

  const form = byId("upload");
  if (form) {
    const input = byId("file"), drop = byId("drop");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.files.length) upload(form, [...input.files]);
    });
    input.addEventListener("change", () => input.files.length && upload(form, [...input.files]));
    for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
    for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) upload(form, [...event.dataTransfer.files]);
    });
  }

  // ------------------------------------------------------------------------------------------ following a job

  function showTime(time) {
    time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
  document.querySelectorAll("time").forEach(showTime);

  const about = byId("state");
  if (!about) { // the start page: a browser may show a cached list of logs
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    return;
  }
  const server = JSON.parse(about.textContent); // labels of stages, sections of tasks, and deltas with predictions

  function showWork(job) {
    const status = byId("work-status"), task = job.task;
    if (!status || !task) return;
    const text = job.state === "waiting" ? `Queued: ${task.ahead} before it.`
      : (([first, ...rest]) => first.toUpperCase() + rest.join("") + " …")(server.stages[task.stage] || task.stage || "starting");
    if (status.textContent !== text) status.textContent = text;
    byId("work-bar").value = task.fraction;
    const now = task.stages.indexOf(task.stage);
    document.querySelectorAll(".stages li").forEach((item, i) => {
      item.toggleAttribute("aria-current", i === now);
      if (i === now) item.setAttribute("aria-current", "step");
      item.classList.toggle("done", i < now);
    });
  }

  async function load(path) {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }

  const busy = (state) => ["uploading", "waiting", "working"].includes(state);
  let leaving = false; // a form was sent, and the browser follows its redirect
  document.addEventListener("submit", (event) => { leaving = !("download" in event.target.dataset); });

  // A deleted log must not stay visible in a window that was left open.
  let emptied = false, failures = 0; // requests in a row without a response
  function empty(text) {
    emptied = true;
    document.querySelectorAll("#main > *, #data, .stays").forEach((each) => each.remove());
    document.title = "unsingle";
    const message = document.createElement("p");
    message.setAttribute("role", "status");
    message.textContent = text;
    byId("main").append(message);
  }

  function requestFailed(code) {
    if (code === "404") {
      empty("This log was deleted.");
      location.reload(); // the page says why
      return;
    }
    failures += 1;
    const status = byId("work-status");
    if (status) status.textContent = NO_RESPONSE;
    if (failures === MAX_FAILURES) empty(`${NO_RESPONSE} Otherwise this page comes back when unsingle responds.`);
    again(3000);
  }

  const NO_RESPONSE = "unsingle does not respond. If it was stopped, the log is deleted.";
  const MAX_FAILURES = 3, IDLE = 5000; // milliseconds between requests while nothing happens
  let next = 0;
  function again(wait) {
    clearTimeout(next); // only one timer, also after the user returns to the page
    next = setTimeout(follow, wait);
  }

  async function follow() {
    let job;
    if (leaving) return;
    try {
      job = await load(about.dataset.url);
    } catch (error) {
      if (!leaving) requestFailed(error.message);
      return;
    }
    if (leaving) return;
    if (emptied) { location.reload(); return; } // the server is back
    failures = 0;
    document.documentElement.classList.remove("unsure");
    if (busy(about.dataset.state)) {
      if (!busy(job.state) || (job.task ? job.task.name : "") !== about.dataset.task) {
        const where = (job.error ? server.forms : server.results)[about.dataset.task] || "log";
        history.replaceState(null, "", `#${where}`);
        history.scrollRestoration = "manual"; // else the browser scrolls to where the page was
        location.reload();
        return;
      }
      showWork(job);
      again(400);
      return;
    }
    if (busy(job.state)) { location.reload(); return; } // started in another window
    again(job.task ? 1000 : IDLE);
    if (byId("choose")) await followPredictions(job).catch(() => {}); // `follow` reports failed requests
  }

  async function followPredictions(job) {
    const done = predicting && !job.task;
    predicting = Boolean(job.task);
    if (!done && job.predictions === points.length) return;
    const found = await load(`${about.dataset.url}/predictions`);
    points = found.points;
    if (done) {
      const why = job.predictions_error ? `: ${job.predictions_error.replace(/\.$/, "")}` : "";
      byId("prediction-status").textContent = found.complete ? "Predicted from a trial release of this log by each method."
        : `Some predictions failed${why}. You can still make a release.`;
    }
    showPredictions();
  }

  // ------------------------------------------------------------------------------------------ choosing columns

  // A column with a role is not offered to be kept, and only what is kept can be a number.
  function showUses() {
    const taken = ["case", "activity", "and", "time", "clock", "person", "start"].map((role) => byId(`c-${role}`).value);
    for (const row of document.querySelectorAll("#others [data-column]")) {
      const use = row.querySelector("select");
      row.hidden = use.disabled = taken.includes(row.dataset.column);
      row.querySelector("input").disabled = row.hidden || !use.value;
    }
  }

  const columns = byId("columns");
  if (columns) {
    columns.addEventListener("change", showUses);
    showUses();
  }

  // ------------------------------------------------------------------------------------------ choosing delta

  let predicting = Boolean(about.dataset.task); // or a task after which they continue
  let points = JSON.parse(byId("data").textContent).points;
  const number = byId("delta-number"), slider = byId("delta-slider");
  const variants = Number(about.dataset.variants), count = (number) => Math.round(number).toLocaleString("en");
  const percent = (share) => (share === null ? "–" : share >= 10 ? Math.round(share) + " times"
    : (100 * share).toFixed(share < 0.0995 ? 1 : 0) + "%");

  // The prediction for this delta, interpolated between its neighbours if there is none.
  function predicted(method, delta) {
    const own = points.filter((point) => point.method === method).sort((a, b) => a.delta - b.delta);
    const exact = own.find((point) => Math.abs(point.delta - delta) < 1e-9);
    if (exact) return exact;
    const below = own.filter((point) => point.delta < delta).pop(), above = own.find((point) => point.delta > delta);
    if (!below || !above || below.ratio === null || above.ratio === null) return null;
    const far = (delta - below.delta) / (above.delta - below.delta), about = { interpolated: true };
    for (const key of ["ratio", "time_distance_share", "variants_lost"]) {
      about[key] = below[key] === null || above[key] === null ? null : below[key] + far * (above[key] - below[key]);
    }
    return about;
  }

  function showPredictions() {
    const delta = number.validity.valid ? Number(number.value) : NaN;
    for (const place of document.querySelectorAll(".prediction")) {
      const point = predicted(place.dataset.method, delta);
      const pieces = !point ? [predicting && delta >= server.deltas.at(0) && delta <= server.deltas.at(-1) ? "…"
          : "Not predicted for this delta."]
        : point.ratio === null || point.ratio < 0.005 ? ["Nothing, or nearly nothing, of this log would be left."]
        : [point.interpolated ? "about " : "", { b: point.ratio.toFixed(2) + " ×" }, " the cases, times off by ",
          { b: percent(point.time_distance_share) },
          point.variants_lost >= 1 ? `, ${count(point.variants_lost)} of ${count(variants)} paths lost` : ""];
      place.replaceChildren(...pieces.map((piece) => {
        if (typeof piece === "string") return document.createTextNode(piece);
        const bold = document.createElement("b");
        bold.textContent = piece.b;
        return bold;
      }));
    }
  }

  let requested = 0;
  async function showPromises(valid) {
    const delta = Number(number.value), mine = ++requested;
    if (!valid) { writePromises({}); return; } // at once: the text shown is for another delta
    await new Promise((resume) => setTimeout(resume, 150)); // wait for the user to stop typing
    if (mine !== requested) return;
    const found = await load(`/api/guarantees?delta=${delta}&job=${about.dataset.job}`).catch(() => null);
    if (found && mine === requested) writePromises(found);
  }

  function writePromises(found) {
    for (const place of document.querySelectorAll(".promise")) {
      const own = found[place.dataset.method];
      const texts = own ? [...own.promises, own.limits, ...own.cautions] : [place.dataset.otherwise];
      place.replaceChildren(...texts.map((text) => {
        const line = document.createElement("p");
        line.textContent = text;
        return line;
      }));
    }
  }

  function deltaChanged() {
    const delta = Number(number.value), valid = number.value !== "" && number.validity.valid;
    const of100 = valid ? String(Math.min(100, Math.round(1000 * (0.5 + delta)) / 10)) : "…";
    byId("delta-of-100").textContent = of100;
    byId("delta-void").hidden = !(valid && delta >= 0.5);
    const weak = valid && delta > Number(byId("delta-weak").dataset.weak);
    byId("weak").hidden = !weak;
    byId("weak").classList.remove("unscripted");
    byId("confirm-weak").required = weak;
    byId("delta-weak").hidden = !(valid && delta > Number(byId("delta-weak").dataset.weak) && delta < 0.5);
    byId("delta-claim").hidden = !valid;
    byId("delta-wrong").hidden = valid;
    showPredictions();
    showPromises(valid);
    if (!valid) return;
    slider.value = delta;
    slider.setAttribute("aria-valuetext", `${delta}: at most ${of100} of 100`);
  }

  function showChosen() {
    const method = document.querySelector("input[name=method]:checked");
    for (const place of document.querySelectorAll(".outlook li")) {
      place.classList.toggle("is-chosen", Boolean(method) && place.dataset.method === method.value);
    }
  }

  if (number) {
    document.querySelectorAll("input[name=method]").forEach((each) => each.addEventListener("change", showChosen));
    showChosen();
    number.addEventListener("input", deltaChanged);
    slider.addEventListener("input", () => { number.value = slider.value; deltaChanged(); });
    deltaChanged();
  }

  // a download changes when everything will be deleted
  document.querySelectorAll("a[download]").forEach((link) => link.addEventListener("click", () => setTimeout(async () => {
    const job = await load(about.dataset.url).catch(() => null);
    const time = document.querySelector("main time");
    if (job) { time.dateTime = job.deleted_at; showTime(time); }
  }, 1500)));

  const copy = byId("copy");
  if (copy) copy.addEventListener("click", async () => {
    const command = byId("command");
    try {
      await navigator.clipboard.writeText(command.textContent);
      copy.textContent = "Copied";
    } catch { // not allowed, or not available: without TLS, browsers have it for localhost only
      command.focus();
      getSelection().selectAllChildren(command);
      copy.textContent = "Selected: now press Ctrl+C";
    }
  });

  // ------------------------------------------------------------------------------------------ steps

  // Style sheets show one step at a time; this marks it in the bar of steps, and leads there whoever listens.
  function stepOfAddress() {
    return /^#[a-z]+$/.test(location.hash) ? document.querySelector(`.step${location.hash}`) : null;
  }

  function markStep() {
    const shown = stepOfAddress() || document.querySelector(".step.current");
    for (const link of document.querySelectorAll(".path a")) {
      const here = Boolean(shown) && link.hash === `#${shown.id}`;
      link.parentElement.classList.toggle("here", here);
      link.parentElement.removeAttribute("aria-current");
      if (here) {
        link.setAttribute("aria-current", "step");
        link.scrollIntoView({ block: "nearest", inline: "nearest" });
      } else link.removeAttribute("aria-current");
    }
    return shown;
  }

  function goToStep() {
    const step = markStep();
    if (!step) return;
    scrollTo(0, 0);
    (step.querySelector(".problem") || step.querySelector("h2")).focus({ preventScroll: true }); // for screen readers
    const problem = step.querySelector(".problem");
    if (problem) problem.scrollIntoView({ block: "center" });
  }

  addEventListener("hashchange", goToStep);
  // A task that failed has no step for its result; its message is in another one.
  const failed = document.querySelector(".step:has(.problem)");
  if (failed && !stepOfAddress()) {
    document.querySelectorAll(".step.current").forEach((each) => each.classList.remove("current"));
    failed.classList.add("current");
  }
  markStep();
  if (location.hash || failed) goToStep();
  if (about.dataset.task || busy(about.dataset.state)) follow();
  else again(IDLE);

  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && follow());
  addEventListener("pageshow", (event) => { // the browser shows the page from its cache
    if (!event.persisted) return;
    leaving = false;
    document.documentElement.classList.add("unsure"); // until the server says that the log is still there
    follow();
  });
})();
