"""Compares one offer query with gpuhunt's on the same rows, in one run.

    pip install gpuhunt==0.1.34
    cargo build --release
    cargo build --release -p kasuan-formats --example time_query
    python3 benches/vs_gpuhunt.py target/release/kasuan

Both answer the same question from local files: one card of at least 80 GB, on demand, at most 5 USD
an hour. In process both read the same files: the shipped offers of gpuhunt's nine offline providers
in its own catalogue format (v2), loaded once; they must find the same number of offers. As a cold
process, kasuan starts, unpacks its whole catalogue, asks it and prints; gpuhunt is imported and asked
once.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROVIDERS = ["aws", "azure", "verda", "gcp", "lambdalabs", "nebius", "oci", "runpod", "cloudrift"]
COLUMNS = [
    "instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory",
    "spot", "disk_size", "gpu_vendor", "flags", "cpu_arch", "provider_data",
]
QUERY = """
import json, time
start = time.perf_counter()
from gpuhunt import Catalog
loaded = time.perf_counter()
catalog = Catalog(auto_reload=False)
times = []
for _ in range(5):
    begin = time.perf_counter()
    found = catalog.query(min_gpu_memory=80, max_gpu_count=1, max_price=5, spot=False)
    times.append(time.perf_counter() - begin)
print(json.dumps({"import": loaded - start, "query": sorted(times)[2], "rows": len(found)}))
"""


def write_catalogue(root, folder):
    """Writes the shipped US dollar offers in gpuhunt's format; returns how many rows."""
    cards = {row["id"]: row for row in csv.DictReader(open(root / "data/market/cards.csv", encoding="utf8"))}
    files = {name: open(folder / f"{name}.csv", "w", newline="", encoding="utf8") for name in PROVIDERS}
    writers = {name: csv.DictWriter(file, COLUMNS) for name, file in files.items()}
    for writer in writers.values():
        writer.writeheader()
    rows = 0
    for row in csv.DictReader(open(root / "data/market/offers.csv", encoding="utf8")):
        provider = {"lambda": "lambdalabs"}.get(row["provider"], row["provider"])
        if provider not in writers or row["currency"] != "USD" or row["slices"] != "1":
            continue
        card = cards[row["card"]]
        writers[provider].writerow({
            "instance_name": row["product"], "location": row["region"] or "any", "price": row["price"],
            "cpu": row["vcpus"] or 8, "memory": row["memory_gib"] or 32, "gpu_count": row["count"],
            "gpu_name": row["card"].split("-")[0].upper(), "gpu_memory": card["memory_gib"],
            "spot": row["mode"] == "spot", "disk_size": row["disk_gb"] or 100,
            "gpu_vendor": card["vendor"],
        })
        rows += 1
    for file in files.values():
        file.close()
    return rows


def median_run(command, **options):
    """Returns the median wall time of five cold processes."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
        times.append(time.perf_counter() - start)
    return sorted(times)[2]


def in_process(kasuan, folder):
    """Returns what the example beside the binary measured on gpuhunt's own files."""
    example = kasuan.parent / "examples" / "time_query"
    return json.loads(subprocess.run([example, folder], check=True, capture_output=True).stdout)


def main():
    kasuan = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        rows = write_catalogue(root, pathlib.Path(folder))
        environment = {**os.environ, "GPUHUNT_CATALOG_DIR": folder}
        code = [sys.executable, "-c", QUERY]
        answer = subprocess.run(code, check=True, capture_output=True, text=True, env=environment)
        peer = json.loads(answer.stdout)
        # The process asks five times to find a median; four of them do not count.
        peer_cold = median_run(code, env=environment) - 4 * peer["query"]
        own = in_process(kasuan, folder)
    ours = [
        kasuan, "offers", "--memory", "80GiB", "--max-price", "5", "--currency", "USD",
        "--mode", "on_demand", "--count", "1", "--sort", "card", "--limit", "0", "--format", "json",
    ]
    cold = median_run(ours)
    assert own["found"] == peer["rows"], (own, peer["rows"])
    print(f"{rows} rows, {own['rows']} of them offers of their own; both find {own['found']}")
    ratio = peer["query"] * 1e9 / own["median_ns"]
    print(f"query in process: gpuhunt {peer['query'] * 1e3:.1f} ms, kasuan {own['median_ns'] / 1e3:.1f} us ({ratio:,.0f} x)")
    print(f"cold process:     gpuhunt {peer_cold * 1e3:.0f} ms (import {peer['import'] * 1e3:.0f} ms), kasuan {cold * 1e3:.1f} ms ({peer_cold / cold:.0f} x)")


if __name__ == "__main__":
    main()
