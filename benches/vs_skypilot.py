"""Compares planning with SkyPilot's optimiser on the same rows, in one run.

    pip install skypilot==0.14.1
    cargo build --release
    python3 benches/vs_skypilot.py target/release/kasuan

Both get ten jobs that each want one card of a kind and run for some hours, and the shipped offers
of four clouds in USD. SkyPilot gets them as a catalogue of its own (v8) and chooses in process, its
import not counted, with the clouds taken as enabled (there are no credentials); it chooses where
each task of a chain costs least. kasuan is timed as a whole cold process, and does besides: billing
rules, terms and their mix, a calendar, a budget with its range, downgrades and naive choices, each
planned again.
"""

import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Not GCP, whose cards SkyPilot prices apart from their machines.
CLOUDS = ["aws", "azure", "lambda", "runpod", "nebius", "vast"]
OURS = {"vast-ai": "vast"}
# Our ids, SkyPilot's names.
CARDS = {
    "a100-sxm4-80": "A100-80GB", "a100-pcie-80": "A100-80GB", "a100-sxm4-40": "A100", "l4": "L4",
    "t4": "T4", "h100-sxm5-80": "H100", "v100-sxm2-16": "V100", "a10g": "A10G", "l40s": "L40S",
}
WANTED = ["A100-80GB", "L4", "T4", "H100", "A10G"]
TASKS = 10
HEADER = [
    "InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount", "GpuInfo", "Region",
    "AvailabilityZone", "Price", "SpotPrice", "Arch",
]
SKYPILOT = """
import json, logging, sys, time
begin = time.perf_counter()
import sky
from sky import check, clouds, optimizer
imported = time.perf_counter() - begin
enabled = [clouds.AWS(), clouds.Azure(), clouds.Lambda(), clouds.RunPod(), clouds.Nebius(), clouds.Vast()]
check.get_cached_enabled_clouds_or_refresh = lambda *a, **k: enabled
names = json.loads(sys.argv[1])
times = []
for _ in range(5):
    with sky.Dag() as dag:
        before = None
        for number, name in enumerate(names):
            task = sky.Task(name=f"task-{number}", run="true")
            task.set_resources(sky.Resources(accelerators=f"{name}:1"))
            task.set_time_estimator(lambda _: 8 * 3600)
            if before is not None:
                before >> task
            before = task
    begin = time.perf_counter()
    optimizer.Optimizer.optimize(dag, quiet=True)
    times.append(time.perf_counter() - begin)
chosen = [str(task.best_resources) for task in dag.tasks]
print(json.dumps({"import": imported, "times": times, "chosen": chosen}))
"""


def catalogue(home):
    """Writes the offers as SkyPilot's catalogue; returns how many rows."""
    offers = {}
    with open(ROOT / "data/market/offers.csv", newline="", encoding="utf8") as file:
        for row in csv.DictReader(file):
            row["provider"] = OURS.get(row["provider"], row["provider"])
            if row["provider"] in CLOUDS and row["card"] in CARDS and row["slices"] == "1":
                key = (row["provider"], row["region"] or "global", row["product"], row["card"])
                offers.setdefault(key, {})[row["mode"]] = row
    folder = home / ".sky/catalogs/v8"
    count = 0
    known = {}
    for cloud in CLOUDS:
        (folder / cloud).mkdir(parents=True)
        with open(folder / cloud / "vms.csv", "w", newline="", encoding="utf8") as file:
            writer = csv.writer(file)
            writer.writerow(HEADER)
            for (provider, region, product, card), modes in offers.items():
                row = modes.get("on_demand")
                if provider != cloud or row is None:
                    continue
                name = CARDS[card]
                known.setdefault(name, set()).add(cloud)
                spot = modes.get("spot", {}).get("price", "")
                writer.writerow([
                    product, row["vcpus"] or 8, row["memory_gib"] or 32, name, row["count"], "",
                    region, f"{region}-a", row["price"], spot, "x86_64",
                ])
                count += 1
        with open(folder / cloud / "images.csv", "w", encoding="utf8") as file:
            file.write("Tag,Region,OS,OSVersion,ImageId,CreationDate\n")
    (folder / "common").mkdir()
    with open(folder / "common/accelerators.csv", "w", encoding="utf8") as file:
        file.write("AcceleratorName,Clouds\n")
        for name, where in known.items():
            file.write(f"{name},\"{sorted(where)}\"\n")
    with open(folder / "common/metadata.csv", "w", encoding="utf8") as file:
        file.write("GPU,MemoryInfo,NumAccelerators\n")
    meta = folder / ".meta"
    for path in list(folder.rglob("*.csv")):
        # A digest of another content marks a file as changed by hand, which is never refreshed.
        target = meta / path.relative_to(folder).parent
        target.mkdir(parents=True, exist_ok=True)
        (target / f"{path.name}.md5").write_text("0")
    return count


def workload(path):
    jobs = [
        f"  - {{name: task-{number}, task: batch, memory: 8GiB, hours: 8, card: {WANTED[number % len(WANTED)]}"
        f"{', after: task-' + str(number - 1) if number else ''}}}\n"
        for number in range(TASKS)
    ]
    providers = [next((ours for ours, sky in OURS.items() if sky == name), name) for name in CLOUDS]
    path.write_text(
        "currency: USD\nmonth: 2026-12\njobs:\n" + "".join(jobs)
        + f"policy: {{providers: [{', '.join(providers)}], modes: [on_demand, spot], margin: p80}}\n",
        encoding="utf8",
    )


def main():
    kasuan = pathlib.Path(sys.argv[1]).resolve()
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        rows = catalogue(home)
        environment = os.environ | {
            "HOME": str(home), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1", "SKYPILOT_DEBUG": "0",
        }
        names = json.dumps([WANTED[number % len(WANTED)] for number in range(TASKS)])
        peer = subprocess.run(
            [python, "-c", SKYPILOT, names], env=environment, capture_output=True, text=True,
        )
        if peer.returncode:
            sys.exit(peer.stderr[-3000:])
        peer = json.loads(peer.stdout.strip().splitlines()[-1])
        workload(home / "jobs.yaml")
        times = []
        for _ in range(11):
            begin = time.perf_counter()
            subprocess.run(
                [kasuan, "plan", home / "jobs.yaml", "--format", "json", "--today", "2026-12-01"],
                check=True, capture_output=True,
            )
            times.append(time.perf_counter() - begin)
    ours, theirs = statistics.median(times), statistics.median(peer["times"])
    print(f"{rows} rows of {len(CLOUDS)} clouds, {TASKS} tasks in a chain")
    print(f"SkyPilot: import {peer['import'] * 1e3:.0f} ms, then {theirs * 1e3:.0f} ms to optimise")
    print(f"kasuan:   {ours * 1e3:.0f} ms for the whole process ({theirs / ours:.1f} x)")
    for name, chosen in zip(json.loads(names)[:5], peer["chosen"]):
        print(f"  SkyPilot puts {name} on {chosen}")


if __name__ == "__main__":
    main()
