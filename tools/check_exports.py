"""Loads exported files with the tools they are written for, and says what those tools read.

    python3 tools/check_exports.py FOLDER

FOLDER holds `*.skypilot.yaml` and `*.dstack.yaml` as `kasuan market export` writes them.
Each file gives one line of JSON; a file that its tool refuses ends the script with the reason.

SkyPilot looks regions and cards up in a catalogue that it would download; here it is given one
made of the offers themselves, and card names are compared with the lists inside the packages.
"""

import csv
import json
import os
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1]).resolve()
os.environ["HOME"] = str(FOLDER / "home")
os.environ["SKYPILOT_DISABLE_USAGE_COLLECTION"] = "1"

import yaml  # noqa: E402


def write_catalogue(tasks):
    """Writes SkyPilot's catalogue (v8) with one row for each task."""
    root = FOLDER / "home" / ".sky" / "catalogs" / "v8"
    clouds = {}
    for task in tasks:
        resources = task["resources"]
        cloud, _, region = resources["infra"].partition("/")
        name, _, count = resources["accelerators"].partition(":")
        clouds.setdefault(cloud, []).append((name, int(count), region or "any"))
    header = [
        "InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount", "GpuInfo",
        "Region", "AvailabilityZone", "Price", "SpotPrice", "Arch",
    ]
    for cloud, rows in clouds.items():
        folder = root / cloud
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "vms.csv", "w", newline="", encoding="utf8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for at, (name, count, region) in enumerate(rows):
                writer.writerow([f"box-{at}", 8, 64, name, count, "", region, region, 1, 0.5, "x86_64"])
    common = root / "common"
    common.mkdir(parents=True, exist_ok=True)
    with open(common / "accelerators.csv", "w", newline="", encoding="utf8") as file:
        writer = csv.writer(file)
        writer.writerow(["AcceleratorName", "Clouds"])
        for name in sorted({name for rows in clouds.values() for name, _, _ in rows}):
            writer.writerow([name, str(sorted(clouds))])
    with open(common / "metadata.csv", "w", newline="", encoding="utf8") as file:
        csv.writer(file).writerow(["GPU", "MemoryGB", "Manufacturer"])


def skypilot(paths):
    """Loads SkyPilot tasks."""
    write_catalogue([yaml.safe_load(path.read_text(encoding="utf8")) for path in paths])
    import sky
    from sky.provision.runpod import utils as runpod
    from sky.utils import gpu_names, registry

    known = set(gpu_names.CANONICAL_GPU_NAMES) | set(runpod.GPU_NAME_MAP)
    for path in paths:
        task = sky.Task.from_yaml(str(path))
        (resources,) = task.resources
        ((card, count),) = resources.accelerators.items()
        cloud = str(resources.cloud).lower()
        assert cloud in registry.CLOUD_REGISTRY, f"{path.name}: no cloud {cloud}"
        yield {
            "file": path.name,
            "cloud": cloud,
            "region": resources.region,
            "card": card,
            "count": count,
            "spot": resources.use_spot,
            "known_card": card in known,
        }


def dstack(paths):
    """Loads dstack tasks."""
    from dstack._internal.core.models.configurations import parse_run_configuration
    from gpuhunt import KNOWN_AMD_GPUS, KNOWN_NVIDIA_GPUS

    known = {gpu.name for gpu in [*KNOWN_NVIDIA_GPUS, *KNOWN_AMD_GPUS]}
    for path in paths:
        task = parse_run_configuration(yaml.safe_load(path.read_text(encoding="utf8")))
        gpu = task.resources.gpu
        (card,) = gpu.name
        fitting = [
            one
            for one in [*KNOWN_NVIDIA_GPUS, *KNOWN_AMD_GPUS]
            if one.name == card
            and gpu.memory.min <= one.memory
            and one.memory <= gpu.memory.max
        ]
        yield {
            "file": path.name,
            "backend": task.backends[0].value,
            "region": task.regions[0] if task.regions else None,
            "card": card,
            "count": gpu.count.min,
            "spot": task.spot_policy.value == "spot",
            "max_price": task.max_price,
            "known_card": card in known and bool(fitting),
        }


def main():
    for line in skypilot(sorted(FOLDER.glob("*.skypilot.yaml"))):
        print(json.dumps(line))
    for line in dstack(sorted(FOLDER.glob("*.dstack.yaml"))):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
