"""What a fleet's telemetry costs in a real Prometheus, and what `kasuan import prometheus` takes from it.

    python3 benches/fleet_scale.py target/release/kasuan CARDS [INTERVAL_S [HOURS]]

Writes a synthetic history of CARDS cards as dcgm-exporter would (five gauges, nine labels), makes
blocks of it with promtool, serves them with Prometheus and imports them. Prints series, samples, bytes
on disk, the time of the import and what of it the server used. Needs `prometheus` and `promtool`.
"""

import pathlib
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

KASUAN = pathlib.Path(sys.argv[1]).resolve()
CARDS = int(sys.argv[2])
INTERVAL = int(sys.argv[3]) if len(sys.argv) > 3 else 30
HOURS = int(sys.argv[4]) if len(sys.argv) > 4 else 24
START = 1_762_732_800  # 2025-11-10T00:00:00Z
GAUGES = {
    "DCGM_FI_DEV_GPU_UTIL": lambda dice: dice.randrange(101),
    "DCGM_FI_DEV_FB_USED": lambda dice: dice.randrange(1000, 80000),
    "DCGM_FI_DEV_FB_FREE": lambda dice: dice.randrange(1000, 80000),
    "DCGM_FI_DEV_POWER_USAGE": lambda dice: round(dice.uniform(60, 700), 1),
    "DCGM_FI_PROF_SM_ACTIVE": lambda dice: round(dice.random(), 3),
}


def history(path):
    """Writes the history in OpenMetrics, as promtool reads it."""
    dice = random.Random(7)
    with open(path, "w", encoding="utf8") as file:
        for name, value in GAUGES.items():
            file.write(f"# TYPE {name} gauge\n")
            for card in range(CARDS):
                labels = (
                    f'gpu="{card % 8}",UUID="GPU-{card:08x}-0000-0000-0000-000000000000",'
                    f'device="nvidia{card % 8}",modelName="NVIDIA H100 80GB HBM3",'
                    f'Hostname="node-{card // 8}",namespace="team-{card % 20}",pod="job-{card // 4}",'
                    f'container="main",instance="node-{card // 8}:9400"'
                )
                # A value stays for some samples, as real gauges do.
                now, left = value(dice), 0
                for at in range(START, START + HOURS * 3600, INTERVAL):
                    if left == 0:
                        now, left = value(dice), dice.randrange(1, 20)
                    left -= 1
                    file.write(f"{name}{{{labels}}} {now} {at}\n")
        file.write("# EOF\n")


def size(folder):
    """Returns the bytes below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def processor(pid):
    """Returns the seconds of processor that a process has used, and its peak memory in MiB."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    peak = next(
        int(line.split()[1]) / 1024
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    return (int(fields[11]) + int(fields[12])) / 100, peak


def main():
    """Prints one line for each figure."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        history(folder / "history.txt")
        subprocess.run(
            ["promtool", "tsdb", "create-blocks-from", "openmetrics", "history.txt", "tsdb"],
            cwd=folder, check=True, stdout=subprocess.DEVNULL,
        )
        (folder / "history.txt").unlink()
        series = CARDS * len(GAUGES)
        samples = series * HOURS * 3600 // INTERVAL
        disk = size(folder / "tsdb")
        a_day = disk / HOURS * 24
        print(f"{CARDS} cards, {series} series, {samples:,} samples of {INTERVAL} s over {HOURS} h")
        print(
            f"on disk: {disk / 1e6:.1f} MB, {disk / samples:.2f} bytes a sample, "
            f"{a_day / 1e6:.0f} MB a day"
        )
        (folder / "p.yml").write_text("global: {}\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [
                "prometheus", "--config.file=p.yml", "--storage.tsdb.path=tsdb",
                "--storage.tsdb.retention.time=100y", f"--web.listen-address=127.0.0.1:{port}",
                "--log.level=error",
            ],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready")
                    break
                except OSError:
                    time.sleep(0.2)
            before, _ = processor(server.pid)
            own = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = time.perf_counter()
            day = f"2025-11-1{HOURS // 24}T{HOURS % 24:02}:00:00Z"
            done = subprocess.run(
                [
                    KASUAN, "import", "prometheus", "--url", f"http://127.0.0.1:{port}",
                    "--from", "2025-11-10T00:00:00Z", "--to", day, "--ledger", "ledger.db",
                    "--format", "csv",
                ],
                cwd=folder, check=True, capture_output=True, text=True,
            )
            seconds = time.perf_counter() - began
            after, peak = processor(server.pid)
            mine = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = mine.ru_utime + mine.ru_stime - own.ru_utime - own.ru_stime
            print(done.stdout.strip().splitlines()[-1])
            print(
                f"import: {seconds:.1f} s; Prometheus {after - before:.1f} s of processor, "
                f"{peak:.0f} MiB; kasuan and curl {cpu:.1f} s of processor"
            )
            ledger = size(folder) - size(folder / "tsdb")
            print(f"ledger: {ledger / 1e6:.2f} MB, {ledger / (CARDS * HOURS):.0f} bytes a card-hour")
        finally:
            server.terminate()
            server.wait()


main()
