#!/usr/bin/env python3
"""Says what memory estimates are worth on sources and models that set none of their constants.

    cargo xtask predict memory TRUTH.csv --parts > parts.csv
    cargo xtask predict memory TRUTH.csv --unnamed > unnamed.csv
    python tools/leave_one_out.py TRUTH.csv parts.csv unnamed.csv

Three checks on the rows of training runs that count (high or medium confidence, complete settings):

1. Every source table is left out once, and every model family once. On the others three factors are fitted, which
   stand for all constants of the model: one on activations and logits, one on what stands between the tensors and the
   process, one on the width of the bound. They are then applied to what was left out. Factors near 1 mean that the
   constants do not hang on the table that was left out.
2. Every program is taken as unknown (`--unnamed`): the error and the coverage of an estimate for a new program.
3. The bound itself replaced by the measured value and a few per cent: the most that "right card" can reach.

Averages are taken inside a table first, then over tables. Needs nothing but the standard library.
"""
import csv
import statistics as st
import sys
from collections import defaultdict

CARDS = [12, 16, 24, 32, 40, 48, 80, 96, 141]
KINDS = ("lora", "qlora", "full")
FAMILIES = ("qwen", "llama", "mixtral", "mistral", "bigcode", "yi", "baichuan", "internlm", "glm", "stablelm", "falcon")


def card(gib):
    return next((c for c in CARDS if gib <= 0.95 * c), None)


def family(model):
    name = model.lower()
    return next((f for f in FAMILIES if f in name), "other")


def rows(truth, parts):
    parts = {r["id"]: r for r in csv.DictReader(open(parts))}
    for r in csv.DictReader(open(truth)):
        p = parts.get(r["id"], {})
        counts = r["kind"] in KINDS and r["lo_gib"] and r["confidence"] in ("high", "med")
        if not counts or r["settings_complete"] != "yes" or not p.get("pred_gib"):
            continue
        if r["what_is_measured"] == "steady_reserved_p99":
            continue
        cards = int(float(r["n_gpus"] or 1)) if r["scope"] == "sum_all_gpus" else 1
        tensors = float(p["allocated"]) * cards
        kernels = (float(p["activations"]) + float(p["logits"])) * cards
        likely, upper = float(p["pred_gib"]), float(p["upper_gib"])
        yield dict(kind=r["kind"], source=r["group"], family=family(r["model"]), lo=float(r["lo_gib"]),
                   hi=float(r["hi_gib"]), cards=cards, fixed=tensors - kernels, kernels=kernels,
                   gap=max(likely - tensors, 0.0), width=upper - likely, tensors=likely <= tensors + 1e-6)


def error(row, likely):
    if likely < row["lo"]:
        return likely / row["lo"] - 1
    return likely / row["hi"] - 1 if likely > row["hi"] else 0.0


def predict(row, factors):
    activations, gap = factors
    return row["fixed"] + activations * row["kernels"] + gap * row["gap"]


def macro(some, value):
    tables = defaultdict(list)
    for row in some:
        tables[row["source"]].append(value(row))
    return st.mean(st.mean(values) for values in tables.values())


def fit(some):
    """The two factors with the least mean error, then the least width that covers 95 %."""
    grid = [(0.8 + 0.02 * i, 0.5 + 0.1 * j) for i in range(21) for j in range(11)]
    best = min(grid, key=lambda f: macro(some, lambda r: abs(error(r, predict(r, f)))))
    for step in range(41):
        width = 0.1 * step
        if macro(some, lambda r: predict(r, best) + width * r["width"] >= r["lo"]) >= 0.95:
            break
    return best, width


def left_out(all_rows, key):
    print(f"\nleft out by {key}")
    print("kind   left out          rows  factors (activations, gap, width)  error as is  error left out  covered as is  covered left out  excess left out")
    sums = defaultdict(list)
    for kind in KINDS:
        mine = [r for r in all_rows if r["kind"] == kind]
        for name in sorted({r[key] for r in mine}):
            out = [r for r in mine if r[key] == name]
            rest = [r for r in mine if r[key] != name]
            if not rest:
                continue
            factors, width = fit(rest)
            as_is = st.mean(abs(error(r, predict(r, (1, 1)))) for r in out)
            other = st.mean(abs(error(r, predict(r, factors))) for r in out)
            covered = st.mean(predict(r, (1, 1)) + r["width"] >= r["lo"] for r in out)
            again = st.mean(predict(r, factors) + width * r["width"] >= r["lo"] for r in out)
            excess = st.median((predict(r, factors) + width * r["width"]) / r["hi"] - 1 for r in out)
            sums[kind].append((as_is, other, covered, again, excess))
            print(f"{kind:6s} {name:18s} {len(out):4d}  {factors[0]:.2f} {factors[1]:.2f} {width:.1f}"
                  + "".join(f"  {100 * v:6.1f} %" for v in (as_is, other, covered, again, excess)))
        means = [st.mean(column) for column in zip(*sums[kind])]
        print(f"{kind:6s} mean" + " " * 30 + "".join(f"  {100 * v:6.1f} %" for v in means))


def unnamed(truth, path):
    print("\nevery program taken as unknown")
    print("kind   table               rows  mean error   covered   median excess")
    everything = list(rows(truth, path))
    for kind in KINDS:
        tables = defaultdict(list)
        for r in everything:
            if r["kind"] == kind:
                likely = predict(r, (1, 1))
                upper = likely + r["width"]
                tables[r["source"]].append((abs(error(r, likely)), upper >= r["lo"], upper / r["hi"] - 1))
        figures = {name: (st.mean(v[0] for v in t), st.mean(v[1] for v in t), st.median(v[2] for v in t))
                   for name, t in tables.items()}
        for name, values in sorted(figures.items()):
            print(f"{kind:6s} {name:18s} {len(tables[name]):5d}" + "".join(f"  {100 * v:7.1f} %" for v in values))
        means = [st.mean(column) for column in zip(*figures.values())]
        print(f"{kind:6s} mean                    " + "".join(f"  {100 * v:7.1f} %" for v in means))


def reachable(all_rows):
    print("\nright card, were the bound the measured value and so much")
    names = ["the likely value"] + [f"measured + {p} %" for p in (0, 3, 6, 10, 15)]
    for kind in KINDS:
        cells = []
        for at in (None, 0.0, 0.03, 0.06, 0.10, 0.15):
            tables = defaultdict(list)
            for r in all_rows:
                if r["kind"] == kind:
                    upper = predict(r, (1, 1)) if at is None else r["hi"] * (1 + at)
                    want, got = card(r["hi"] / r["cards"]), card(upper / r["cards"])
                    if want and got:
                        tables[r["source"]].append(want == got)
            cells.append(st.mean(st.mean(t) for t in tables.values()))
        print(kind.ljust(6), "; ".join(f"{n}: {100 * c:.0f} %" for n, c in zip(names, cells)))


def main():
    truth, parts = sys.argv[1:3]
    everything = list(rows(truth, parts))
    for key in ("source", "family"):
        left_out(everything, key)
    if len(sys.argv) > 3:
        unnamed(truth, sys.argv[3])
    reachable(everything)


main()
