// search.cjs SITE: what the search of the manual finds, asked as a browser asks it: by the script of the pages and the worker
// of the theme. Each line of `wanted` is a query and the page that must be among the first five.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const site = process.argv[2];
const wanted = [
  ["midend::solve", "dataflow.html"],
  ["csr_graph::from_edges", "graph.html"],
  ["midend/graph/csr_graph.hpp", "graph.html"],
  ["dominators(g)", "dominance.html"],
  ["GVN", "value_numbering.html"],
  ["LICM", "transform.html"],
  ["mem2reg", "ssa.html"],
  ["SCEV", "evolutions.html"],
  ["software pipelining", "schedule.html"],
  ["loop inversion", "transform.html"],
  ["sccp", "sccp.html"],
  ["unrolling", "unrolling.html"],
];

const page = fs.readFileSync(path.join(site, "index.html"), "utf-8");
const script = page.match(/<script>([^<]*__search = [^<]*)<\/script>/);
const workers = path.join(site, "assets/javascripts/workers");
const worker = fs.readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));

// In the worker.
let receive;
const answers = [];
const self = { console, URL, addEventListener: (_, f) => (receive = f), postMessage: (m) => answers.push(m) };
self.self = self;
vm.createContext(self);
vm.runInContext(fs.readFileSync(path.join(workers, worker), "utf-8"), self);
// In the page.
const window = {};
vm.createContext(window);
vm.runInContext(script ? script[1] : "var __search = { transform: (query) => query };", window);

(async () => {
  const index = JSON.parse(fs.readFileSync(path.join(site, "search/search_index.json"), "utf-8"));
  const options = { pipeline: ["trimmer", "stopWordFilter"], suggestions: true };
  await receive({ data: { type: 0, data: { ...index, options } } });
  let wrong = 0;
  for (const [query, expected] of wanted) {
    answers.length = 0;
    await receive({ data: { type: 2, data: window.__search.transform(query) } });
    const found = answers[0].data.items.map((item) => item[0].location.replace(/#.*/, "")).slice(0, 5);
    if (!found.includes(expected)) {
      console.log(`"${query}" does not find ${expected}, but ${found.join(", ") || "nothing"}`);
      ++wrong;
    }
  }
  console.log(`${wanted.length} queries, ${wrong} wrong`);
  process.exit(wrong === 0 ? 0 : 1);
})();
