"""site.py OUTPUT [ADDRESS]: builds the manual as a searchable site in the folder OUTPUT. Called by docs/build.sh. ADDRESS is
where the site will be, for its sitemap. With Doxygen, the site has the reference of the headers, too.

The pages are the Markdown files of docs/ and a few others, as they stand. On the way to MkDocs
- links to pages become links of the site, and links to sources become links to pages that show the source,
- headings keep the anchors that forges give them,
- `\\|` in code in tables becomes `|`, as on forges,
- every link of the finished site is followed; a dead one is an error.
"""
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote

from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

# Pages that are not in docs/, and what they are called in the site.
ELSEWHERE = {
    ROOT / "README.md": "overview.md",
    ROOT / "CHANGELOG.md": "changelog.md",
    ROOT / "CONTRIBUTING.md": "contributing.md",
    ROOT / "tests/data/corpus/FORMAT.md": "corpus-format.md",
    DOCS / "README.md": "index.md",
}
VERSION = ".".join(re.findall(r"#define MIDEND_VERSION_\w+ (\d+)", (ROOT / "include/midend/version.hpp").read_text(encoding="utf-8")))
ADDRESS = "https://midend.example/"  # a placeholder, as in conanfile.py: there is no public address yet
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".h": "cpp", ".sh": "bash", ".py": "python", ".cmake": "cmake",
             ".json": "json", ".yml": "yaml"}

NAVIGATION = [
    ("Home", "index.md"),
    ("Start", ["getting_started.md", "tutorial.md", {"Overview, installation": "overview.md"}, "installation.md", "examples.md", "tool.md", "scaling.md", "report.md", "debugging.md"]),
    ("Connect your IR", ["graph.md", "ir-concepts.md", "llvm.md", "llvm_plugin.md", "gcc_plugin.md", "llvm_to_eir.md"]),
    ("Dominance", ["dominance.md", "post_dominance.md", "frontiers.md", "updates.md", "certificates.md"]),
    ("Loops", ["loops.md", "loop_forms.md", "cycles.md"]),
    ("Dataflow", ["dataflow.md", "lattices.md", "bit_vector_analyses.md"]),
    ("SSA and constants", ["ssa.md", "sccp.md", "value_numbering.md", "live_values.md"]),
    ("Unrolling", ["unrolling.md", "unrolling-reference.md", "unrolling-trips.md", "evolutions.md", "dependence.md", "trials.md", "machine-model.md", "estimate.md", "schedule.md", "unrolling-llvm.md"]),
    ("Transformations", ["transform.md", "packages.md"]),
    ("The Elbrus-like IR", ["elbrus-ir.md", "elbrus-interpreter.md"]),
    ("Reference", ["analyses.md", "headers.md", "explanations.md", "glossary.md", "papers.md", "mistakes.md", "benchmarks.md", "compile_time.md", "corpus-format.md"]),
    ("Project", ["changelog.md", "contributing.md"]),
]

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(\s*<?)([^)\s>]+)(>?[^)]*\))")
FENCE = re.compile(r"^( *)(```+|~~~+)[^\n]*\n.*?^\1\2[ ]*$", re.MULTILINE | re.DOTALL)


def anchor(heading, _="-"):
    """The anchor that a forge gives to a heading."""
    return re.sub(r"[^\w\- ]", "", unicodedata.normalize("NFC", heading).lower()).replace(" ", "-")


def outside_code(text, change):
    """`change` applied to what is not in a block of code."""
    out, last = [], 0
    for block in FENCE.finditer(text):
        out += [change(text[last:block.start()]), block.group(0)]
        last = block.end()
    return "".join(out) + change(text[last:])


def bars_in_code(row):
    """A row of a table in which `…\\|…` is code with a bar. Python-Markdown would show the backslash."""
    return re.sub(r"(?<!`)`([^`]*\\\|[^`]*)`(?!`)",
                  lambda code: f"<code>{html.escape(code.group(1).replace(chr(92) + '|', '|')).replace('|', '&#124;')}</code>", row)


class Staging:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {path: path.name for path in sorted(DOCS.glob("*.md")) if path not in ELSEWHERE}
        self.pages |= {path: name for path, name in ELSEWHERE.items() if path.exists()}
        self.titles = {path: re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE).group(1)
                       for path in self.pages}
        self.sources = {}  # shown by a page: path -> name of the page

    def write(self):
        self.folder.mkdir(parents=True)
        shutil.copytree(DOCS / "images", self.folder / "images", ignore=shutil.ignore_patterns("*.sh", "*.cfg", "*.eir", "*.py"))
        for file in sorted(DOCS.glob("*.svg")):
            shutil.copy(file, self.folder)
        shutil.copytree(DOCS / "site", self.folder / "site")
        for path, name in self.pages.items():
            text = re.sub(r"(?m)^(```\w+) [^\n]+$", r"\1", path.read_text(encoding="utf-8"))  # what tests read
            (self.folder / name).write_text(outside_code(text, lambda part, path=path: self.prose(part, path)),
                                            encoding="utf-8")
        for path, name in self.sources.items():
            self.write_source(path, name)
        (self.folder / "headers.md").write_text(
            f"# Reference of the headers\n\nClasses, functions and concepts of midend {VERSION}, from the comments in the headers: "
            + ('<a href="reference/index.html">the reference</a>.\n' if DOXYGEN else
               "`doxygen docs/Doxyfile` makes it; Doxygen was not there when this site was built.\n"), encoding="utf-8")

    def prose(self, text, path):
        text = re.sub(r"(?m)^\|.*\|$", lambda row: bars_in_code(row.group(0)), text)
        if path == DOCS / "mistakes.md":  # on a phone a row is a paragraph: see site/manual.css
            text = re.sub(r"(?m)((?:^\|.*\n)+)", r'<div class="rows" markdown>\n\n\1\n</div>\n', text)
        text = LINK.sub(lambda link: self.link(link, path), text)
        # Forges begin a list without an empty line before it, Python-Markdown does not.
        return re.sub(r"(?m)^((?!\s*(?:[-*]|\d+\.) |[ |#]).*\S.*\n)(?=(?:[-*]|\d+\.) )", r"\1\n", text)

    def link(self, link, path):
        before, space, target, after = link.groups()
        if re.match(r"[a-z][a-z0-9+.-]*:|#", target):
            return link.group(0)
        name, mark, place = target.partition("#")
        file = (path.parent / name).resolve()
        if file in self.pages:
            if re.fullmatch(r"\[[\w.-]+\.md\]\(", before): # a file name as text: the title of the page instead
                before = f"[{self.titles[file]}]("
            return f"{before}{space}{self.pages[file]}{mark}{place}{after}"
        if DOCS in file.parents and file.suffix in (".svg", ".png"):
            return f"{before}{space}{file.relative_to(DOCS)}{after}"
        if file.is_dir():
            return f"{before}{space}examples.md{after}" if file == ROOT / "examples" else before.strip("![(").strip("](")
        if file.is_file():
            shown = self.sources.setdefault(file, "source/" + str(file.relative_to(ROOT)) + ".md")
            return f"{before}{space}{shown}{after}"
        return link.group(0)

    def write_source(self, path, name):
        page = self.folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        language = LANGUAGES.get(path.suffix, "text")
        text = path.read_text(encoding="utf-8")
        page.write_text(f"---\ntitle: {path.name}\n---\n# {path.relative_to(ROOT)}\n\n````{language}\n{text.rstrip()}\n````\n",
                        encoding="utf-8")


DOXYGEN = shutil.which("doxygen")


def write_reference(site, work):
    """The reference of the headers, as docs/Doxyfile says, in the folder `reference` of the site."""
    settings = (DOCS / "Doxyfile").read_text(encoding="utf-8")
    work.mkdir()
    done = subprocess.run([DOXYGEN, "-"], input=f"{settings}\nOUTPUT_DIRECTORY = {work}\nHTML_OUTPUT = html\n", text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0 or not (work / "html/index.html").is_file():
        sys.exit(f"site.py: doxygen fails:\n{done.stdout}")
    (work / "html").rename(site / "reference")


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        for key in ("href", "src"):
            if given.get(key) and tag != "link":
                self.links.append(given[key])


def dead_links(site):
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))
             if path.name != "404.html" and "reference" not in path.relative_to(site).parts}
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            name, _, place = link.partition("#")
            target = (path.parent / unquote(name)).resolve() if name else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                yield f"{path.relative_to(site)}: '{link}' leads nowhere"
            elif place and target in pages and unquote(place) not in pages[target].anchors:
                yield f"{path.relative_to(site)}: '{link}': there is no such place"


def main():
    output = Path(sys.argv[1]).resolve()
    staging = Staging(output / "pages")
    shutil.rmtree(output, ignore_errors=True)
    staging.write()
    named = {name for _, pages in NAVIGATION for page in (pages if isinstance(pages, list) else [pages])
             for name in (page.values() if isinstance(page, dict) else [page])}
    for name in sorted(named ^ ({"headers.md"} | set(staging.pages.values()))):
        sys.exit(f"site.py: {name} is a page or in the navigation, but not both")
    config = load_config(
        str(DOCS / "mkdocs.yml"), site_name=f"midend {VERSION}", site_url=sys.argv[2] if len(sys.argv) > 2 else ADDRESS, docs_dir=str(staging.folder), site_dir=str(output / "site"), strict=True,
        nav=[{title: pages} for title, pages in NAVIGATION],
        markdown_extensions=["tables", "fenced_code", "codehilite", "attr_list", "md_in_html", "sane_lists", "toc"])
    config["mdx_configs"] |= {"toc": {"slugify": anchor, "permalink": True, "toc_depth": 3},
                              "codehilite": {"guess_lang": False, "linenums": False, "css_class": "highlight"}}
    build(config)
    # The search finds pages, not the sources that they show.
    index = output / "site" / "search" / "search_index.json"
    found = json.loads(index.read_text(encoding="utf-8"))
    found["docs"] = [entry for entry in found["docs"] if not entry["location"].startswith("source/")]
    index.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    if DOXYGEN:
        write_reference(output / "site", output / "reference")
    dead = list(dead_links(output / "site"))
    print("\n".join(dead))
    if dead:
        sys.exit(f"site.py: {len(dead)} dead links")
    print(f"{sum(1 for _ in (output / 'site').rglob('*.html'))} pages in {os.path.relpath(output / 'site')}")


main()
