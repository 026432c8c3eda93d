"""Re-plans as many readers at once as fast as the server answers, and prints what they felt.

    cargo build --release
    python3 benches/web_load.py target/release/kasuan [readers] [seconds]

Starts the server on a free port of loopback. Each reader holds one connection and sends the page's
own form again and again, every time with other hours, so that no answer is remembered. Prints the
requests, the errors, the median and the 99th percentile of the time to an answer, and the server's
resident memory after a tenth of the time and at the end.
"""

import http.client
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import urllib.parse

FORM = [
    ("currency", "CNY"), ("month", "2026-12"), ("rule-cap", ""), ("rule-margin", "p80"),
    ("rule-regions", "CN"), ("rule-spot_mtbf", ""),
    ("rest", "storage: [{size: 200GB}]\nteam: {engineer: 120 CNY/h, ops_hours: 6}\n"), ("prices", ""),
]
JOBS = [
    ("tuning", "lora", "Qwen/Qwen2.5-7B-Instruct", "2/month", None, "", "", "", "", ""),
    ("service", "inference", "Qwen/Qwen2.5-7B-Instruct", "", "", "08:00-18:00", "8", "", "", "context: 2048"),
    ("batch", "batch", "", "1/week", None, "", "", "", "true", "memory: 8GiB"),
]
COLUMNS = ["name", "task", "model", "runs", "hours", "daily", "concurrency", "may_wait", "interruptible", "more"]


def memory(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024


def main():
    program = sys.argv[1]
    readers = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 30
    command = [program, "serve", "--listen", "127.0.0.1:0", "--lang", "en"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    port = int(re.search(r"127\.0\.0\.1:(\d+)", server.stderr.readline())[1])
    page = http.client.HTTPConnection("127.0.0.1", port)
    page.request("GET", "/")
    proof = re.search(r'name="proof" value="(\w+)"', page.getresponse().read().decode())[1]
    times, errors, lock = [], [], threading.Lock()
    end = time.monotonic() + seconds

    def read(seed):
        numbers = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            fields = [("proof", proof), *FORM]
            for job in JOBS:
                hours = f"{numbers.uniform(1, 20):.4f}"
                values = [hours if value is None else value for value in job]
                fields += [(f"job-{column}", value) for column, value in zip(COLUMNS, values)]
            begun = time.monotonic()
            try:
                connection.request("POST", "/plan", urllib.parse.urlencode(fields), {
                    "content-type": "application/x-www-form-urlencoded", "hx-request": "true"})
                answer = connection.getresponse()
                text = answer.read()
                good = answer.status == 200 and b'id="total"' in text
                with lock:
                    (times if good else errors).append(time.monotonic() - begun if good else answer.status)
            except OSError as error:
                with lock:
                    errors.append(str(error))
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(readers)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 10)
    early = memory(server)
    for thread in threads:
        thread.join()
    late = memory(server)
    server.terminate()
    times.sort()
    print(f"{readers} readers, {seconds:.0f} s: {len(times)} plans, {len(errors)} errors {errors[:3]}")
    print(f"median {times[len(times) // 2] * 1000:.0f} ms, "
          f"p99 {times[int(len(times) * 0.99)] * 1000:.0f} ms; memory {early} -> {late} MiB; "
          f"server ended with {server.wait(20)}")


main()
