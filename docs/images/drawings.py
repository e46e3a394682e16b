#!/usr/bin/env python3
"""drawings.py: draws the pictures drawn_*.svg of the documents again, in this folder.

They stand on a light card with dark ink, so that they can be read on light and dark pages.
"""
from html import escape
from pathlib import Path

INK, GREY, BLUE, GREEN, ORANGE, RED = "#24313d", "#6b7884", "#2b5a8c", "#2f7d4f", "#c2571a", "#b3261e"
CARD, BOX = "#fbfcfd", "#ffffff"
YELLOW, PALE_BLUE, PALE_GREEN, PALE_GREY, PALE_RED = "#ffe8a3", "#e6effa", "#e3f3e8", "#eceff1", "#fde7e2"


class Drawing:
    def __init__(self, name, width, height, title):
        self.name, self.width, self.height, self.title = name, width, height, title
        self.parts = []
        self.boxes = {}

    def add(self, text):
        self.parts.append(text)

    def text(self, x, y, words, size=14, colour=INK, anchor="middle", bold=False, mono=False):
        family = "ui-monospace, Menlo, Consolas, monospace" if mono else "Helvetica, Arial, sans-serif"
        self.add(f'<text x="{x}" y="{y}" font-family="{family}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"'
                 + (' font-weight="bold"' if bold else "") + f'>{escape(words).replace("  ", chr(160) * 2)}</text>')

    def region(self, x, y, w, h, fill, stroke, label="", corner="top"):
        self.add(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="10" fill="{fill}" stroke="{stroke}" stroke-dasharray="5 4"/>')
        if label:
            self.text(x + 10, y + 18 if corner == "top" else y + h - 8, label, 12, stroke, "start")

    def box(self, key, x, y, lines, w=96, fill=BOX, stroke=INK, dashed=False, mono=True):
        """A box with its middle at x and its top at y."""
        lines = lines if isinstance(lines, list) else [lines]
        h = 14 + 18 * len(lines)
        self.boxes[key] = (x, y, w, h)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.add(f'<rect x="{x - w / 2}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="{stroke}" stroke-width="1.5"{dash}/>')
        for i, line in enumerate(lines):
            self.text(x, y + 21 + 18 * i, line, 14, GREY if dashed else INK, mono=mono)

    def line(self, points, colour=INK, width=1.5, dashed=False, arrow=True):
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.path(path, colour, width, dashed, arrow)

    def path(self, path, colour=INK, width=1.5, dashed=False, arrow=True):
        name = "arrow" + colour[1:]
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        head = f' marker-end="url(#{name})"' if arrow else ""
        self.add(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}{head}/>')

    def edge(self, a, b, colour=INK, width=1.5, dashed=False, shift_a=0, shift_b=0):
        """From the bottom of a to the top of b."""
        ax, ay, _, ah = self.boxes[a]
        bx, by, _, _ = self.boxes[b]
        self.line([(ax + shift_a, ay + ah), (bx + shift_b, by - 3)], colour, width, dashed)

    def back(self, a, b, x, colour=ORANGE, width=2.5):
        """From the side of a around to the side of b, by way of x."""
        ax, ay, aw, ah = self.boxes[a]
        bx, by, bw, bh = self.boxes[b]
        side = 1 if x > ax else -1
        self.path(f"M{ax + side * aw / 2} {ay + ah / 2} C{x} {ay + ah / 2} {x} {by + bh / 2} {bx + side * (bw / 2 + 3)} {by + bh / 2}",
                  colour, width)

    def write(self):
        heads = "".join(
            f'<marker id="arrow{c[1:]}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
            f'<path d="M0 0 L10 5 L0 10 z" fill="{c}"/></marker>' for c in (INK, GREY, BLUE, GREEN, ORANGE, RED))
        body = "\n".join(self.parts)
        (Path(__file__).parent / f"drawn_{self.name}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<defs>{heads}</defs>\n"
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="{CARD}"/>\n{body}\n</svg>\n', encoding="utf-8")


def lattices():
    d = Drawing("lattices", 460, 330, "The lattice of signs: joins go up")
    places = {"any": (230, 20), "≤ 0": (100, 105), "≠ 0": (230, 105), "≥ 0": (360, 105),
              "< 0": (100, 190), "= 0": (230, 190), "> 0": (360, 190), "none": (230, 275)}
    joined = {"< 0", "= 0", "≤ 0"}
    for name, (x, y) in places.items():
        d.box(name, x, y, name, 66, YELLOW if name == "≤ 0" else PALE_BLUE if name in joined else BOX, mono=False)
    for a, bs in {"any": ["≤ 0", "≠ 0", "≥ 0"], "≤ 0": ["< 0", "= 0"], "≠ 0": ["< 0", "> 0"], "≥ 0": ["= 0", "> 0"],
                  "< 0": ["none"], "= 0": ["none"], "> 0": ["none"]}.items():
        ax, ay, _, ah = d.boxes[a]
        for b in bs:
            bx, by, _, _ = d.boxes[b]
            strong = {a, b} <= joined
            d.line([(bx, by), (ax, ay + ah)] if not strong else [(bx, by), (ax, ay + ah + 3)], BLUE if strong else GREY,
                   2.5 if strong else 1, arrow=strong)
    d.text(300, 41, "top: nothing is known", 12, GREY, "start")
    d.text(300, 296, "bottom: no value", 12, GREY, "start")
    d.text(20, 92, "join(< 0, = 0)", 12, BLUE, "start")
    d.write()


def dataflow():
    d = Drawing("dataflow", 600, 330, "Facts flow along edges and are joined where edges meet")
    d.box("a", 190, 20, ["x = 1", "y = -1"], 130)
    d.box("b", 190, 135, ["n = n * n", "x = x + n", "y = y * x"], 130, YELLOW)
    d.box("c", 190, 270, ["n = n / x"], 130)
    d.edge("a", "b")
    d.edge("b", "c")
    d.back("b", "b", 60)
    d.parts.pop()
    d.path("M125 190 C30 215 30 135 122 158", ORANGE, 2.5)
    rows = [(50, "n: any   x: > 0   y: < 0", "after the first block", INK),
            (132, "n: any   x: > 0   y: < 0", "joined with the fact of the back edge: unchanged", BLUE),
            (222, "n: ≥ 0   x: > 0   y: < 0", "after the statements of the loop", INK),
            (288, "x is never 0: the division is safe", "", GREEN)]
    for y, fact, remark, colour in rows:
        d.text(290, y, fact, 14, colour, "start", bold=colour == GREEN, mono=colour != GREEN)
        if remark:
            d.text(290, y + 17, remark, 12, GREY, "start")
    d.write()


def ssa():
    d = Drawing("ssa", 600, 330, "Variables become values: a phi where two assignments meet")
    for shift, texts, title in ((0, ["x = 0", "x = x + 1", "", "print x"], "a variable"),
                                (300, ["x1 = 0", "x2 = x1 + 1", "", "x3 = phi(x2, x1)"], "values")):
        def name(key, shift=shift):
            return f"{key}{shift}"
        d.text(150 + shift, 28, title, 14, GREY, bold=True)
        d.box(name("a"), 150 + shift, 42, [texts[0], "if c"], 110)
        d.box(name("b"), 80 + shift, 140, [texts[1]], 130)
        d.box(name("c"), 225 + shift, 140, ["…"], 70)
        lines = [texts[3]] if not shift else [texts[3], "print x3"]
        d.box(name("d"), 150 + shift, 235, lines, 160, YELLOW if shift else BOX)
        d.edge(name("a"), name("b"), shift_a=-20)
        d.edge(name("a"), name("c"), shift_a=20)
        d.edge(name("b"), name("d"), shift_b=-25)
        d.edge(name("c"), name("d"), shift_b=25)
        if shift:
            d.text(388, 222, "x2", 13, ORANGE, "end", mono=True)
            d.text(512, 222, "x1", 13, ORANGE, "start", mono=True)
    d.text(450, 312, "each value has one definition", 12, GREY)
    d.text(150, 312, "which x is printed?", 12, GREY)
    d.write()


def sccp():
    d = Drawing("sccp", 600, 350, "Only executable edges count: the assignment of 2 never runs")
    d.box("a", 200, 18, ["x1 = 1"], 130, PALE_GREEN)
    d.box("b", 200, 90, ["x2 = phi(x1, x4)", "if x2 != 1"], 170, PALE_GREEN)
    d.box("c", 95, 190, ["x3 = 2"], 110, PALE_GREY, GREY, dashed=True)
    d.box("d", 200, 262, ["x4 = phi(x2, x3)", "while …"], 170, PALE_GREEN)
    d.edge("a", "b", GREEN, 2.5)
    d.edge("b", "c", GREY, 1.5, True, shift_a=-50)
    d.edge("c", "d", GREY, 1.5, True, shift_b=-50)
    d.line([(225, 140), (225, 259)], GREEN, 2.5)
    d.back("d", "b", 372, GREEN)
    for y, fact, why, colour in ((42, "x1 is 1", "", INK), (108, "x2 is 1", "1 from the entry, 1 along the back edge", INK),
                                 (208, "never executed", "x2 != 1 is false: this edge is not taken", RED),
                                 (282, "x4 is 1", "x3 does not count: its edge is not executable", INK)):
        d.text(392, y, fact, 14, colour, "start", bold=True)
        if why:
            words = why.split(": ") if len(why) > 30 else [why]
            if len(words) == 1 and len(why) > 30:
                middle = why.index(",") + 1
                words = [why[:middle], why[middle:].strip()]
            for i, line in enumerate(words):
                d.text(392, y + 17 + 15 * i, line, 12, GREY, "start")
    d.text(95, 335, "bold: executable   dashed: not", 12, GREY)
    d.write()


def frontiers():
    d = Drawing("frontiers", 600, 440, "A frontier is where dominance ends")
    d.region(60, 142, 260, 222, PALE_BLUE, BLUE, "dominated by 2", "bottom")
    d.region(74, 208, 112, 60, PALE_GREEN, GREEN, "")
    d.box("0", 190, 16, ["0: i = 0"], 120)
    d.box("1", 190, 82, ["1: while …"], 120, YELLOW)
    d.box("2", 190, 152, ["2: if x == 3"], 130)
    d.box("3", 130, 218, ["3: i = 1"], 92)
    d.box("4", 250, 218, ["4"], 60)
    d.box("5", 190, 300, ["5"], 60, YELLOW)
    d.box("6", 190, 390, ["6: return i"], 120)
    d.edge("0", "1")
    d.edge("1", "2")
    d.edge("2", "3", shift_a=-20)
    d.edge("2", "4", shift_a=20)
    d.edge("3", "5", GREEN, 2.5, shift_b=-12)
    d.edge("4", "5", shift_b=12)
    d.back("5", "1", 20, BLUE)
    d.path("M250 98 C360 120 350 330 253 400")
    for y, head, lines, colour in ((110, "1 is in the frontier of 2", ["5 leads to 1, and 2 dominates 5,", "but 2 does not dominate 1"], BLUE),
                                   (225, "5 is in the frontier of 3", ["3 leads to 5, but control can", "also come to 5 through 4"], GREEN),
                                   (330, "phis for i: at 5 and at 1", ["i is assigned in 0 and in 3; the", "iterated frontier of these is {1, 5}"], INK)):
        d.text(372, y, head, 14, colour, "start", bold=True)
        for i, line in enumerate(lines):
            d.text(372, y + 18 + 15 * i, line, 12, GREY, "start")
    d.write()


for draw in (lattices, dataflow, ssa, sccp, frontiers):
    draw()
