#!/usr/bin/env python3
"""Trace the exact tensor memory of a Hugging Face training or inference step, without a GPU.

The model is built from fake tensors (torch FakeTensorMode: shapes and dtypes, no storage), one step
is run, and the storages that are alive are summed after every operation, in the caching allocator's
512-byte granules. Kernel workspaces and the allocator's slack are not seen; everything that PyTorch
allocates for tensors is.

    python tools/trace_memory.py --model llama2_7b --mode lora16_qkvo_ckpt --batch 1 --seq 2048
    python tools/trace_memory.py --dims h=1024,L=2,nh=16,nkv=4,hd=64,ff=4096,V=32000 --mode full_amp

Modes are words joined by `_`: infer | full | lora16; bf16 | amp | fp32; ckpt; eager; qkvo | all; nf4
(the base kept in the numbers that prepare_model_for_kbit_training leaves: an FP32 stream);
hold (the caller keeps the logits); mask (an attention mask is passed); moe.

Needs torch, transformers and peft; see tools/README.md.
"""
import argparse
import contextlib
import json
import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

MODELS = {
    "llama2_7b": dict(h=4096, L=32, nh=32, nkv=32, hd=128, ff=11008, V=32000, tied=False),
    "llama32_1b": dict(h=2048, L=16, nh=32, nkv=8, hd=64, ff=8192, V=128256, tied=True),
    "mistral7b_like": dict(h=4096, L=32, nh=32, nkv=8, hd=128, ff=14336, V=32768, tied=False),
    "qwen25_7b": dict(h=3584, L=28, nh=28, nkv=4, hd=128, ff=18944, V=152064, tied=False, qkv_bias=True),
    "qwen3_8b": dict(h=4096, L=36, nh=32, nkv=8, hd=128, ff=12288, V=151936, tied=False, qk_norm=True),
    # Other families, in their published widths, at eight layers so that a wrong term shows.
    "gemma_2b": dict(h=2048, L=8, nh=8, nkv=1, hd=256, ff=16384, V=256000, tied=True, cls="Gemma"),
    "gemma2_2b": dict(h=2304, L=8, nh=8, nkv=4, hd=256, ff=9216, V=256000, tied=True, cls="Gemma2"),
    "gemma3_4b": dict(h=2560, L=8, nh=8, nkv=4, hd=256, ff=10240, V=262208, tied=True, cls="Gemma3Text"),
    "phi3_mini": dict(h=3072, L=8, nh=32, nkv=32, hd=96, ff=8192, V=32064, tied=False, cls="Phi3"),
    "phi_2": dict(h=2560, L=8, nh=32, nkv=32, hd=80, ff=10240, V=51200, tied=False, cls="Phi"),
    "glm4_9b": dict(h=4096, L=8, nh=32, nkv=2, hd=128, ff=13696, V=151552, tied=False, cls="Glm"),
    "glm4_9b_0414": dict(h=4096, L=8, nh=32, nkv=2, hd=128, ff=13696, V=151552, tied=False, cls="Glm4"),
    "olmo2_7b": dict(h=4096, L=8, nh=32, nkv=32, hd=128, ff=11008, V=100352, tied=False, cls="Olmo2"),
    "granite3_8b": dict(h=4096, L=8, nh=32, nkv=8, hd=128, ff=12800, V=49155, tied=True, cls="Granite"),
    "command_r7b": dict(h=4096, L=8, nh=32, nkv=8, hd=128, ff=14336, V=256000, tied=True, cls="Cohere"),
    "starcoder2_3b": dict(h=3072, L=8, nh=24, nkv=2, hd=128, ff=12288, V=49152, tied=True, cls="Starcoder2"),
    "gpt_neox": dict(h=2560, L=8, nh=32, nkv=32, hd=80, ff=10240, V=50304, tied=False, cls="GPTNeoX"),
    "mixtral": dict(h=4096, L=4, nh=32, nkv=8, hd=128, ff=14336, V=32000, tied=False, cls="Mixtral",
                    num_local_experts=8, num_experts_per_tok=2),
    "qwen3_moe": dict(h=2048, L=4, nh=32, nkv=4, hd=128, ff=6144, V=151936, tied=False, cls="Qwen3Moe",
                      num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768),
    "deepseek_v2_lite": dict(h=2048, L=4, nh=16, nkv=16, hd=128, ff=10944, V=102400, tied=False, cls="DeepseekV2",
                             n_routed_experts=64, num_experts_per_tok=6, moe_intermediate_size=1408,
                             n_shared_experts=2, first_k_dense_replace=1, kv_lora_rank=512, q_lora_rank=None,
                             qk_rope_head_dim=64, qk_nope_head_dim=128, v_head_dim=128),
}

#: What names a dimension here; everything else beside `cls` is handed to the configuration as it is.
SHORT = {"h", "L", "nh", "nkv", "hd", "ff", "V", "tied", "cls", "qk_norm", "qkv_bias", "experts", "active"}


class Live(TorchDispatchMode):
    """Sums the storages that are alive and remembers the peak of each phase."""

    def __init__(self):
        super().__init__()
        self.seen = set()
        self.now = 0
        self.peak = 0

    def add(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self.seen:
            return
        size = (storage.nbytes() + 511) // 512 * 512
        self.seen.add(key)
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self.remove, key, size)

    def remove(self, key, size):
        self.seen.discard(key)
        self.now -= size

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for leaf in tree_iter(out):
            if isinstance(leaf, torch.Tensor):
                self.add(leaf)
        return out

    def phase(self):
        """Returns the peak since the last call."""
        peak, self.peak = self.peak, self.now
        return peak


def build(dims, words, attention):
    import transformers

    common = dict(
        hidden_size=dims["h"], num_hidden_layers=dims["L"], num_attention_heads=dims["nh"],
        num_key_value_heads=dims["nkv"], intermediate_size=dims["ff"], vocab_size=dims["V"],
        tie_word_embeddings=dims.get("tied", False), attn_implementation=attention,
        max_position_embeddings=131072, head_dim=dims["hd"],
    )
    if dims.get("cls"):
        own = {key: value for key, value in dims.items() if key not in SHORT}
        config = getattr(transformers, dims["cls"] + "Config")(**{**common, **own})
    elif dims.get("qk_norm"):
        config = transformers.Qwen3Config(**common)
    elif dims.get("qkv_bias"):
        common.pop("head_dim")
        config = transformers.Qwen2Config(**common)
    elif dims.get("experts"):
        config = transformers.MixtralConfig(
            **common, num_local_experts=dims["experts"], num_experts_per_tok=dims["active"])
    else:
        config = transformers.LlamaConfig(**common)
    dtype = torch.float32 if "amp" in words or "fp32" in words else torch.bfloat16
    old = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    model = transformers.AutoModelForCausalLM.from_config(config)
    torch.set_default_dtype(old)
    return model


def adapt(model, words):
    import peft

    rank = int(next(word for word in words if word.startswith("lora"))[4:])
    targets = ["q_proj", "k_proj", "v_proj", "o_proj"]
    if "all" in words:
        targets += ["gate_proj", "up_proj", "down_proj"]
    if "qv" in words:
        targets = ["q_proj", "v_proj"]
    config = peft.LoraConfig(r=rank, lora_alpha=16, target_modules=targets, lora_dropout=0.0)
    # "nf4": what is left in FP32 by prepare_model_for_kbit_training; 4-bit matrices return the
    # stream's numbers, which a 16-bit matrix behind casts imitates.
    if "nf4" in words:
        imitate_kbit(model)
    # Fake parameters cannot be converted in place, so conversions are skipped and the adapters'
    # weights made anew in their final numbers.
    apply, torch.nn.Module._apply = torch.nn.Module._apply, lambda self, fn, recurse=True: self
    model = peft.get_peft_model(model, config)
    torch.nn.Module._apply = apply
    dtype = torch.bfloat16 if "bf16lora" in words else torch.float32
    for name, module in model.named_modules():
        if "lora_" in name and isinstance(module, torch.nn.Linear):
            module.weight = torch.nn.Parameter(torch.empty(module.weight.shape, dtype=dtype))
    return model


def imitate_kbit(model):
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear) and "lm_head" not in name:
            inner = module.forward
            module.forward = lambda x, inner=inner: inner(x.to(torch.bfloat16)).to(x.dtype)
        elif getattr(module, "weight", None) is not None:
            shape = module.weight.shape
            module.weight = torch.nn.Parameter(torch.empty(shape, dtype=torch.float32))


def trace(dims, mode, batch, seq):
    words = mode.split("_")
    attention = "eager" if "eager" in words else "sdpa"
    result = {}
    with FakeTensorMode(allow_non_fake_inputs=True), Live() as live:
        model = build(dims, words, attention)
        lora = any(word.startswith("lora") for word in words)
        if lora:
            model = adapt(model, words)
        if "ckpt" in words:
            if lora:
                model.enable_input_require_grads()
            model.gradient_checkpointing_enable(dict(use_reentrant=False))
        result["weights"] = live.now
        ids = torch.zeros(batch, seq, dtype=torch.long)
        mask = torch.ones(batch, seq, dtype=torch.long) if "mask" in words else None
        live.phase()
        if "infer" in words:
            with torch.no_grad():
                out = model(input_ids=ids, attention_mask=mask)
            result["peak"] = live.phase()
            result["after"] = live.now
            del out
            return result
        model.train()
        trained = [p for p in model.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=1e-4, foreach=False)
        for parameter in trained:
            optimizer.state[parameter] = dict(
                step=torch.tensor(0.0), exp_avg=torch.zeros_like(parameter),
                exp_avg_sq=torch.zeros_like(parameter))
        result["persistent"] = live.now
        live.phase()
        cast = torch.autocast("cpu", dtype=torch.bfloat16) if "amp" in words or "cast" in words else contextlib.nullcontext()
        with cast:
            if "fused" in words:
                hidden = model.get_base_model().model(ids)[0] if lora else model.model(ids)[0]
                loss = hidden.float().mean() if "f32mean" in words else hidden.mean()
                out = None
            else:
                out = model(input_ids=ids, attention_mask=mask, labels=ids)
                loss = out.loss
        if "hold" not in words:
            del out
        result["fwd_peak"] = live.phase()
        result["saved_after_fwd"] = live.now - result["persistent"]
        loss.backward()
        result["bwd_peak"] = live.phase()
        result["after_bwd"] = live.now
        optimizer.step()
        result["step_peak"] = live.phase()
        result["peak"] = max(result["fwd_peak"], result["bwd_peak"], result["step_peak"])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", choices=MODELS)
    parser.add_argument("--dims", help="h=..,L=..,nh=..,nkv=..,hd=..,ff=..,V=..")
    parser.add_argument("--mode", required=True)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seq", type=int, default=2048)
    args = parser.parse_args()
    if args.dims:
        dims = {k: int(v) for k, v in (pair.split("=") for pair in args.dims.split(","))}
    else:
        dims = MODELS[args.model]
    print(json.dumps(dict(
        arch=args.model or "custom", dims=dims, batch=args.batch, seq=args.seq, mode=args.mode,
        bytes=trace(dims, args.mode, args.batch, args.seq))))


if __name__ == "__main__":
    main()
