"""What watching costs: kasuan agent, nvitop-exporter and gpustat on the same 8 stand-in cards, at once.

    cargo build --release && cargo build -p kasuan-testkit
    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install nvitop-exporter gpustat
    python3 benches/agent_overhead.py target/release/kasuan \
        target/debug/libkasuan_testkit.so /tmp/peers/bin [seconds]

All three read the same stand-in of the driver's library every 5 seconds; the two that serve
/metrics are asked for it every 15 seconds, as a Prometheus does. Counted is the processor time of
all threads after a warm-up of 20 seconds (from /proc/PID/task/*/schedstat, in nanoseconds) and the
largest resident memory (VmHWM). The time inside a real driver is not in it; it is the same for all.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

CARDS = 8
INTERVAL = 5
SCRAPE = 15
WARM_UP = 20


def scenario():
    lines = ["driver 550.54.15", "cuda 12040"]
    uuid = "GPU-00000000-0000-0000-0000-00000000000"
    lines += [f"card NVIDIA A100-SXM4-80GB | {uuid}{card} | 81920" for card in range(CARDS)]
    for card in range(CARDS):
        lines += [f"{card} busy 97,98,90,100,0,55", f"{card} used 40000,41000,42000", f"{card} power 312000,250000",
                  f"{card} limit 400000", f"{card} celsius 61,62", f"{card} energy 1000000,2000000",
                  f"{card} process {os.getpid()} 38000"]
    return "\n".join(lines) + "\n"


def spent(pid):
    times = [int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(times) / 1e9


def largest(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no VmHWM")


def scrape(url, word):
    page = urllib.request.urlopen(url, timeout=5).read().decode()
    if page.count(word) < CARDS:
        raise SystemExit(f"{url} does not show {CARDS} cards")


def main():
    kasuan, library, peers = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 300
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(library, f"{folder}/libnvidia-ml.so.1")
        pathlib.Path(folder, "scenario.txt").write_text(scenario())
        environment = {**os.environ, "LD_LIBRARY_PATH": folder, "TERM": "xterm"}
        commands = {
            "kasuan agent": [kasuan, "agent", "--listen", "127.0.0.1:19470", "--interval", str(INTERVAL), "--price", "60"],
            "nvitop-exporter": [f"{peers}/nvitop-exporter", "--port", "19471", "--interval", str(INTERVAL)],
            "gpustat -i": [f"{peers}/python", "-m", "gpustat", "-i", str(INTERVAL), "--no-color"],
        }
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
        running = {name: subprocess.Popen(command, **quiet) for name, command in commands.items()}
        pages = [("http://127.0.0.1:19470/metrics", "kasuan_gpu_busy_ratio{"),
                 ("http://127.0.0.1:19471/metrics", "gpu_utilization_Percentage{")]
        try:
            time.sleep(WARM_UP)
            before = {name: spent(process.pid) for name, process in running.items()}
            start = time.monotonic()
            while time.monotonic() - start < seconds:
                for page in pages:
                    scrape(*page)
                time.sleep(SCRAPE)
            passed = time.monotonic() - start
            print(f"{passed:.0f} s, {CARDS} cards, every {INTERVAL} s, /metrics every {SCRAPE} s")
            for name, process in running.items():
                if process.poll() is not None:
                    raise SystemExit(f"{name} ended with {process.returncode}")
                share = (spent(process.pid) - before[name]) / passed * 100
                print(f"{name:16} {share:7.4f} % of one core   {largest(process.pid):6.1f} MiB")
        finally:
            for process in running.values():
                process.terminate()


main()
