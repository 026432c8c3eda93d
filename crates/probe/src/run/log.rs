//! Step time and throughput read out of a job's own output, whatever wrote it.

use regex::Regex;

/// What one line told.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A progress bar: steps done, steps in all, seconds for each step.
    Progress {
        /// Steps done.
        done: u64,
        /// Steps in all.
        total: u64,
        /// Seconds for each step, as the bar says.
        step_seconds: f64,
    },
    /// A rate, per second.
    Rate {
        /// What is counted.
        unit: Unit,
        /// How many in a second.
        per_second: f64,
    },
    /// What the user's own pattern found.
    Own(f64),
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Tokens.
    Tokens,
    /// Tokens of prompts.
    PromptTokens,
    /// Samples.
    Samples,
    /// Steps.
    Steps,
}

impl Unit {
    /// Returns the word used in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::PromptTokens => "prompt_tokens",
            Self::Samples => "samples",
            Self::Steps => "steps",
        }
    }
}

/// Rates as tools print them; the first group is the number.
const RATES: &[(&str, Unit)] = &[
    // vLLM
    (r"Avg generation throughput: ([0-9.]+) tokens/s", Unit::Tokens),
    (r"Avg prompt throughput: ([0-9.]+) tokens/s", Unit::PromptTokens),
    // SGLang
    (r"gen throughput \(token/s\): ([0-9.]+)", Unit::Tokens),
    // HF Trainer and what is built on it (LLaMA-Factory, ms-swift)
    (r"'?train_samples_per_second'?\s*[:=]\s*'?([0-9.]+)", Unit::Samples),
    (r"'?train_steps_per_second'?\s*[:=]\s*'?([0-9.]+)", Unit::Steps),
    (r"'?train_tokens_per_second'?\s*[:=]\s*'?([0-9.]+)", Unit::Tokens),
    // ms-swift
    (r"'train_speed\(iter/s\)':\s*'?([0-9.]+)", Unit::Steps),
    // torchtune
    (r"tokens_per_second_per_gpu[:=]\s*([0-9.]+)", Unit::Tokens),
    // DeepSpeed
    (r"CurrSamplesPerSec=([0-9.]+)", Unit::Samples),
];

/// A tqdm bar (HF Trainer, Lightning, LLaMA-Factory, ms-swift, torchtune):
/// ` 12%|█▏ | 12/100 [00:10<01:20,  1.10it/s]`.
const BAR: &str = r"([0-9]+)/([0-9]+) \[[^\]]*?[<, ]\s*([0-9.]+)\s*(it/s|s/it)";

/// Reads lines.
#[derive(Debug)]
pub struct LogReader {
    bar: Option<Regex>,
    rates: Vec<(Regex, Unit)>,
    own: Option<Regex>,
}

impl LogReader {
    /// Creates a reader; `own` is a pattern of the user's, whose first group is a number.
    pub fn new(own: Option<&str>) -> Result<Self, regex::Error> {
        let rates =
            RATES.iter().filter_map(|(pattern, unit)| Some((Regex::new(pattern).ok()?, *unit)));
        Ok(Self {
            bar: Regex::new(BAR).ok(),
            rates: rates.collect(),
            own: own.map(Regex::new).transpose()?,
        })
    }

    /// Reads one line, or one redrawing of a bar.
    pub fn read(&self, line: &str) -> Vec<Reading> {
        let mut found = Vec::new();
        if let Some(groups) = self.bar.as_ref().and_then(|bar| bar.captures(line)) {
            let number =
                |at: usize| groups.get(at).and_then(|text| text.as_str().parse::<f64>().ok());
            let whole =
                |at: usize| groups.get(at).and_then(|text| text.as_str().parse::<u64>().ok());
            let per_step = groups.get(4).is_some_and(|unit| unit.as_str() == "s/it");
            if let (Some(done), Some(total), Some(rate)) = (whole(1), whole(2), number(3))
                && rate > 0.0
                && total > 0
                && done <= total
            {
                let step_seconds = if per_step { rate } else { 1.0 / rate };
                found.push(Reading::Progress { done, total, step_seconds });
            }
        }
        for (pattern, unit) in &self.rates {
            let number =
                pattern.captures(line).and_then(|groups| groups.get(1)?.as_str().parse().ok());
            if let Some(per_second) = number.filter(|rate: &f64| rate.is_finite()) {
                found.push(Reading::Rate { unit: *unit, per_second });
            }
        }
        let own = self.own.as_ref().and_then(|own| own.captures(line));
        if let Some(value) = own.and_then(|groups| groups.get(1)?.as_str().parse().ok()) {
            found.push(Reading::Own(value));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_rates_of_the_usual_programs_are_read() {
        let reader = LogReader::new(None).unwrap();
        let bar = reader.read(" 12%|█▏        | 12/100 [00:24<02:56,  2.00s/it]");
        assert_eq!(bar, [Reading::Progress { done: 12, total: 100, step_seconds: 2.0 }]);
        let lightning =
            reader.read("Epoch 0:  10%|█ | 10/100 [00:05<00:45, 4.00it/s, v_num=3, loss=2.1]");
        assert_eq!(lightning, [Reading::Progress { done: 10, total: 100, step_seconds: 0.25 }]);
        let vllm = "INFO 06-01 10:00:00 metrics.py:455] Avg prompt throughput: 120.5 tokens/s, Avg generation throughput: 350.2 tokens/s, Running: 4 reqs";
        assert!(
            reader.read(vllm).contains(&Reading::Rate { unit: Unit::Tokens, per_second: 350.2 })
        );
        let hf = "{'train_runtime': 12.3, 'train_samples_per_second': 5.1, 'train_steps_per_second': 0.64, 'train_loss': 1.2}";
        assert!(reader.read(hf).contains(&Reading::Rate { unit: Unit::Samples, per_second: 5.1 }));
        let sglang = "[2026-01-01 10:00:00] Decode batch. #running-req: 4, gen throughput (token/s): 250.75, #queue-req: 0";
        assert_eq!(reader.read(sglang), [Reading::Rate { unit: Unit::Tokens, per_second: 250.75 }]);
        let torchtune =
            "Step 10 | loss:1.2 lr:1e-5 tokens_per_second_per_gpu:1834.5 peak_memory_active:10.1";
        assert_eq!(
            reader.read(torchtune),
            [Reading::Rate { unit: Unit::Tokens, per_second: 1834.5 }]
        );
        assert!(reader.read("loading 3/7 shards").is_empty());
        assert!(reader.read("0/0 [00:00<?, ?it/s]").is_empty());
    }

    #[test]
    fn a_pattern_of_the_users_is_read_beside() {
        let reader = LogReader::new(Some(r"step took ([0-9.]+) s")).unwrap();
        assert_eq!(reader.read("step took 1.5 s"), [Reading::Own(1.5)]);
        assert!(LogReader::new(Some("(")).is_err());
    }
}
