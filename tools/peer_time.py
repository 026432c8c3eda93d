"""Runs llm-analysis 0.2.2 (PyPI, Apache-2.0) on a file of measured rates and writes `id,pred,low,high`.

usage: python tools/peer_time.py THROUGHPUT.csv > peer.csv     (pip install --no-deps llm-analysis==0.2.2; pip install 'fire<0.6')

The tool is given the rows' own model shape, the peaks of our card table, and the efficiencies that its
documentation recommends: 0.5 of the arithmetic in training, 0.7 in inference, 0.9 of the bandwidth.
It has no notion of an engine, of 4-bit kernels or of continuous batching: rows of serving at full load are
declined, and so are rows whose shape or batch is not stated.
"""
import csv, logging, pathlib, re, sys

logging.disable(logging.CRITICAL)
from llm_analysis.analysis import ActivationRecomputation, LLMAnalysis
from llm_analysis.config import DtypeConfig, GPUConfig, ModelConfig, ParallelismConfig

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARDS = {r["id"]: r for r in csv.DictReader(open(ROOT / "data/market/cards.csv", encoding="utf-8"))}
NAMES = {}
for line in open(ROOT / "xtask/src/time/settings.rs", encoding="utf-8"):
    found = re.fullmatch(r'\s*((?:"[^"]+"(?: \| )?)+) => "([a-z0-9-]+)",\s*', line.rstrip("\n"))
    if found and found[2] in CARDS:
        for name in re.findall(r'"([^"]+)"', found[1]):
            NAMES[name] = found[2]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def card(name):
    row = CARDS.get(NAMES.get(name, name.lower()))
    if row is None:
        return None
    peak, width = number(row["fp16_bf16_dense_tflops"]), number(row["mem_bandwidth_gb_s"])
    if not peak or not width:
        return None
    fp8 = number(row["fp8_dense_tflops"])
    link = number(row["nvlink_gb_s_bidir"]) or 32.0
    return GPUConfig(name, float(row["memory_gib"]), width, link / 2, 8e-6, peak, fp8 or peak, peak)


def bits(text):
    if any(word in text for word in ("fp8", "int8", "w8a8", "q8")):
        return 8
    return 4 if any(word in text for word in ("4", "exl2", "q5")) else 16


def predict(row):
    values = {k: number(row[k]) for k in ("params_b", "layers", "hidden", "heads", "kv_heads", "vocab", "seq_in", "seq_out", "batch", "n_gpus")}
    gpu = card(row["gpu"])
    if gpu is None or any(values[k] is None for k in ("params_b", "layers", "hidden", "heads", "vocab")):
        return None
    layers, hidden, heads = (int(values[k]) for k in ("layers", "hidden", "heads"))
    kv = int(values["kv_heads"] or heads)
    attention = 2 * hidden * hidden + 2 * hidden * hidden * kv // heads
    ffn = int((values["params_b"] * 1e9 - hidden * values["vocab"] - layers * attention) / (layers * 2 * hidden))
    model = ModelConfig(row["model"], layers, heads, hidden, int(values["vocab"]), None, kv, ffn_embed_dim=ffn, expansion_ratio=ffn / hidden)
    width = bits(row["precision"])
    tensor = re.search(r"TP(\d+)", row["parallelism"].upper())
    tensor = int(tensor[1]) if tensor else 1
    cards = int(values["n_gpus"] or 1)
    training = row["kind"] in ("train_full", "lora", "qlora")
    kinds = DtypeConfig("rows", 16 if training else width, 16 if width == 4 or training else width, 16)
    analysis = LLMAnalysis(
        model, gpu, kinds, ParallelismConfig(tp_size=tensor, pp_size=1, dp_size=max(cards // tensor, 1)),
        flops_efficiency=0.5 if training else 0.7, hbm_memory_efficiency=0.9,
    )
    scale = 1.0 / cards if row["metric"] == "tokens_per_s_per_gpu" else 1.0
    if row["metric"] not in ("tokens_per_s_total", "tokens_per_s_per_gpu"):
        return None
    prompt, written, batch = values["seq_in"], values["seq_out"], values["batch"]
    if training:
        if row["kind"] != "train_full" or not prompt or not batch:
            return None
        again = ActivationRecomputation.FULL if row["act_ckpt"] == "True" else ActivationRecomputation.NONE
        forward = analysis.get_latency_fwd(batch_size=int(batch), seq_len=int(prompt), is_inference=False, activation_recomputation=again)
        forward = forward[0] if isinstance(forward, tuple) else forward
        return batch * prompt / (forward * (4.0 if row["act_ckpt"] == "True" else 3.0)) * max(cards // tensor, 1) * scale
    batch = int(batch) if batch else 1
    if row["kind"] == "inference_prefill":
        found = analysis.inference(batch, int(prompt), 1, kv_cache_dtype_bytes=2)
        return batch * prompt / found["prefill_latency"] * scale
    if row["kind"] == "inference_decode":
        found = analysis.inference(batch, max(int(prompt or 0), 1), int(written or 128), kv_cache_dtype_bytes=2)
        return batch * (written or 128) / found["total_decode_latency"] * scale
    return None


def main(path):
    out = csv.writer(sys.stdout)
    out.writerow(["id", "pred", "low", "high"])
    why = {}
    for row in csv.DictReader(open(path, encoding="utf-8")):
        row["value"] = ""
        try:
            found = predict(row)
        except (AssertionError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            found = None
            why[f"{type(error).__name__}: {error}"[:90]] = why.get(f"{type(error).__name__}: {error}"[:90], 0) + 1
        out.writerow([row["id"], f"{found:.6e}" if found and found > 0 else "", "", ""])
    for reason, rows in why.items():
        print(f"{rows} rows: {reason}", file=sys.stderr)


main(sys.argv[1])
