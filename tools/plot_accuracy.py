#!/usr/bin/env python3
"""Draw predicted against measured memory as an SVG, from a truth file and our predictions.

    cargo xtask predict memory TRUTH.csv > predictions.csv
    python tools/plot_accuracy.py TRUTH.csv predictions.csv docs/img/memory-accuracy.svg

Standard library only. Both axes are logarithmic, so that a distance from the diagonal is the same
relative error everywhere; the band is 10 % either way.
"""
import csv
import math
import sys

CLASSES = [
    ("inference", "inference", "#2b6cb0"),
    ("lora", "LoRA", "#2f855a"),
    ("qlora", "QLoRA", "#b7791f"),
    ("full", "full fine-tuning", "#c53030"),
]
PEAKS = ("peak_allocated", "peak_reserved", "nvidia_smi", "peak_active")
SIZE, LEFT, TOP = 520, 64, 24
LOW, HIGH = 0.4, 300.0


def place(gib):
    share = (math.log(gib) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))
    return share * SIZE


def points(truth, predictions):
    predicted = {row["id"]: row["pred_gib"] for row in csv.DictReader(open(predictions))}
    for row in csv.DictReader(open(truth)):
        counts = row["confidence"] in ("high", "med") and row["settings_complete"] == "yes"
        if row["what_is_measured"] not in PEAKS or not row["value_gib"] or not counts:
            continue
        if predicted.get(row["id"]):
            yield row["kind"], float(row["value_gib"]), float(predicted[row["id"]])


def main():
    truth, predictions, out = sys.argv[1:4]
    height = SIZE + TOP + 56
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE + LEFT + 180} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<g transform="translate({LEFT},{TOP})">',
        f'<rect width="{SIZE}" height="{SIZE}" fill="#f7fafc" stroke="#a0aec0"/>',
    ]
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100, 200):
        at = place(tick)
        svg.append(f'<path d="M{at:.1f} 0V{SIZE}M0 {SIZE - at:.1f}H{SIZE}" stroke="#e2e8f0"/>')
        svg.append(f'<text x="{at:.1f}" y="{SIZE + 18}" text-anchor="middle">{tick:g}</text>')
        svg.append(f'<text x="-8" y="{SIZE - at + 4:.1f}" text-anchor="end">{tick:g}</text>')
    up, down = place(LOW * 1.1), place(LOW) - (place(LOW * 1.1) - place(LOW))
    shift = up - place(LOW)
    svg.append(
        f'<path d="M0 {SIZE - shift:.1f}L{SIZE - shift:.1f} 0H{SIZE}V{shift:.1f}'
        f'L{shift:.1f} {SIZE}H0Z" fill="#edf2f7"/>')
    svg.append(f'<path d="M0 {SIZE}L{SIZE} 0" stroke="#4a5568"/>')
    counts = dict.fromkeys((name for name, _, _ in CLASSES), 0)
    colours = {name: colour for name, _, colour in CLASSES}
    for kind, measured, predicted in points(truth, predictions):
        if kind not in colours:
            continue
        counts[kind] += 1
        svg.append(
            f'<circle cx="{place(measured):.1f}" cy="{SIZE - place(predicted):.1f}" r="2.6" '
            f'fill="{colours[kind]}" fill-opacity="0.55"/>')
    for at, (kind, words, colour) in enumerate(CLASSES):
        y = 16 + 22 * at
        svg.append(f'<circle cx="{SIZE + 22}" cy="{y - 4}" r="5" fill="{colour}"/>')
        svg.append(f'<text x="{SIZE + 34}" y="{y}">{words} ({counts[kind]})</text>')
    svg.append(f'<text x="{SIZE + 16}" y="{16 + 22 * 4 + 8}" fill="#4a5568">band: 10 % either way</text>')
    svg.append(f'<text x="{SIZE / 2}" y="{SIZE + 42}" text-anchor="middle">measured, GiB</text>')
    svg.append(
        f'<text transform="translate(-44,{SIZE / 2}) rotate(-90)" text-anchor="middle">predicted, GiB</text>')
    svg.append("</g></svg>")
    open(out, "w").write("\n".join(svg) + "\n")
    print(f"{out}: {sum(counts.values())} points")


if __name__ == "__main__":
    main()
