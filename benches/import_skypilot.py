"""Measures the import of a large SkyPilot-style catalogue: wall time and peak memory.

    cargo build --release
    python3 benches/import_skypilot.py target/release/kasuan

Writes 100,000 rows (card and CPU instances in many regions and zones, some of them dirty) into a
temporary folder, imports them as a user would, prices and observations written, and prints the
time of the process and its largest resident memory, as `/usr/bin/time -v` shows them.
"""

import csv
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

CARDS = ["H100", "A100-80GB", "A100", "L4", "L40S", "T4", "V100", "A10G", "H200", "B200", "RTX6000-Ada"]


def write(path, rows):
    """Writes `rows` rows, the same ones each time."""
    chance = random.Random(7)
    header = [
        "InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount", "GpuInfo",
        "Region", "AvailabilityZone", "Price", "SpotPrice", "Arch",
    ]
    with open(path, "w", newline="", encoding="utf8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for at in range(rows):
            # Three zones of a region offer the same machine.
            kind = at // 3
            card = CARDS[kind % len(CARDS)]
            count = 2 ** (kind % 4)
            region = f"region-{at // 900}"
            price = round(count * (1 + 4 * chance.random()), 4)
            if at % 500 == 7:
                price = chance.choice([0, -1, "free"])
            writer.writerow([
                f"{card.lower()}.{count}x-{kind % 300}", 8 * count, 64 * count,
                card if at % 10 else "", count if at % 10 else "", "", region,
                f"{region}{'abc'[at % 3]}", price, round(price * 0.4, 4) if isinstance(price, float) else "",
                "x86_64",
            ])


def main():
    kasuan = pathlib.Path(sys.argv[1]).resolve()
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder) / "vms.csv", rows)
        begin = time.perf_counter()
        said = subprocess.run(
            [kasuan, "market", "import", "vms.csv", "--provider", "somewhere", "--limit", "1"],
            cwd=folder, check=True, capture_output=True, text=True,
        )
        wall = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(said.stdout.splitlines()[0])
    print(f"{rows} rows: {wall:.2f} s, of it {used.ru_utime + used.ru_stime:.2f} s on a processor, {peak:.0f} MiB at most")


if __name__ == "__main__":
    main()
