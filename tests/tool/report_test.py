#!/usr/bin/env python3
"""report_test.py TOOL PROGRAMS_DIR CORPUS_DIR [--browser=FILE] [--screenshot=FILE.png]: `midend report`.

Equal inputs give equal pages; pages need nothing else; names hold anything; errors have their status and message; the JSON
for iongraph has the form that the viewer asks for. If Chromium is there, pages are opened in it, headless: elements, keys
and clicks. If it is not, the last lines say so.
"""
import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

failed = 0


def check(holds, name, message=""):
    global failed
    if not holds:
        failed += 1
        print(f"FAIL {name}: {message}")


def run(tool, *arguments, text=None):
    done = subprocess.run([tool, "report", *map(str, arguments)], input=text, capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def page_of(tool, *arguments):
    """The page and its data."""
    status, out, err = run(tool, *arguments, "-o", "-")
    check(status == 0 and err == "", f"report {arguments}", f"status {status}: {err}")
    page = out.decode()
    return page, json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', page, re.S).group(1))


def check_same(tool, programs, corpus, work):
    for arguments in ([programs / "unrolling.eir", "--passes=construct-ssa,unroll,clean-up"], [corpus / "irreducible.cfg.gz"]):
        one, other = work / "one.html", work / "other.html"
        for file in (one, other):
            status, out, err = run(tool, *arguments, "-o", file)
            check((status, out, err) == (0, b"", ""), "same page", f"{status} {err}")
        check(one.read_bytes() == other.read_bytes(), "same page", "two runs differ")
        page = one.read_text()
        outside = [x for x in re.findall(r"https?://[^\"' )]*", page) if x != "http://www.w3.org/2000/svg"]
        check(not outside, "no other file", outside)
        check(not re.search(r"<(link|img|iframe)|\ssrc=|@import|url\((?!#)", page), "no other file", "it refers to one")
    from_stdin = run(tool, "-", "-o", "-", text=(programs / "loops.eir").read_bytes())
    check(from_stdin[0] == 0 and b"@nested" in from_stdin[1], "standard input", from_stdin[2])


def check_errors(tool, programs, corpus, work):
    loops = programs / "loops.eir"
    (work / "bad.eir").write_text("proc @f() {\n  node a:\n    br b\n}\n")
    (work / "bad.cfg").write_text("function f\nblocks 2\nsucc 0 7\nsucc 1\nend\n")
    for status, message, arguments in [
            (2, "--output", [loops]), (2, "FILE", ["-o", "x"]),
            (1, r"nowhere\.eir: error: cannot be opened", [work / "nowhere.eir", "-o", "-"]),
            (1, r"nowhere\.cfg: error: cannot be opened", [work / "nowhere.cfg", "-o", "-"]),
            (1, r"bad\.eir:3:", [work / "bad.eir", "-o", "-"]), (1, r"bad\.cfg:3:", [work / "bad.cfg", "-o", "-"]),
            (1, r"no/where/x\.html: error: cannot be written", [loops, "-o", work / "no/where/x.html"]),
            (1, "/dev/full: error: cannot be written|standard output: error", [loops, "-o", "/dev/full"]),
            (1, "there is no procedure '@nothing'", [loops, "--procedure=nothing", "-o", "-"]),
            (1, "there is no function 'nothing'", [corpus / "irreducible.cfg.gz", "--function=nothing", "-o", "-"]),
            (2, "unknown pass 'rotaet': did you mean rotate", [loops, "--passes=rotaet", "-o", "-"]),
            (2, "after the colon of peel stands a number", [loops, "--passes=peel:x", "-o", "-"]),
            (2, "unknown format 'pdf', expected one of: html, ion", [loops, "--format=pdf", "-o", "-"]),
            (2, "graphs without operations have no passes", [corpus / "irreducible.cfg.gz", "--passes=dce", "-o", "-"]),
            (1, "known names", [loops, "--machine=nowhere", "-o", "-"])]:
        got, out, err = run(tool, *arguments)
        check(got == status and re.search(message, err) and out == b"", f"error {message}", f"{got} {err} {out[:80]}")


def check_content(tool, programs):
    for file in sorted(programs.glob("*.eir")):
        _, data = page_of(tool, file, "--passes=construct-ssa,sccp:strided,dce,clean-control")
        text = file.read_text()
        check([p["name"] for p in data["procedures"]] == re.findall(r"^proc (@\w+)", text, re.M), f"{file.name}", "names")
        for p in data["procedures"]:
            check([s["pass"] for s in p["steps"]] == ["", "construct-ssa", "sccp:strided", "dce", "clean-control"], p["name"],
                  "passes")
            check(not p["steps"][0].get("same"), p["name"], "the first step shows nothing")
            seen = set()
            for step in p["steps"]:
                if step.get("same"):
                    continue
                ids = {b["i"] for b in step["blocks"]}
                check(all(e["s"] in ids and e["t"] in ids for e in step["edges"]), p["name"], "an edge without its blocks")
                check(all(b["dom"] in ids for b in step["blocks"] if "dom" in b), p["name"], "a dominator that is not there")
                now = {o[0] for b in step["blocks"] for o in b.get("o", []) if o[2:3] != ["-"]}
                fresh = {o[0] for b in step["blocks"] for o in b.get("o", []) if o[2:3] == ["+"]}
                gone = {o[0] for b in step["blocks"] for o in b.get("o", []) if o[2:3] == ["-"]}
                if step is not p["steps"][0]:
                    check(fresh == now - seen, p["name"], f"{step['pass']}: marked as new {fresh}, new is {now - seen}")
                    check(gone <= seen - now, p["name"], f"{step['pass']}: marked as gone {gone}")
                    check(step["gone"] or gone == seen - now, p["name"], f"{step['pass']}: gone and not marked")
                seen = now
    _, data = page_of(tool, programs / "dataflow.eir", "--procedure=always_one", "--passes=construct-ssa,sccp")
    last = data["procedures"][0]["steps"][1]
    facts = {o[1].split(" ")[0]: o[3] for b in last["blocks"] for o in b.get("o", []) if len(o) > 3}
    check(facts.get("%x.1") == "1", "facts", facts)
    check(data["procedures"][0]["steps"][2]["changes"] != [], "changes", "sccp records nothing")
    _, data = page_of(tool, programs / "unrolling.eir", "--procedure=five_iterations_more")
    if data["advice"] is not None:
        loop = data["advice"]["loops"]
        check(len(loop) == 1 and loop[0]["header"] == "loop" and loop[0]["candidates"], "advice", loop)
        check(page_of(tool, programs / "unrolling.eir", "--no-advice")[1]["advice"] is None, "--no-advice", "there is some")


HOSTILE = ["</script><script>document.title='taken'</script>", "<!--", "\"'`\\", "]]>", "&lt;&#60;",
           "<img/src=x/onerror=alert(1)>", "__proto__", "constructor"]


def hostile_file(work):
    """A graph file with names that end elements, strings and comments."""
    file = work / "<script>'\"&<!--\x1b[31m\x7f\u202e.cfg"
    file.write_bytes(b"".join(b"function " + name + b"\nblocks 3\nsucc 0 1 2\nsucc 1 0\nsucc 2\nend\n"
                              for name in [n.encode() for n in HOSTILE]))
    return file


def check_hostile(tool, work):
    page, data = page_of(tool, hostile_file(work))
    check(page.count("</script") == 2 and page.count("<script") == 2, "hostile names", "they add elements")
    check("<!--" not in page, "hostile names", "they begin a comment")
    check(not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e\u2028]", page), "hostile names", "control characters")
    names = [p["name"] for p in data["procedures"]]
    check(names == HOSTILE, "hostile names", names)
    check("<script>'\"&<!--\\x1b[31m\\x7f\\xe2\\x80\\xae.cfg" in data["file"], "hostile names", data["file"])
    (work / "control.cfg").write_bytes(b"function a\x01b\nblocks 1\nsucc 0\nend\n")
    status, _, err = run(tool, work / "control.cfg", "-o", "-")
    check(status == 1 and "control character" in err and "\x01" not in err, "hostile names", err)


def check_ion(tool, programs, corpus):
    for arguments in [[programs / "loops.eir", "--passes=construct-ssa,rotate"], [programs / "tour.eir"],
                      [corpus / "irreducible.cfg.gz"]]:
        status, out, err = run(tool, *arguments, "--format=ion", "-o", "-")
        check(status == 0, "ion", err)
        data = json.loads(out)
        check(data["version"] == 1 and data["functions"], "ion", "no functions")
        for f in data["functions"]:
            for step in f["passes"]:
                blocks = {b["id"]: b for b in step["mir"]["blocks"]}
                check(len(blocks) == len(step["mir"]["blocks"]) and step["lir"] == {"blocks": []}, "ion", f["name"])
                for b in blocks.values():
                    check(b["ptr"] > 0 and all(i["ptr"] > 0 for i in b["instructions"]), "ion", "a null pointer")
                    check(all(blocks[s]["predecessors"].count(b["id"]) == b["successors"].count(s) for s in b["successors"]),
                          "ion", f"{f['name']}: successors and predecessors differ")
                    latches = [p for p in b["predecessors"] if "backedge" in blocks[p]["attributes"]]
                    check(len(latches) == ("loopheader" in b["attributes"]), "ion", f"{f['name']}: {len(latches)} backedges")
                    if "backedge" in b["attributes"]:
                        check(len(b["successors"]) == 1, "ion", f"{f['name']}: a backedge with other edges")
                check(not has_cycle(blocks), "ion", f"{f['name']}: a cycle without a backedge")


def has_cycle(blocks):
    """Without what leaves blocks marked `backedge`."""
    left = {i: sum("backedge" not in blocks[p]["attributes"] for p in b["predecessors"]) for i, b in blocks.items()}
    ready = [i for i, n in left.items() if n == 0]
    done = 0
    while ready:
        b = blocks[ready.pop()]
        done += 1
        for s in b["successors"] if "backedge" not in b["attributes"] else []:
            left[s] -= 1
            if left[s] == 0:
                ready.append(s)
    return done != len(blocks)


class Browser:
    """Chromium, driven by messages through pipes."""

    def __init__(self, program, work):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def place():  # the browser reads 3 and writes 4
            os.dup2(to_read, 30)
            os.dup2(to_write, 31)
            os.dup2(30, 3)
            os.dup2(31, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1600,1000",
             "--remote-debugging-pipe", f"--user-data-dir={work / 'browser'}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number = 0
        self.buffer = b""
        self.errors = []
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.page(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            got = os.read(self.back, 1 << 16)
            if not got:
                raise RuntimeError("the browser ended")
            self.buffer += got
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, parameters=None, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            got = self.receive()
            if got.get("method") == "Runtime.exceptionThrown":
                self.errors.append(got["params"]["exceptionDetails"])
            if got.get("method") == "Log.entryAdded" and got["params"]["entry"]["level"] == "error":
                self.errors.append(got["params"]["entry"])
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]

    def page(self, method, parameters=None):
        return self.send(method, parameters, self.session)

    def open(self, file, place=""):
        from urllib.parse import quote
        self.page("Page.navigate", {"url": "about:blank"})
        self.page("Page.navigate", {"url": "file://" + quote(str(file)) + place})
        for _ in range(200):
            if self.value("document.readyState === 'complete' && document.querySelector('#list li') !== null"):
                return
        raise RuntimeError("the page does not load")

    def value(self, expression):
        got = self.page("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        return got["result"].get("value")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.page("Input.dispatchKeyEvent", {"type": kind, "key": key, **(text if kind == "keyDown" else {})})

    def click(self, selector):
        """A click of the mouse in the middle of the first element."""
        x, y = self.value(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                          "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.page("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})

    def screenshot(self, file):
        Path(file).write_bytes(base64.b64decode(self.page("Page.captureScreenshot")["data"]))

    def close(self):
        try:
            self.send("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def check_browser(tool, programs, corpus, work, program, screenshot):
    browser = Browser(program, work)
    try:
        file = work / "page.html"
        run(tool, programs / "unrolling.eir", "--passes=construct-ssa,unroll,clean-up", "-o", file)
        browser.open(file)

        def number(selector):
            return browser.value(f"document.querySelectorAll({json.dumps(selector)}).length")

        def text(selector):
            return browser.value(f"document.querySelector({json.dumps(selector)}).textContent")

        check(number("#flow .block") == 3 and number("#flow path.edge") == 3, "browser", "blocks and edges")
        check(number("#flow .loop-box") == 1 and number("#flow path.edge.back") == 1, "browser", "the loop")
        check("@five_iterations(" in text("#head"), "browser", text("#head"))
        if "null" not in text("#data")[-20:]:
            check("cycles per iteration" in text("#loops"), "browser: advice", text("#loops"))
            browser.click(".loop h3")
            check(number("#loops tr.chosen") == 1, "browser: advice", text("#loops"))
        # A value: its definition and its uses.
        browser.click("tspan[data-value='%s1']")
        check(text("#selection").startswith("%s1") and "Used by 1 operation" in text("#selection"), "browser: value",
              text("#selection"))
        check(number("tspan.def") == 1 and number("tspan.use") == 1, "browser: value", "marks")
        browser.key("Escape")
        check(number("tspan.def") == 0, "browser: escape", "marks stay")
        # Passes by key; what changed; a block that stays where it is.
        browser.click("[data-block='0'] text.name")
        browser.key("p")
        where = "document.querySelector('.block.pinned').getBoundingClientRect().y"
        before = browser.value(where)
        browser.key("ArrowRight")
        check(text("#steps li.on").startswith("construct-ssa"), "browser: pass", text("#steps li.on"))
        browser.key("ArrowRight")
        check(text("#steps li.on").startswith("unroll") and number(".line-back.new") > 10, "browser: pass", "new operations")
        check(number(".line-back.gone") > 0, "browser: pass", "gone operations")
        check(abs(browser.value(where) - before) < 1, "browser: pin", f"{before} became {browser.value(where)}")
        check("new" in text("#changes"), "browser: changes", text("#changes"))
        if screenshot:
            browser.screenshot(screenshot)
        browser.key("ArrowRight")
        browser.key("ArrowRight")
        check(text("#steps li.on").startswith("clean-up"), "browser: pass", text("#steps li.on"))
        check(number(".line-back.new, .line-back.gone") == 0, "browser: pass", "unroll has not cleaned up")
        # Procedures by key and by search.
        browser.key("j")
        check(text("#list li.on b") == "@five_iterations_more", "browser: j", text("#list li.on b"))
        browser.key("k")
        browser.key("/")
        for c in "matrix":
            browser.key(c)
        check(text("#count") == "1 of 12 procedures", "browser: search", text("#count"))
        browser.key("Enter")
        check(text("#list li.on b") == "@matrix_4x4" and number("#flow .loop-box") >= 1, "browser: search", text("#head"))
        check(number("#dominators li") == number("#flow .block"), "browser: dominators", "not all blocks")
        # Names that hold anything.
        hostile = work / "hostile.html"
        run(tool, hostile_file(work), "-o", hostile)
        browser.open(hostile)
        for _ in HOSTILE:
            browser.key("j")
        check(number("script") == 2 and number("#list li") == len(HOSTILE) and number("img") == 0, "browser: names",
              "elements")
        check(browser.value("document.title").endswith("midend report"), "browser: names", browser.value("document.title"))
        check(browser.value("document.querySelector('#list li b').textContent") == HOSTILE[0], "browser: names", "the first")
        # Many blocks: those in sight are drawn.
        large = work / "large.html"
        (work / "large.cfg").write_text("function large\nblocks 10000\n" + "".join(
            f"succ {i} {i + 1} {min(9999, i + 2 + i % 7)}\n" for i in range(9998)) + "succ 9998 9999\nsucc 9999\nend\n")
        run(tool, work / "large.cfg", "-o", large)
        browser.open(large)
        check(0 < number("#flow .block") < 1000, "browser: many blocks", number("#flow .block"))
        browser.key("f")
        check(number("#flow .block") == 10000, "browser: many blocks", number("#flow .block"))
        check(not browser.errors, "browser", browser.errors[:2])
    finally:
        browser.close()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tool")
    arguments.add_argument("programs", type=Path)
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("--browser")
    arguments.add_argument("--screenshot", help="keep a picture of a page")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        check_same(given.tool, given.programs, given.corpus, work)
        check_errors(given.tool, given.programs, given.corpus, work)
        check_content(given.tool, given.programs)
        check_hostile(given.tool, work)
        check_ion(given.tool, given.programs, given.corpus)
        browser = given.browser or shutil.which("chromium") or shutil.which("chromium-browser")
        if browser:
            check_browser(given.tool, given.programs, given.corpus, work, browser, given.screenshot)
        else:
            print("pages are not opened: Chromium is not installed (Debian: chromium)")
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
