//! Captures as other machines write them: other names, units, blanks, damage. What is unknown stays
//! unknown, whatever it is written as.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a helper of a test stops at once and compares exact figures"
)]

use kasuan_model::Bytes;
use kasuan_probe::capture::{Capture, GpuSample, read};
use proptest::prelude::*;
use std::{fs, path::Path};

fn samples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/samples");
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| name != "SOURCES.md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

fn one(text: &str) -> GpuSample {
    read(text, None).unwrap().snapshots[0].gpus[0].clone()
}

/// Counts figures that say exactly nothing: the mark of an unknown that was read as zero.
fn zeros(capture: &Capture) -> usize {
    let of = |gpu: &GpuSample| {
        let memory = |bytes: Option<Bytes>| bytes.map(|_| bytes == Some(Bytes::new(0)));
        let figures = [gpu.busy, gpu.memory_busy, gpu.power_watts, gpu.celsius, gpu.sm_active];
        figures.iter().filter(|figure| **figure == Some(0.0)).count()
            + [memory(gpu.memory_used), memory(gpu.memory_total)]
                .iter()
                .filter(|zero| **zero == Some(true))
                .count()
    };
    capture.snapshots.iter().flat_map(|snapshot| &snapshot.gpus).map(of).sum()
}

#[test]
fn every_way_to_write_unknown_is_unknown() {
    for blank in [
        "[N/A]",
        "N/A",
        "[Not Supported]",
        "Not Supported",
        "[Unknown Error]",
        "Unknown Error",
        "[GPU is lost]",
        "[Insufficient Permissions]",
        "[Requested functionality has been deprecated]",
        "ERR!",
        "-",
        "",
        "[Not Found]",
    ] {
        let text = format!(
            "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu\n0, NVIDIA H100, {blank}, {blank}, {blank}, {blank}, {blank}\n"
        );
        let gpu = one(&text);
        assert_eq!(
            (gpu.busy, gpu.memory_used, gpu.memory_total, gpu.power_watts, gpu.celsius),
            (None, None, None, None, None),
            "`{blank}`"
        );
    }
}

#[test]
fn newer_and_older_names_of_one_figure_mean_the_same() {
    let power = |column: &str| {
        one(&format!("index, name, {column}\n0, NVIDIA H100, 650.12 W\n")).power_watts
    };
    for column in ["power.draw [W]", "power.draw.instant [W]", "power.draw.average [W]"] {
        assert_eq!(power(column), Some(650.12), "{column}");
    }
    let bare = one(
        "index, name, utilization.gpu, memory.used, memory.total\n0, Tesla T4, 97, 14000, 15360\n",
    );
    assert_eq!((bare.busy, bare.memory_used), (Some(97.0), Some(Bytes::from_mib(14000))));
}

#[test]
fn exporters_of_other_years_are_read() {
    let old = "# TYPE nvidia_gpu_duty_cycle gauge\nnvidia_gpu_duty_cycle{minor_number=\"0\",name=\"GeForce GTX TITAN X\",uuid=\"GPU-aaaa\"} 97\nnvidia_gpu_memory_used_bytes{minor_number=\"0\",name=\"GeForce GTX TITAN X\",uuid=\"GPU-aaaa\"} 1.048576e+09\nnvidia_gpu_power_usage_milliwatts{minor_number=\"0\",name=\"GeForce GTX TITAN X\",uuid=\"GPU-aaaa\"} 212000\n";
    let gpu = one(old);
    assert_eq!(
        (gpu.busy, gpu.memory_used, gpu.power_watts),
        (Some(97.0), Some(Bytes::from_mib(1000)), Some(212.0))
    );
    let telegraf = "nvidia_smi_utilization_gpu{host=\"a\",index=\"0\",name=\"Tesla T4\",uuid=\"GPU-bbbbbbbb\"} 12\nnvidia_smi_memory_used{host=\"a\",index=\"0\",uuid=\"GPU-bbbbbbbb\"} 300\nnvidia_smi_power_draw{host=\"a\",index=\"0\",uuid=\"GPU-bbbbbbbb\"} 30.5\n";
    let gpu = one(telegraf);
    assert_eq!(
        (gpu.busy, gpu.memory_used, gpu.power_watts),
        (Some(12.0), Some(Bytes::from_mib(300)), Some(30.5))
    );
    let own = "kasuan_gpu_busy_ratio{gpu=\"0\",uuid=\"GPU-cccccccc\"} 1\nkasuan_gpu_sm_active_ratio{gpu=\"0\",uuid=\"GPU-cccccccc\"} 0.31\n";
    assert_eq!((one(own).busy, one(own).sm_active), (Some(100.0), Some(0.31)));
}

#[test]
fn sentinels_of_dcgm_are_unknown_in_every_field() {
    let sentinels = [
        "2147483632",
        "9223372036854775792",
        "9223372036854775794",
        "NaN",
        "1.4073748835532800e+14",
    ];
    for blank in sentinels {
        let label = "{gpu=\"0\",UUID=\"GPU-dddddddd\",modelName=\"NVIDIA H100\"}";
        let names = [
            "DCGM_FI_DEV_GPU_UTIL",
            "DCGM_FI_DEV_POWER_USAGE",
            "DCGM_FI_DEV_GPU_TEMP",
            "DCGM_FI_PROF_SM_ACTIVE",
            "DCGM_FI_DEV_FB_USED",
        ];
        let text: String = names.iter().map(|name| format!("{name}{label} {blank}\n")).collect();
        let gpu = one(&text);
        assert_eq!(
            (gpu.busy, gpu.power_watts, gpu.celsius, gpu.sm_active, gpu.memory_used),
            (None, None, None, None, None),
            "{blank}"
        );
    }
}

#[test]
fn the_table_of_an_old_driver_has_unknown_figures_too() {
    let table = "\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  GeForce GTX 650     Off  | 00000000:01:00.0 N/A |                  N/A |
| 30%   40C    P8    N/A /  N/A |    120MiB /  2000MiB |     N/A      Default |
+-------------------------------+----------------------+----------------------+
";
    let gpu = one(table);
    assert_eq!((gpu.busy, gpu.power_watts), (None, None));
    assert_eq!((gpu.memory_used, gpu.celsius), (Some(Bytes::from_mib(120)), Some(40.0)));
}

/// Replaces the number that stands at the `pick`th place by what each kind of file writes for
/// unknown.
fn blanked(text: &str, pick: usize) -> Option<String> {
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| {
            let before = text[..*at].chars().next_back();
            c.is_ascii_digit() && before.is_none_or(|c| matches!(c, ' ' | ',' | ':' | '|' | '\t'))
        })
        .map(|(at, _)| at)
        .collect();
    let at = *starts.get(pick % starts.len().max(1))?;
    let end = text[at..]
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(text.len(), |to| at + to);
    let unknown = if text.trim_start().starts_with(['{', '[']) { "null" } else { "N/A" };
    Some(format!("{}{unknown}{}", &text[..at], &text[end..]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// One figure that becomes unknown must never appear as zero anywhere.
    #[test]
    fn a_figure_that_becomes_unknown_never_becomes_zero(file in 0..64_usize, pick in 0..4000_usize) {
        let samples = samples();
        let (name, text) = &samples[file % samples.len()];
        if let (Ok(before), Some(changed)) = (read(text, None), blanked(text, pick))
            && let Ok(after) = read(&changed, None)
        {
            prop_assert!(zeros(&after) <= zeros(&before), "{}", name);
        }
    }

    /// Bytes may be lost, doubled or overwritten; the file is read or refused, and no figure is one
    /// that no card has.
    #[test]
    fn damage_is_read_or_refused_and_makes_no_impossible_figure(
        file in 0..64_usize,
        hits in prop::collection::vec((0.0..1.0_f64, 0..4_u8, any::<char>()), 1..12),
    ) {
        let samples = samples();
        let mut letters: Vec<char> = samples[file % samples.len()].1.chars().collect();
        for (place, kind, letter) in hits {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a file")]
            let at = (letters.len() as f64 * place) as usize;
            if at >= letters.len() {
                continue;
            }
            match kind {
                0 => { letters.remove(at); }
                1 => letters.insert(at, letter),
                2 => letters[at] = letter,
                _ => { let copy = letters[at]; letters.insert(at, copy); }
            }
        }
        let text: String = letters.into_iter().collect();
        if let Ok(capture) = read(&text, None) {
            for gpu in capture.snapshots.iter().flat_map(|snapshot| &snapshot.gpus) {
                for share in [gpu.busy, gpu.memory_busy] {
                    prop_assert!(share.is_none_or(|share| (0.0..=100.0).contains(&share)));
                }
                for share in [gpu.sm_active, gpu.tensor_active, gpu.dram_active] {
                    prop_assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)));
                }
                for figure in [gpu.power_watts, gpu.power_limit_watts, gpu.celsius] {
                    prop_assert!(figure.is_none_or(f64::is_finite));
                }
            }
        }
    }
}
