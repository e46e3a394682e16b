"""Pretty printers of midend's types for gdb.

    (gdb) source PREFIX/share/midend/midend_gdb.py        or a line in ~/.gdbinit

`print tree`, `print loops`, `print graph` and so on then show what the object means, from its memory alone: nothing of the
program is called, so core files work, too. Arrays print as arrays (`set print elements` limits them), `print/r` shows the
members. Types are found by their names, with or without the inline namespace of contract checks.
"""
import re

import gdb
import gdb.printing
import gdb.types

NONE = 0xFFFFFFFF  # no_node, no_edge, no_value, no_loop


def elements(pointer, count):
    return [pointer[i] for i in range(count)]


def shown(count, what):
    return f"{count} {what}" + ("" if count == 1 else "s")


def limit():
    most = gdb.parameter("print elements")
    return 1 << 62 if most is None or most == 0 else most


def number(x):
    return "none" if int(x) == NONE else str(int(x))


class Leaf:
    """Something that is shown as one text."""

    def __init__(self, value):
        self.value = value


class Row(Leaf):
    """Something that is shown as a heading and rows."""

    def children(self):
        for i, (key, text) in enumerate(self.rows()):
            if i == limit():
                yield "…", "…"
                return
            yield key, text

    def words(self):
        return self.value["words_"]["data_"]


class FlatArray(Leaf):
    def to_string(self):
        return shown(int(self.value["size_"]), "element")

    def children(self):
        data = self.value["data_"]
        return ((f"[{i}]", data[i]) for i in range(int(self.value["size_"])))

    def display_hint(self):
        return "array"


class Span(FlatArray):
    pass


class Optional(Leaf):
    def to_string(self):
        return str(self.value["value_"]) if self.value["has_value_"] else "nothing"


def set_bits(words, count, size):
    return [64 * w + b for w in range(count) for b in range(64)
            if int(words[w]) >> b & 1 and 64 * w + b < size]


def bits_text(words, size):
    found = set_bits(words, (size + 63) // 64, size)
    cut = found[:limit()]
    return "{" + ", ".join(map(str, cut)) + (", …" if len(cut) < len(found) else "") + "}" + f" of {size}"


class BitRow(Leaf):
    def to_string(self):
        size = int(self.value["size_"])
        words = [self.value["word_"]] if size <= 64 else self.value["heap_"]
        return bits_text(words, size)


class BitMatrix(Row):
    def to_string(self):
        return f"{int(self.value['rows_'])} rows of {int(self.value['bits_'])} bits"

    def rows(self):
        in_row = int(self.value["words_in_row_"])
        for r in range(int(self.value["rows_"])):
            yield f"[{r}]", bits_text([self.words()[r * in_row + w] for w in range(in_row)], int(self.value["bits_"]))


class Graph(Row):
    """csr_graph and forward_csr_graph: the successors of each node."""

    def to_string(self):
        nodes = max(int(self.value["num_offsets_"]) - 1, 0)
        return f"{shown(nodes, 'node')}, {shown(int(self.value['num_edges_']), 'edge')}, entry {int(self.value['entry_'])}"

    def rows(self):
        offsets = int(self.value["num_offsets_"])
        data = self.value["arrays_"]["data_"]
        for n in range(offsets - 1):
            first, last = int(data[n]), int(data[n + 1])
            yield f"[{n}]", "-> " + (" ".join(str(int(data[offsets + e])) for e in range(first, last)) or "nothing")


class DominatorTree(Row):
    """The columns are numbers, sizes, parents, depths and preorders."""

    def column(self, index, n):
        return int(self.value["columns_"]["data_"][index * int(self.value["num_nodes_"]) + n])

    def to_string(self):
        nodes, reachable = int(self.value["num_nodes_"]), int(self.value["num_reachable_"])
        kind = "post-dominators" if "post_dominator" in str(self.value.type) else "dominators"
        return f"{kind} of {shown(nodes, 'node')}, {reachable} reachable"

    def rows(self):
        for i in range(int(self.value["num_reachable_"])):
            n = self.column(4, i)
            depth = self.column(3, n)
            yield f"[{n}]", "  " * depth + (f"below {number(self.column(2, n))}" if depth else "the root")


class LoopForest(Row):
    """See loop_forest.hpp: the columns follow the innermost loops of nodes."""

    def to_string(self):
        return shown(int(self.value["num_loops_"]), "natural loop") + f" of {shown(int(self.value['num_nodes_']), 'node')}"

    def rows(self):
        count, nodes = int(self.value["num_loops_"]), int(self.value["num_nodes_"])
        words, edges = self.words(), self.value["edges_"]["data_"]
        columns = 11 if self.value["has_boundaries_"] else 5

        def column(c, loop):
            return int(words[nodes + c * (count + 1) + loop])

        blocks = nodes + columns * (count + 1)
        for l in range(count):
            first, last = column(4, l), column(4, l + column(0, l))
            text = "  " * (column(3, l) - 1) + f"header {column(1, l)}, blocks " + \
                " ".join(str(int(words[blocks + i])) for i in range(first, last))
            if columns == 11:
                latches = [int(edges[i]["source"]) for i in range(column(5, l), column(5, l + 1))]
                text += ", latches " + " ".join(map(str, dict.fromkeys(latches)))
            yield f"[{l}]", text


class Fraction(Leaf):
    def to_string(self):
        above, below = int(self.value["numerator_"]), int(self.value["denominator_"])
        return str(above) if below == 1 else f"{above}/{below}"


class Procedure(Row):
    """A procedure of the Elbrus-like IR, as text: names, operations and operands, without flags and memory."""

    def name(self, index):
        index = int(index)
        names = self.value["names_"]
        end = names["end_"]["data_"]
        if index == 0:
            return ""
        first = 0 if index == 1 else int(end[index - 2])
        text = names["text_"]["data_"]
        return "".join(chr(int(text[i]) & 0xFF) for i in range(first, int(end[index - 1])))

    def node(self, n):
        return self.name(self.value["nodes_"]["data_"][n]["name"]) or f"#{n}"

    def operand(self, v):
        record = self.value["values_"]["data_"][v]
        kind = str(record["kind"]).rsplit("::", 1)[-1]
        if kind == "constant":
            return str(int(self.value["literals_"]["data_"][int(record["extra"])]))
        if kind == "undefined":
            return "undef"
        return ("$" if kind == "variable" else "%") + (self.name(self.value["value_details_"]["data_"][v]["name"]) or str(v))

    def operation(self, v):
        record = self.value["values_"]["data_"][v]
        operands = record["operands"]
        values = self.value["operands_"]["value_"]["data_"]
        first = int(operands["first"])
        read = [self.operand(int(values[first + i])) for i in range(int(operands["count"]))]
        type_ = str(record["type"]).rsplit("::", 1)[-1]
        code = str(record["code"]).rsplit("::", 1)[-1]
        variable = int(record["variable"])
        head = f"{self.operand(variable)} = " if variable != NONE else f"{self.operand(v)} = " if type_ != "none" else ""
        return head + code + (f".{type_}" if type_ != "none" else "") + (" " + ", ".join(read) if read else "")

    def targets(self, n):
        out = self.value["nodes_"]["data_"][n]["out"]
        pool = self.value["edge_lists_"]["elements_"]["data_"]
        ends = self.value["edge_targets_"]["data_"]
        return [self.node(int(ends[int(pool[int(out["first"]) + i])])) for i in range(int(out["count"]))]

    def to_string(self):
        nodes = [n for n in elements(self.value["nodes_"]["data_"], int(self.value["nodes_"]["size_"])) if not n["erased"]]
        return f"@{self.name(self.value['name_'])}, {shown(len(nodes), 'node')}"

    def rows(self):
        values = self.value["values_"]["data_"]
        for n in range(int(self.value["nodes_"]["size_"])):
            record = self.value["nodes_"]["data_"][n]
            if record["erased"]:
                continue
            lines, v = [], int(record["first"])
            while v != NONE:
                lines.append(self.operation(v))
                v = int(values[v]["next"])
            targets = self.targets(n)
            yield self.node(n), "; ".join(lines) + (" -> " + " ".join(targets) if targets else "")


PRINTERS = {"flat_array": FlatArray, "span": Span, "optional": Optional, "bit_row": BitRow, "bit_matrix": BitMatrix,
            "forward_csr_graph": Graph, "csr_graph": Graph, "dominator_tree": DominatorTree, "loop_forest": LoopForest,
            "fraction": Fraction, "elbrus::procedure": Procedure}
NAME = re.compile(r"^midend::(?:v\d+\w*::)?((?:elbrus::)?\w+)(?:<.*>)?$")


class MidendPrinter(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("midend", [gdb.printing.SubPrettyPrinter(name) for name in PRINTERS])

    def __call__(self, value):
        kind = gdb.types.get_basic_type(value.type)
        if kind.code != gdb.TYPE_CODE_STRUCT or not kind.tag:
            return None
        match = NAME.match(kind.tag)
        printer = PRINTERS.get(match[1]) if match else None
        return printer(value) if printer else None


gdb.printing.register_pretty_printer(None, MidendPrinter(), replace=True)
