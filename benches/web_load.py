#!/usr/bin/env python3
"""Readers who all re-plan at once, against a real `kasuan serve`: how long they wait, what fails,
what memory it takes.

usage: web_load.py PROGRAM [READERS=200] [SECONDS=30] [THINK=2] [DISTINCT=1]

Each reader changes hours in a table of three jobs (fine-tuning, a service, batch work) and waits for
the new answer, then thinks for THINK seconds on average (exponential), as a person who types does;
with THINK=0 each asks again at once, which is as many readers as fit and measures throughput.
DISTINCT is the share of questions that nobody asked before; the others are drawn from 20 that many
ask, which the server answers from its memory. Nothing is retried; every answer must hold a total.
Prints the figures and the server's resident memory after a tenth of the time and at the end.
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


def processor(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def body(proof, numbers):
    fields = [("proof", proof), *FORM]
    for job in JOBS:
        hours = f"{numbers.uniform(1, 20):.4f}"
        values = [hours if value is None else value for value in job]
        fields += [(f"job-{column}", value) for column, value in zip(COLUMNS, values)]
    return urllib.parse.urlencode(fields)


def main():
    program = sys.argv[1]
    readers = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 30
    think = float(sys.argv[4]) if len(sys.argv) > 4 else 2
    distinct = float(sys.argv[5]) if len(sys.argv) > 5 else 1
    command = [program, "serve", "--listen", "127.0.0.1:0", "--lang", "en"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    port = int(re.search(r"127\.0\.0\.1:(\d+)", server.stderr.readline())[1])
    page = http.client.HTTPConnection("127.0.0.1", port)
    page.request("GET", "/")
    proof = re.search(r'name="proof" value="(\w+)"', page.getresponse().read().decode())[1]
    usual = [body(proof, random.Random(-seed)) for seed in range(1, 21)]
    times, errors, lock = [], [], threading.Lock()
    end = time.monotonic() + seconds

    def read(seed):
        numbers = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        # Readers do not all begin at the same moment, unless they never pause.
        time.sleep(numbers.uniform(0, think))
        while time.monotonic() < end:
            asked = body(proof, numbers) if numbers.random() < distinct else numbers.choice(usual)
            begun = time.monotonic()
            try:
                connection.request("POST", "/plan", asked, {
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
            if think:
                time.sleep(numbers.expovariate(1 / think))

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(readers)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(seconds / 10)
    early = memory(server)
    for thread in threads:
        thread.join()
    took = time.monotonic() - begun
    late, used = memory(server), processor(server)
    server.terminate()
    times.sort()
    at = lambda share: times[min(int(len(times) * share), len(times) - 1)] * 1000
    print(f"{readers} readers, {seconds:.0f} s, thinking {think:g} s, {distinct:.0%} distinct: "
          f"{len(times)} plans ({len(times) / took:.0f}/s), {len(errors)} errors {errors[:3]}")
    print(f"median {at(.5):.0f} ms, p95 {at(.95):.0f} ms, p99 {at(.99):.0f} ms, longest {at(1):.0f} ms; "
          f"{used / max(len(times), 1) * 1000:.1f} ms of processor a plan; "
          f"memory {early} -> {late} MiB; server ended with {server.wait(20)}")


main()
