# Runs by the box's own Python; arguments: side of the matrices, seconds for each measurement.
# Prints one JSON object a line: {"step": ..., "outcome": "pass" | "fail", ...figures}.
import json, sys, time


def say(step, outcome, **figures):
    print(json.dumps({"step": step, "outcome": outcome, **figures}), flush=True)


def reason(error):
    return f"{type(error).__name__}: {error}".split("\n")[0][:300]


def attempt(step, work, **where):
    # Whatever goes wrong on the way is the finding; the other steps still run.
    try:
        work()
    except Exception as error:
        say(step, "fail", reason=reason(error), **where)


def main(size, seconds):
    try:
        import torch
    except Exception as error:
        say("import", "fail", reason=reason(error))
        return
    say("import", "pass", torch=torch.__version__, cuda=torch.version.cuda)
    on_card = torch.cuda.is_available()
    if not on_card:
        say("device", "fail", reason="torch.cuda.is_available() is False")
    devices = [torch.device("cuda", i) for i in range(torch.cuda.device_count())] if on_card else [torch.device("cpu")]
    for place, device in enumerate(devices):
        place = place if on_card else None
        attempt("card", lambda: one(torch, place, device, size, seconds), card=place)
    if len(devices) > 1:
        attempt("peer", lambda: peers(torch, devices))


def one(torch, place, device, size, seconds):
    cuda = device.type == "cuda"
    # Without a card the figures only prove torch; a large product would only take long.
    size = size if cuda else min(size, 1024)
    wait = (lambda: torch.cuda.synchronize(device)) if cuda else (lambda: None)

    def repeat(work, each):
        work()
        wait()
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for _ in range(each):
                work()
            count += each
            wait()
        return count / (time.perf_counter() - start)

    if cuda:
        facts = torch.cuda.get_device_properties(device)
        say("device", "pass", card=place, name=facts.name, memory_bytes=facts.total_memory,
            capability=f"{facts.major}.{facts.minor}")

    def kernel():
        # A kernel must run: is_available() is True for a card that the build holds no code for.
        generator = torch.Generator().manual_seed(7)
        a = torch.randn(256, 256, generator=generator)
        b = torch.randn(256, 256, generator=generator)
        here = (a.to(device) @ b.to(device)).cpu().double()
        truth = a.double() @ b.double()
        error = float((here - truth).abs().max() / truth.abs().max())
        # TF32 keeps 10 bits of the mantissa (1e-3); anything beyond 1 % is a broken card.
        say("matmul", "pass" if error < 1e-2 else "fail", card=place, relative_error=error)

    attempt("matmul", kernel, card=place)

    def rate(name, kind):
        x = torch.randn(size, size, device=device).to(kind)
        y = torch.randn(size, size, device=device).to(kind)
        z = x @ y
        per_second = repeat(lambda: torch.matmul(x, y, out=z), 8 if cuda else 1)
        finite = bool(torch.isfinite(z.float()).all())
        say("rate", "pass" if finite else "fail", card=place, kind=name, flops=2 * size**3 * per_second)

    kinds = ["float16", "bfloat16"] if cuda else ["float32"]
    for name in kinds:
        attempt("rate", lambda: rate(name, getattr(torch, name)), card=place, kind=name)

    def bandwidth():
        length = (1 << 28) if cuda else (1 << 24)
        block = torch.zeros(length // 4, device=device)
        other = torch.empty_like(block)
        # A copy reads and writes each byte.
        say("bandwidth", "pass", card=place, bytes_per_second=2 * length * repeat(lambda: other.copy_(block), 4))

    attempt("bandwidth", bandwidth, card=place)
    if not cuda:
        return

    def upload():
        host = torch.empty(1 << 26, dtype=torch.uint8).pin_memory()
        target = torch.empty_like(host, device=device)
        per_second = repeat(lambda: target.copy_(host, non_blocking=True), 4)
        say("upload", "pass", card=place, bytes_per_second=host.numel() * per_second)

    attempt("upload", upload, card=place)

    def fill():
        # Nine tenths of what is free, in blocks: written, read back, and given back.
        torch.cuda.empty_cache()
        free, total = torch.cuda.mem_get_info(device)
        blocks, block = [], 1 << 28
        for number in range(int(free * 0.9) // block):
            blocks.append(torch.full((block // 4,), float(number), device=device))
        same = all(bool((held == number).all()) for number, held in enumerate(blocks))
        say("memory", "pass" if same else "fail", card=place, free_bytes=free, total_bytes=total,
            filled_bytes=len(blocks) * block)
        blocks.clear()
        torch.cuda.empty_cache()

    attempt("memory", fill, card=place)


def peers(torch, devices):
    source = torch.ones(1 << 26, dtype=torch.uint8, device=devices[0])
    target = source.to(devices[1])
    wait = lambda: (torch.cuda.synchronize(0), torch.cuda.synchronize(1))
    wait()
    start = time.perf_counter()
    for _ in range(8):
        target.copy_(source)
    wait()
    rate = 8 * source.numel() / (time.perf_counter() - start)
    same = bool((target == 1).all())
    say("peer", "pass" if same else "fail", direct=torch.cuda.can_device_access_peer(0, 1), bytes_per_second=rate)


main(int(sys.argv[1]), float(sys.argv[2]))
