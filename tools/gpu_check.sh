#!/usr/bin/env bash
# The check on a real card, which the tests can do without: doctor, verify, a measured run of matrix
# products, and our sampler beside nvidia-smi over the same seconds.
#
#   tools/gpu_check.sh OUT [PYTHON]
#
# OUT is the folder for what was seen; PYTHON has torch with CUDA (default: python3). KASUAN may name
# a built program; else one is built. Takes about two minutes after the build.
set -uo pipefail

out=$(mkdir -p "${1:?usage: tools/gpu_check.sh OUT [PYTHON]}" && cd "$1" && pwd)
python=${2:-python3}
cd "$(dirname "$0")/.."
if [ -z "${KASUAN:-}" ]; then
    cargo build --release --locked -p kasuan-cli || exit 3
    KASUAN=$PWD/target/release/kasuan
fi
cd "$out"

say() { printf '\n== %s\n' "$*"; }

say "the driver's own words"
nvidia-smi -q -x > nvidia-smi.xml && nvidia-smi -L

say "doctor"
"$KASUAN" --lang en doctor | tee doctor.txt
"$KASUAN" --lang en --format json doctor > doctor.json

say "verify"
"$KASUAN" --lang en verify --python "$python" --size 8192 --seconds 2 --data "$out" --keep-at "$out" \
    --records "$out" | tee verify.txt

say "a measured run beside nvidia-smi"
cat > job.py <<'PY'
import time, torch
x = torch.randn(8192, 8192, device="cuda", dtype=torch.float16)
start = time.time()
for step in range(1, 41):
    begun = time.time()
    while time.time() - begun < 0.5:
        for _ in range(8):
            y = x @ x
        torch.cuda.synchronize()
    print(f"{step}/40 [00:{time.time() - start:02.0f}<00:20,  {time.time() - begun:.2f}s/it]", flush=True)
PY
nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used,power.draw --format=csv -l 1 > smi.csv &
smi=$!
"$KASUAN" --lang en run --task gpu-check --price 1 --interval 1 --records "$out/runs" -- "$python" job.py
kill "$smi"

say "the two side by side (mean over the run)"
"$python" - <<'PY'
import csv, glob, json, statistics as s
record = json.load(open(sorted(glob.glob("runs/*gpu-check*.json"))[-1]))
rows = [row for row in csv.reader(open("smi.csv"), skipinitialspace=True) if len(row) == 5][1:]
for at, card in enumerate(record["cards"]):
    own = [row for row in rows if row[1] == str(at)]
    figure = lambda column: [float(row[column].split()[0]) for row in own if row[column][0].isdigit()]
    busy, memory, watts = figure(2), figure(3), figure(4)
    print(f"card {at}: busy % kasuan {card['busy_mean']:.1f}, nvidia-smi {s.mean(busy):.1f}")
    print(f"card {at}: peak MiB kasuan {card['memory_peak_bytes'] / 2**20:.0f}, nvidia-smi {max(memory):.0f}")
    print(f"card {at}: watts kasuan {card['watts_mean']:.1f}, nvidia-smi {s.mean(watts):.1f}")
print("sampler:", record["sampler"], "steps:", record["log"]["steps"], "of 40")
PY
