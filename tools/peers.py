"""What other estimators say to the rows of a truth file, as `id,pred_gib`.

usage: python tools/peers.py TRUTH.csv MODELS.csv {vramcalc,ftuneai,vramscout} > predictions.csv

Pinned: vramcalc 0.1.2, ftuneai 0.4.1, vramscout 0.7.0 from PyPI (`pip install -r tools/peers.txt`).
Each tool is called through its own Python functions with the row's own settings and the
configuration of MODELS.csv, the way its documentation says; measured columns are dropped on load.
A row that a tool has no words for (a format, several cards, a mixture of experts) is declined.
"""

import csv
import importlib
import re
import sys

GIB = 1024**3
MEASURED = ("value", "unit", "quote", "value_gib", "lo_gib", "hi_gib", "confidence", "source", "group")
TOTALS = ("peak_allocated", "peak_reserved", "nvidia_smi", "peak_active")


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


class Model:
    """A model's configuration, the table's first and the row's else."""

    def __init__(self, row, table):
        known = table.get(row["model"], {})

        def field(name):
            value = number(known.get(name))
            return value if value is not None else number(row.get(name))

        self.layers, self.heads, self.kv_heads = field("layers"), field("heads"), field("kv_heads")
        self.head_dim, self.feed_forward = field("head_dim"), field("intermediate") or 0
        self.hidden = field("hidden") or (self.heads or 0) * (self.head_dim or 0)
        self.vocab = field("vocab") or 32000
        self.tied = known.get("tie_embeddings") == "true"
        self.gated = known.get("mlp", "gated") != "plain"
        name = row["model"].lower()
        self.bias = "qwen" in name and "qwen3" not in name
        self.experts = number(known.get("moe_experts")) or 0
        self.complete = None not in (self.layers, self.heads, self.kv_heads, self.head_dim)
        self.parameters = self.count(known) if self.complete else None

    def count(self, known):
        query, kv = self.heads * self.head_dim, self.kv_heads * self.head_dim
        attention = self.layers * (2 * self.hidden * query + 2 * self.hidden * kv)
        matrices = 3 if self.gated else 2
        block = self.feed_forward
        if self.experts:
            shared = number(known.get("moe_shared")) or 0
            block = (number(known.get("moe_intermediate")) or 0) * (self.experts + shared)
        bias = self.layers * (query + 2 * kv) if self.bias else 0
        ends = self.vocab * self.hidden * (1 if self.tied else 2)
        norms = self.layers * 2 * self.hidden + self.hidden
        return attention + self.layers * matrices * self.hidden * block + ends + norms + bias


def numbers(text):
    return [int(part) for part in re.findall(r"\d+", text.replace(",", ""))]


def tokens(row):
    """The context of a row: prompt and generated tokens together, or the length of a sequence."""
    found = numbers(row["context_or_seq_len"])
    if not found:
        return None
    return sum(found) if "generated" in row["context_or_seq_len"] else found[0]


def vramcalc(row, model):
    dtype = {"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float32": "fp32"}.get(row["weight_format"])
    batch = numbers(row["batch_or_concurrency"])
    if model.experts or not model.gated or not dtype or int(row["n_gpus"] or 1) != 1 or not batch:
        return None
    arch = importlib.import_module("vramcalc.arch").Arch(
        hidden_size=int(model.hidden), num_layers=int(model.layers), num_heads=int(model.heads),
        num_kv_heads=int(model.kv_heads), head_dim=int(model.head_dim),
        intermediate_size=int(model.feed_forward), vocab_size=int(model.vocab),
        tie_word_embeddings=model.tied, attention_bias=model.bias, norms_per_layer=2)
    estimate = importlib.import_module("vramcalc.estimate")
    common = dict(arch=arch, dtype=dtype, batch=batch[0], optimizer="adamw", overhead_gb=0.75,
                  attn_impl="eager" if row["flash_attn"] == "no" else "flash")
    if row["kind"] == "inference":
        setup = estimate.EstimateParams(mode="inference", seq_len=tokens(row), lora_rank=None,
                                        grad_checkpoint=False, precision="amp", **common)
    else:
        rank = int(row["lora_rank"] or 8) if row["kind"] == "lora" else None
        setup = estimate.EstimateParams(mode="train", seq_len=numbers(row["context_or_seq_len"])[0],
                                        lora_rank=rank, precision="pure",
                                        grad_checkpoint=not row["grad_checkpointing"].startswith("no"), **common)
    total = estimate.estimate_from_params(setup).total
    return total() if callable(total) else total


def ftuneai(row, model):
    words = importlib.import_module("ftuneai.core.models")
    batch = numbers(row["batch_or_concurrency"])
    if row["kind"] not in ("lora", "qlora", "full") or not batch:
        return None
    method = {"lora": words.FineTuneMethod.LORA, "qlora": words.FineTuneMethod.QLORA,
              "full": words.FineTuneMethod.FULL}[row["kind"]]
    quantised = words.Quantization.NONE
    if row["kind"] == "qlora":
        four_bits = [one for one in words.Quantization if "4" in one.value][0]
        quantised = words.Quantization.INT8 if "int8" in row["weight_format"] else four_bits
    named = row["lora_targets"].lower()
    target = words.LoRATarget.ATTENTION
    if "all" in named or "c_proj" in named:
        target = [one for one in words.LoRATarget if "all" in one.value.lower()][0]
    elif len(re.findall("_proj", named)) > 2:
        target = words.LoRATarget.ATTENTION_ALL
    sharding = words.ShardingStrategy.NONE
    for one in words.ShardingStrategy:
        spread = row["parallelism"].lower()
        if ("fsdp" in spread and "fsdp" in one.value.lower()) or one.value.replace("_", "") in spread:
            sharding = one
            break
    cards = int(row["n_gpus"] or 1)
    spec = words.ModelSpec(name=row["model"], parameters=int(model.parameters), hidden_size=int(model.hidden),
                           num_layers=int(model.layers), num_attention_heads=int(model.heads),
                           num_kv_heads=int(model.kv_heads), intermediate_size=int(model.feed_forward),
                           vocab_size=int(model.vocab), max_seq_length=32768)
    run = words.TrainingConfig(model=row["model"], method=method, quantization=quantised, batch_size=batch[0],
                               seq_length=numbers(row["context_or_seq_len"])[0],
                               gradient_checkpointing=not row["grad_checkpointing"].startswith("no"),
                               optimizer=words.OptimizerType.ADAMW, lora_rank=int(row["lora_rank"] or 8),
                               lora_target=target, flash_attention=row["flash_attn"] != "no",
                               sharding=sharding, num_gpus=cards)
    estimate = importlib.import_module("ftuneai.core.memory").MemoryEstimator(spec, run).estimate()
    total = [value for name, value in vars(estimate).items() if "total" in name][0]
    total = total if total > 1e6 else total * GIB
    return total * (cards if row["scope"] == "sum_all_gpus" else 1)


def vramscout(row, model):
    if row["kind"] != "inference":
        return None
    text = row["weight_format"].lower()
    plain = {"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16"}
    dtype = plain.get(text)
    for words, name in ((("int4", "nf4", "fp4"), "int4"), (("int8",), "int8"), (("fp8",), "fp8"), (("float32",), "fp32")):
        if any(word in text for word in words):
            dtype = dtype or name
    cache = "fp8" if row["kv_format"] in ("fp8", "int8") else "bf16"
    batch = numbers(row["batch_or_concurrency"])
    if not dtype or not batch or row["kv_format"] not in ("", "bf16", "fp16", "bfloat16", "float16", "f16", "fp8", "int8"):
        return None
    types = importlib.import_module("vramscout.types")
    spec = types.ModelSpec(model_id=row["model"], model_type="llama", num_params=int(model.parameters),
                           num_layers=int(model.layers), hidden_size=int(model.hidden),
                           num_attention_heads=int(model.heads), num_kv_heads=int(model.kv_heads),
                           head_dim=int(model.head_dim), max_context=None, vocab_size=int(model.vocab),
                           torch_dtype="bfloat16")
    parts = importlib.import_module("vramscout.memory").breakdown_for_context(
        types.GPUInfo(0, "any", 80.0, 0.0, 80.0), spec, tokens(row), batch[0], dtype, cache)
    total = (parts.weights_gib + parts.kv_cache_gib + parts.recurrent_state_gib
             + parts.runtime_fixed_gib + parts.prefill_scratch_gib)
    return total * GIB / (1 if row["scope"] == "sum_all_gpus" else int(row["n_gpus"] or 1))


def main():
    truth, models, tool = sys.argv[1:4]
    table = {row["model"]: row for row in csv.DictReader(open(models, newline=""))}
    ask = {"vramcalc": vramcalc, "ftuneai": ftuneai, "vramscout": vramscout}[tool]
    out = csv.writer(sys.stdout)
    out.writerow(["id", "pred_gib"])
    answered, failures = 0, {}
    for full in csv.DictReader(open(truth, newline="")):
        row = {name: value for name, value in full.items() if name not in MEASURED}
        model, total = Model(row, table), None
        if row["what_is_measured"] in TOTALS and model.parameters and tokens(row):
            try:
                total = ask(row, model)
            except Exception as error:  # whatever the tool raises is its way to decline
                failures[repr(error)[:80]] = failures.get(repr(error)[:80], 0) + 1
        answered += total is not None
        out.writerow([row["id"], "" if not total else f"{total / GIB:.4f}"])
    print(f"{tool}: {answered} rows answered; {failures}", file=sys.stderr)


if __name__ == "__main__":
    main()
