//! `predict time` on rows that nobody has seen: other words, missing columns, nonsense.

#![allow(clippy::unwrap_used, reason = "a helper of a test stops at once")]

use super::predict;

/// Predicts the rows of a file and returns the answer's cells.
fn answers(text: &str) -> Vec<Vec<String>> {
    let folder = std::env::temp_dir().join(format!("kasuan-predict-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let thread = format!("{:?}", std::thread::current().id());
    let file = folder.join(thread.replace(['(', ')'], "-"));
    std::fs::write(&file, text).unwrap();
    let mut out = Vec::new();
    predict(file.to_str().unwrap(), &mut out).unwrap();
    std::fs::remove_file(file).unwrap();
    let text = String::from_utf8(out).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("id,pred,low,high"));
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn figure(cells: &[String]) -> Option<[f64; 3]> {
    let numbers: Vec<f64> = cells[1..].iter().filter_map(|cell| cell.parse().ok()).collect();
    numbers.try_into().ok()
}

const HEADER: &str = "id,kind,model,params_b,layers,hidden,heads,kv_heads,vocab,precision,gpu,n_gpus,\
                      parallelism,interconnect,seq_in,seq_out,batch,act_ckpt,framework,metric\n";

#[test]
fn every_row_gets_its_line_whatever_words_it_uses() {
    let kinds = ["serving", "inference_decode", "inference_prefill", "train_full", "lora", "qlora"];
    let engines = [
        "vLLM 0.12.1",
        "vllm-omni",
        "SGLang 0.6",
        "TRT-LLM 1.3",
        "LM Studio",
        "text-generation-inference 3",
        "HF Transformers 5",
        "MindIE 3",
        "unheard-of 1.0",
        "",
        "Megatron-Core",
        "Unsloth",
        "xtuner 2",
        "9",
    ];
    let gpus = ["H100-SXM", "RTX4090", "910B", "L40S", "MI300X", "no such card", ""];
    let precisions = ["bf16", "fp8", "awq-int4", "nf4", "q4_k_m", "bfloat", ""];
    let loads = ["1", "64", "max", "burst200", "rate2", "rate", "-3", "1e99", "", "many"];
    let lengths = ["", "128", "1024", "0", "-5", "131072", "x", "1e300"];
    let metrics =
        ["tokens_per_s_total", "tokens_per_s_per_gpu", "ttft_ms", "tpot_ms", "wall_s", "furlongs"];
    let models = ["Llama-3.1-8B", "Qwen3-30B-A3B", "Some-13B", "Unnamed", "", "Mixtral-8x7B"];
    let mut text = HEADER.to_owned();
    let mut state = 1_u64;
    let mut pick = |from: &[&str]| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from[(state >> 33) as usize % from.len()].to_owned()
    };
    let rows = 4_000;
    for id in 0..rows {
        let cells = [
            id.to_string(),
            pick(&kinds),
            pick(&models),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            pick(&precisions),
            pick(&gpus),
            pick(&["1", "2", "8", "", "0", "x"]),
            pick(&["", "TP8", "DDP", "TP2 PP4", "zero3", "??"]),
            pick(&["-", "nvlink", "pcie", ""]),
            pick(&lengths),
            pick(&lengths),
            pick(&loads),
            pick(&["", "True", "selective"]),
            pick(&engines),
            pick(&metrics),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    let answers = answers(&text);
    assert_eq!(answers.len(), rows);
    let mut predicted = 0;
    for (id, cells) in answers.iter().enumerate() {
        assert_eq!(cells[0], id.to_string());
        if let Some([likely, low, high]) = figure(cells) {
            predicted += 1;
            assert!(low > 0.0 && low <= likely && likely <= high && high.is_finite(), "{cells:?}");
        } else {
            assert!(cells[1..].iter().all(String::is_empty), "{cells:?}");
        }
    }
    assert!(predicted > rows / 20, "{predicted}");
}

#[test]
fn a_table_without_most_columns_is_read() {
    let text = "id,kind,model,gpu,framework,metric,batch,seq_in,seq_out,precision\n\
                a,serving,Llama-3.1-8B,H100-SXM,vLLM 0.11,tokens_per_s_total,max,1024,128,bf16\n\
                b,serving,Llama-3.1-8B,H100-SXM,vLLM 0.11,tokens_per_s_total,,,,bf16\n";
    let answers = answers(text);
    assert!(figure(&answers[0]).is_some());
    assert!(figure(&answers[1]).is_none());
}

#[test]
fn a_measured_figure_in_the_file_changes_no_prediction() {
    let row = |value: &str| {
        let text = format!(
            "id,kind,model,gpu,framework,metric,batch,seq_in,seq_out,precision,value,quote,source\n\
             a,serving,Qwen3-8B,L40S,SGLang 0.5,tokens_per_s_total,32,1024,128,bf16,{value},{value},x\n"
        );
        answers(&text)
    };
    assert_eq!(row("1"), row("1000000"));
}
