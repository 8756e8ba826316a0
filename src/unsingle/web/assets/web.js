// What a page cannot do without a script: drop a file, show how far things are, follow the slider.
// Everything it asks, it asks of the server that it came from.
"use strict";
(() => {
  const byId = (name) => document.getElementById(name);
  document.documentElement.classList.add("scripting");

  // ------------------------------------------------------------------------------------------ bringing a log

  const size = (bytes) => (bytes >= 1e9 ? (bytes / 1e9).toFixed(2) + " GB" : (bytes / 1e6).toFixed(1) + " MB");

  function upload(form, file) {
    const problem = byId("upload-problem"), sending = byId("sending"), said = byId("said"), bar = byId("sent");
    const tell = (text) => { problem.textContent = text; problem.hidden = !text; };
    const end = (text) => {
      sending.hidden = true;
      form.removeAttribute("aria-busy");
      tell(text);
      byId("file").value = ""; // so that the same file can be chosen again
      byId("file").focus();
    };
    tell("");
    const most = Number(form.dataset.most);
    if (file.size > most) {
      end(`The file has ${size(file.size)}, and ${size(most)} are allowed here: pack it with gzip, or start unsingle ` +
        "with a larger --max-upload.");
      return;
    }
    const content = new FormData();
    content.append("log", file);
    const request = new XMLHttpRequest();
    let told = -1;
    request.upload.onprogress = (event) => {
      bar.value = event.loaded / event.total;
      const tenth = Math.floor(10 * bar.value); // not too often for whoever listens
      if (tenth !== told) said.textContent = `Sending: ${size(event.loaded)} of ${size(event.total)}`;
      told = tenth;
    };
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* not ours */ }
      if (request.status === 201) location.assign(`/jobs/${answer.id}`);
      else end(answer.error || "The log could not be taken: try it again.");
    };
    request.onerror = () => end("The connection broke off: see whether unsingle still runs, and try it again.");
    request.onabort = () => end("");
    byId("break-off").onclick = () => request.abort();
    sending.hidden = false;
    form.setAttribute("aria-busy", "true");
    said.textContent = "Sending …";
    request.open("POST", "/api/jobs");
    request.send(content);
    byId("break-off").focus();
  }

  const form = byId("upload");
  if (form) {
    const input = byId("file"), drop = byId("drop");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.files.length) upload(form, input.files[0]);
    });
    input.addEventListener("change", () => input.files.length && upload(form, input.files[0]));
    for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
    for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) upload(form, event.dataTransfer.files[0]);
    });
  }

  // ------------------------------------------------------------------------------------------ following a job

  function showTime(time) {
    time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
  document.querySelectorAll("time").forEach(showTime);

  const about = byId("state");
  if (!about) { // the start, which lists logs: a browser that keeps pages may show it as it was
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    return;
  }
  const words = JSON.parse(about.textContent);
  const AFTER = { assess: "risk", release: "release" }; // where to look when it is done; else at the log
  const FAILED = { release: "delta" }; // and when it failed, for there one can choose anew

  function showWork(job) {
    const said = byId("work-said"), task = job.task;
    if (!said || !task) return;
    const text = job.state === "waiting" ? `Waiting for its turn: ${task.ahead} before it.`
      : (([first, ...rest]) => first.toUpperCase() + rest.join("") + " …")(words[task.step] || "starting");
    if (said.textContent !== text) said.textContent = text;
    byId("work-bar").value = task.fraction;
    const now = task.steps.indexOf(task.step);
    document.querySelectorAll(".steps li").forEach((item, i) => {
      item.toggleAttribute("aria-current", i === now);
      if (i === now) item.setAttribute("aria-current", "step");
      item.classList.toggle("done", i < now);
    });
  }

  async function ask(path) {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }

  const busy = (state) => ["uploading", "waiting", "working"].includes(state);
  let leaving = false; // what was asked for now decides where the page goes
  document.addEventListener("submit", () => { leaving = true; });

  // A log that is deleted must not stay in a window that somebody left open.
  let emptied = false, silence = 0; // how often nobody answered
  function empty(text) {
    emptied = true;
    document.querySelectorAll("#main > *, #data, .private").forEach((each) => each.remove());
    document.title = "unsingle";
    const said = document.createElement("p");
    said.setAttribute("role", "status");
    said.textContent = text;
    byId("main").append(said);
  }

  function unanswered(status) {
    if (status === "404") {
      empty("This log is not here any more.");
      location.reload(); // the page says why
      return;
    }
    silence += 1;
    const said = byId("work-said");
    if (said) said.textContent = NO_ANSWER;
    if (silence === PATIENCE) empty(`${NO_ANSWER} If it was not, this page comes back when it answers.`);
    again(3000);
  }

  const NO_ANSWER = "unsingle does not answer. If it was ended, the log is deleted.";
  const PATIENCE = 3, IDLE = 5000; // milliseconds between two looks at a log that nobody works on
  let next = 0;
  function again(wait) {
    clearTimeout(next); // one at a time, also if somebody comes back to the page
    next = setTimeout(follow, wait);
  }

  async function follow() {
    let job;
    if (leaving) return;
    try {
      job = await ask(about.dataset.url);
    } catch (error) {
      if (!leaving) unanswered(error.message);
      return;
    }
    if (leaving) return;
    if (emptied) { location.reload(); return; } // it is here after all
    silence = 0;
    document.documentElement.classList.remove("unsure");
    if (busy(about.dataset.state)) {
      if (!busy(job.state) || (job.task ? job.task.name : "") !== about.dataset.task) {
        const where = (job.error ? FAILED : AFTER)[about.dataset.task] || "log";
        history.replaceState(null, "", `#${where}`);
        history.scrollRestoration = "manual"; // else the browser goes back to where the page was
        location.reload();
        return;
      }
      showWork(job);
      again(400);
      return;
    }
    if (busy(job.state)) { location.reload(); return; } // begun in another window
    again(job.task ? 1000 : IDLE);
    if (byId("choose")) await followPredictions(job).catch(() => {}); // the next look tells why there was no answer
  }

  async function followPredictions(job) {
    const done = predicting && !job.task;
    predicting = Boolean(job.task);
    if (!done && job.predictions === points.length) return;
    const found = await ask(`${about.dataset.url}/predictions`);
    points = found.points;
    if (done) {
      const why = job.predictions_error ? `: ${job.predictions_error.replace(/\.$/, "")}` : "";
      byId("predicted-said").textContent = found.complete ? "Predicted from a trial release of this log by each method."
        : `Not all predictions could be made${why}. You can make a release all the same.`;
    }
    showPredictions();
  }

  // ------------------------------------------------------------------------------------------ choosing delta

  let predicting = Boolean(about.dataset.task); // or something after which they go on
  let points = JSON.parse(byId("data").textContent).points;
  const number = byId("delta-number"), slider = byId("delta-slider");
  const variants = Number(about.dataset.variants), count = (number) => Math.round(number).toLocaleString("en");
  const percent = (share) => (share === null ? "–" : share >= 10 ? Math.round(share) + " times"
    : (100 * share).toFixed(share < 0.0995 ? 1 : 0) + "%");

  // What was measured for this delta, or what lies between the nearest that were.
  function predicted(method, delta) {
    const own = points.filter((point) => point.method === method).sort((a, b) => a.delta - b.delta);
    const exact = own.find((point) => Math.abs(point.delta - delta) < 1e-9);
    if (exact) return exact;
    const below = own.filter((point) => point.delta < delta).pop(), above = own.find((point) => point.delta > delta);
    if (!below || !above || below.ratio === null || above.ratio === null) return null;
    const far = (delta - below.delta) / (above.delta - below.delta), about = { between: true };
    for (const key of ["ratio", "time_distance_share", "variants_lost"]) {
      about[key] = below[key] === null || above[key] === null ? null : below[key] + far * (above[key] - below[key]);
    }
    return about;
  }

  function showPredictions() {
    const delta = number.validity.valid ? Number(number.value) : NaN;
    for (const place of document.querySelectorAll(".prediction")) {
      const point = predicted(place.dataset.method, delta);
      const pieces = !point ? [predicting && delta >= 0.05 && delta <= 0.5 ? "…" : "Not measured for this delta."]
        : point.ratio === null || point.ratio < 0.005 ? ["Nothing or nearly nothing would be left of this log."]
        : [point.between ? "about " : "", { b: point.ratio.toFixed(2) + " ×" }, " the cases, times off by ",
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

  let asked = 0;
  async function showPromises(valid) {
    const delta = Number(number.value), mine = ++asked;
    if (!valid) { writePromises({}); return; } // at once: what stands there is of another delta
    await new Promise((resume) => setTimeout(resume, 150)); // while somebody still types
    if (mine !== asked) return;
    const found = await ask(`/api/guarantees?delta=${delta}`).catch(() => null);
    if (found && mine === asked) writePromises(found);
  }

  function writePromises(found) {
    for (const place of document.querySelectorAll(".promise")) {
      const own = found[place.dataset.method];
      const texts = own ? [...own.promises, own.limits, ...own.cautions] : ["It cannot promise this delta."];
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
    byId("delta-weak").hidden = !(valid && delta > Number(byId("delta-weak").dataset.usual) && delta < 0.5);
    byId("delta-claim").hidden = !valid;
    byId("delta-wrong").hidden = valid;
    showPredictions();
    showPromises(valid);
    if (!valid) return;
    slider.value = delta;
    slider.setAttribute("aria-valuetext", `${delta}: at most ${of100} of 100`);
  }

  if (number) {
    number.addEventListener("input", deltaChanged);
    slider.addEventListener("input", () => { number.value = slider.value; deltaChanged(); });
    deltaChanged();
  }

  // who downloads learns when everything will be gone
  document.querySelectorAll("a[download]").forEach((link) => link.addEventListener("click", () => setTimeout(async () => {
    const job = await ask(about.dataset.url).catch(() => null);
    const time = document.querySelector("main time");
    if (job) { time.dateTime = job.deleted_at; showTime(time); }
  }, 1500)));

  const copy = byId("copy");
  if (copy) copy.addEventListener("click", async () => {
    const command = byId("command");
    try {
      await navigator.clipboard.writeText(command.textContent);
      copy.textContent = "Copied";
    } catch { // not allowed, or not there: without TLS browsers have it for their own machine only
      command.focus();
      getSelection().selectAllChildren(command);
      copy.textContent = "Selected: now press Ctrl+C";
    }
  });

  // What failed before the page came has no section of its own, but a message in another.
  const named = /^#[a-z]+$/.test(location.hash) && `section${location.hash}`;
  const section = named && (document.querySelector(named) || document.querySelector("section:has(.problem)"));
  if (section) {
    section.scrollIntoView(); // again, for the plots above are drawn only now
    (section.querySelector(".problem") || section.querySelector("h2")).focus({ preventScroll: true }); // for who listens
  }
  if (about.dataset.task || busy(about.dataset.state)) follow();
  else again(IDLE);

  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && follow());
  addEventListener("pageshow", (event) => { // a browser that keeps pages shows this one as it was
    if (!event.persisted) return;
    leaving = false;
    document.documentElement.classList.add("unsure"); // until the server says that the log is still there
    follow();
  });
})();
