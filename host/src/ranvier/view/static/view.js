// SPDX-FileCopyrightText: 2026 The Ranvier authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// Tabs: the page's parts one at a time; the address says which, so that "back" works.

const tabs = [...document.querySelectorAll("#tabs a")];
const panels = tabs.map((tab) => document.querySelector(tab.hash));

function showTab() {
  const wanted = tabs.findIndex((tab) => tab.hash === location.hash);
  const chosen = Math.max(wanted, 0);
  tabs.forEach((tab, index) => {
    tab.setAttribute("aria-selected", String(index === chosen));
    tab.tabIndex = index === chosen ? 0 : -1;
    panels[index].hidden = index !== chosen;
  });
}

function setUpTabs() {
  document.getElementById("tabs").setAttribute("role", "tablist");
  tabs.forEach((tab, index) => {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panels[index].id);
    panels[index].setAttribute("role", "tabpanel");
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      if (location.hash !== tab.hash) {
        history.pushState(null, "", tab.hash);
      }
      showTab();
    });
    tab.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tabs.length - 1 };
      if (event.key in moves) {
        event.preventDefault();
        const next = tabs[(moves[event.key] + tabs.length) % tabs.length];
        next.click();
        next.focus();
      }
    });
  });
  addEventListener("popstate", showTab);
  addEventListener("hashchange", showTab);
  showTab();
}

// Charts: what a pointer, a finger or the arrow keys choose is told in a line below.

const HINT = "Point at something, tap it, or move with the arrow keys to see what it is.";

function setUpChart(frame) {
  const spots = [...frame.querySelectorAll("svg title")]
    .map((title) => title.parentNode)
    .filter((spot) => spot.localName !== "svg");
  if (spots.length === 0) {
    return;
  }
  const readout = document.createElement("p");
  readout.className = "readout empty";
  readout.setAttribute("aria-live", "polite");
  readout.textContent = HINT;
  frame.after(readout);
  let current = null;

  function choose(spot) {
    if (current !== null) {
      current.classList.remove("chosen");
    }
    current = spot;
    spot.classList.add("chosen");
    readout.classList.remove("empty");
    readout.textContent = spot.querySelector("title").textContent;
  }

  for (const spot of spots) {
    spot.addEventListener("pointerenter", () => choose(spot));
    spot.addEventListener("click", () => choose(spot));
  }
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const first = step > 0 ? 0 : spots.length - 1;
    const at = current === null ? first : spots.indexOf(current) + step;
    choose(spots[(at + spots.length) % spots.length]);
    current.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

function setUpCharts(root) {
  root.querySelectorAll(".scroll").forEach((frame) => {
    if (frame.querySelector("svg") !== null) {
      setUpChart(frame);
    }
  });
}

// Runs

const form = document.getElementById("run-form");
const drop = document.getElementById("drop");
const fields = [...form.querySelectorAll("input.file")];
const progress = document.getElementById("status");
const problem = document.getElementById("error");
const result = document.getElementById("result");

function fail(message, remedy) {
  const strong = document.createElement("strong");
  strong.textContent = "error: ";
  problem.replaceChildren(strong, message);
  if (remedy) {
    problem.append(document.createElement("br"), `try: ${remedy}`);
  }
  problem.hidden = false;
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

async function requestOf(kind) {
  const request = { kind };
  for (const field of form.querySelectorAll("input[type=number]")) {
    request[field.name] = field.valueAsNumber;
  }
  if (kind === "files") {
    const chosen = fields.flatMap((field) => [...field.files]);
    request.files = await Promise.all(
      chosen.map(async (file) => {
        const data = file.size === 0 ? "" : await base64(file);
        return { name: file.name, data };
      }),
    );
  }
  return request;
}

async function run(kind) {
  const buttons = [...form.querySelectorAll("button")];
  buttons.forEach((button) => { button.disabled = true; });
  problem.hidden = true;
  progress.textContent = "running ...";
  try {
    const body = JSON.stringify(await requestOf(kind));
    const answer = await fetch("run", { method: "POST", body });
    const text = await answer.text();
    if (answer.ok) {
      const page = new DOMParser().parseFromString(text, "text/html");
      result.replaceChildren(...page.body.childNodes);
      setUpCharts(result);
      progress.textContent = "done";
      if (result.getBoundingClientRect().top > innerHeight - 100) {
        result.scrollIntoView({ block: "start" });
      }
    } else {
      const { error } = JSON.parse(text);
      result.replaceChildren();
      progress.textContent = "";
      fail(error.message, error.remedy);
    }
  } catch (error) {
    result.replaceChildren();
    progress.textContent = "";
    fail(`no answer: ${error.message}`, "start ranvier view again, if it has ended");
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
}

function setUpDrop(area) {
  const over = (event) => {
    event.preventDefault();
    drop.classList.add("over");
  };
  area.addEventListener("dragover", over);
  area.addEventListener("dragleave", () => drop.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const files = [...event.dataTransfer.files];
    const under = fields.indexOf(event.target.closest(".field")?.querySelector("input.file"));
    const first = files.length === 1 ? Math.max(under, 0) : 0;
    files.slice(0, fields.length - first).forEach((file, index) => {
      const one = new DataTransfer();
      one.items.add(file);
      fields[first + index].files = one.files;
    });
    if (fields.every((field) => field.files.length > 0)) {
      run("files");
    }
  });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run(event.submitter === null ? "files" : event.submitter.value);
});
setUpDrop(panels[tabs.findIndex((tab) => tab.hash === "#run")]);
setUpTabs();
setUpCharts(document);
