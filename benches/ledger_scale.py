"""How fast the ledger is: a review over a year of a fleet's hours, and the import of a large bill.

    python3 benches/ledger_scale.py target/release/kasuan [FOLDER]

Makes a SQLite ledger with ten million hours of cards (1,142 cards on 143 hosts for a year, each hour one
row) and times `kasuan review` of one month; then writes a FOCUS bill of 500,000 rows and times
`kasuan import bill`. Needs 5 GB in FOLDER; nothing is timed but the program itself, cold and warm.
"""

import datetime
import pathlib
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

KASUAN = pathlib.Path(sys.argv[1]).resolve()
ROWS = 10_000_000
HOURS = 8760
CARDS = ROWS // HOURS + 1
START = int(datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
BILL = 500_000


def run(folder, *arguments):
    """Runs the program and returns seconds, peak MiB and its exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(
        [KASUAN, *arguments, "--ledger", str(folder / "ledger.db")],
        capture_output=True, text=True, cwd=folder, check=False,
    )
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{arguments}: {done.stdout}{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, after.ru_maxrss / 1024


def fill(folder):
    """Writes the hours straight into the tables, as agents would have over a year."""
    run(folder, "budget", "set", "--month", "2025-11", "--total", "1000000")
    store = sqlite3.connect(folder / "ledger.db")
    store.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
    dice = random.Random(1)
    people = [f"person-{at}" for at in range(60)]
    jobs = [f"job-{at}" for at in range(400)]

    def hours():
        made = 0
        for hour in range(HOURS):
            working = 8 <= (hour + 8) % 24 < 20
            for card in range(CARDS):
                if made == ROWS:
                    return
                made += 1
                job = (card * 7 + hour // 24) % 400
                busy = dice.random() * 3600 if working else 0.0
                used = 2e10 + 1e9 * (job % 40)
                yield (
                    START + hour * 3600, f"host-{card // 8}", f"GPU-{card:08}", jobs[job],
                    people[job % 60], "rtx-4090", 3600.0, 3600.0, busy, 0.0, 0.0, 3600.0, 9e5,
                    3600.0, used * 3600, used, 2.4e10,
                )

    columns = (
        "hour_s, host, device, job, person, card, seen, busy_known, busy, sm_known, sm, power_known, "
        "energy, memory_known, memory, memory_peak, memory_total"
    )
    places = ",".join("?" * 17)
    store.executemany(f"INSERT INTO usage_hours ({columns}) VALUES ({places})", hours())
    store.commit()
    store.close()


def bill(folder):
    """Writes a FOCUS bill of November 2025, a row an hour and machine."""
    with open(folder / "bill.csv", "w", encoding="utf8") as file:
        file.write(
            "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,"
            "BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ResourceId,ConsumedQuantity,"
            "ConsumedUnit,PricingCategory,x_GpuModel,x_GpuCount\n"
        )
        start = datetime.datetime(2025, 11, 1)
        for row in range(BILL):
            at = start + datetime.timedelta(hours=row % 720)
            end = at + datetime.timedelta(hours=1)
            file.write(
                f"15.6,CNY,Usage,{at:%Y-%m-%dT%H:%M:%SZ},{end:%Y-%m-%dT%H:%M:%SZ},"
                f"2025-11-01T00:00:00Z,2025-12-01T00:00:00Z,Example,GPU,host-{row // 720},1,Hours,"
                f"Standard,RTX 4090,8\n"
            )


def main():
    """Prints one line for each figure."""
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "ledger.db").exists():
        fill(folder)
    size = (folder / "ledger.db").stat().st_size
    print(f"ledger: {ROWS:,} hours of {CARDS:,} cards, {size / 1e6:,.0f} MB, {size / ROWS:.0f} bytes a row")
    for which in ("cold", "warm", "warm"):
        seconds, cpu, peak = run(folder, "review", "--month", "2025-10", "--format", "json")
        print(f"review of a month, {which}: {seconds:.2f} s, {cpu:.2f} s of processor, {peak:.0f} MiB")
    if not (folder / "bill.csv").exists():
        bill(folder)
    for number in range(2):
        other = folder / f"bill-{number}"
        other.mkdir(exist_ok=True)
        for old in other.glob("ledger.db*"):
            old.unlink()
        seconds, cpu, peak = run(other, "import", "bill", str(folder / "bill.csv"))
        print(
            f"import of {BILL:,} rows: {seconds:.2f} s, {cpu:.2f} s of processor, "
            f"{BILL / seconds:,.0f} rows/s, {peak:.0f} MiB"
        )


main()
