//! The three back ends: the driver's library by a stand-in that plays scenarios, `nvidia-smi` by
//! a stand-in program, and captures.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::Bytes;
use kasuan_probe::{
    machine::Programs,
    sample::{Nvml, Replay, SampleError, Sampler as _, Smi},
};
use std::cell::RefCell;

const TWO_CARDS: &str = "\
driver 550.54.15
cuda 12040
card NVIDIA GeForce RTX 4090 | GPU-00000000-0000-0000-0000-000000000000 | 24564
card NVIDIA A100-SXM4-80GB | GPU-00000000-0000-0000-0000-000000000001 | 81920
0 busy 97,98,0
0 used 17000
0 power 412000,32000
0 limit 450000
0 celsius 71
0 process 12018 16975
1 busy 0
1 used 512
1 power 61000
1 process 4125 -
";

fn nvml(scenario: &str) -> (tempfile::TempDir, Nvml) {
    let folder = tempfile::tempdir().unwrap();
    let library = kasuan_testkit::install(folder.path(), scenario).unwrap();
    let nvml = Nvml::open(Some(&library)).unwrap();
    (folder, nvml)
}

#[test]
fn the_driver_library_is_sampled_in_order() {
    let (_folder, mut nvml) = nvml(TWO_CARDS);
    let first = nvml.sample().unwrap();
    assert_eq!(first.driver.as_deref(), Some("550.54.15"));
    assert_eq!(first.driver_cuda.as_deref(), Some("12.4"));
    assert_eq!(first.gpus.len(), 2);
    let card = &first.gpus[0];
    assert_eq!(card.name.as_deref(), Some("NVIDIA GeForce RTX 4090"));
    assert_eq!(card.busy, Some(97.0));
    assert_eq!(card.memory_used, Some(Bytes::from_mib(17000)));
    assert_eq!(card.memory_total, Some(Bytes::from_mib(24564)));
    assert_eq!((card.power_watts, card.power_limit_watts), (Some(412.0), Some(450.0)));
    assert_eq!(card.celsius, Some(71.0));
    assert_eq!(first.gpus[1].power_limit_watts, None);
    assert_eq!(nvml.sample().unwrap().gpus[0].busy, Some(98.0));
    assert_eq!(nvml.sample().unwrap().gpus[0].busy, Some(0.0));
    let memory: Vec<_> = first.processes.iter().map(|p| (p.pid, p.memory)).collect();
    assert_eq!(memory, [(12018, Some(Bytes::from_mib(16975))), (4125, None)]);
}

#[test]
fn a_driver_of_the_470_kind_is_read_by_the_older_versions_of_the_calls() {
    let (_folder, mut nvml) = nvml(&format!("old\n{TWO_CARDS}"));
    let snapshot = nvml.sample().unwrap();
    assert_eq!(snapshot.gpus[0].memory_used, Some(Bytes::from_mib(17000)));
    assert_eq!(snapshot.processes[0].pid, 12018);
    assert_eq!(snapshot.processes[0].memory, Some(Bytes::from_mib(16975)));
}

#[test]
fn a_lost_card_is_lost_and_not_idle_and_the_others_go_on() {
    let lost = TWO_CARDS.replace("0 busy 97,98,0", "0 busy 97,!");
    let (_folder, mut nvml) = nvml(&lost);
    assert!(!nvml.sample().unwrap().gpus[0].lost);
    let snapshot = nvml.sample().unwrap();
    assert!(snapshot.gpus[0].lost);
    assert_eq!(snapshot.gpus[0].busy, None);
    assert_eq!(snapshot.gpus[1].busy, Some(0.0));
}

#[test]
fn what_a_card_does_not_support_is_unknown() {
    let missing = TWO_CARDS.replace("1 busy 0", "1 busy -").replace("1 power 61000", "1 power -");
    let (_folder, mut nvml) = nvml(&missing);
    let card = &nvml.sample().unwrap().gpus[1];
    assert_eq!((card.busy, card.power_watts, card.celsius), (None, None, None));
}

#[test]
fn the_parent_of_mig_slices_has_no_busy_share_of_its_own() {
    let (_folder, mut nvml) = nvml(&format!("{TWO_CARDS}1 mig 1\n"));
    let card = &nvml.sample().unwrap().gpus[1];
    assert!(card.mig_parent);
    assert_eq!(card.busy, None);
}

#[test]
fn a_hopper_card_says_how_many_multiprocessors_work_and_others_stay_unknown() {
    // 100 % "busy" with 6 % of the multiprocessors at work: one small kernel after the other.
    let hopper = TWO_CARDS.replace("0 busy 97,98,0", "0 busy 100\n0 sm 6,6,55\n0 tensor 2");
    let (_folder, mut nvml) = nvml(&hopper);
    let first = nvml.sample().unwrap();
    assert_eq!(first.gpus[0].sm_active, None, "one look at the counters says nothing yet");
    let card = &nvml.sample().unwrap().gpus[0];
    assert_eq!((card.busy, card.sm_active), (Some(100.0), Some(0.06)));
    assert_eq!((card.tensor_active, card.dram_active), (Some(0.02), None));
    let third = nvml.sample().unwrap();
    assert_eq!(third.gpus[0].sm_active, Some(0.55));
    assert_eq!(third.gpus[1].sm_active, None);
}

#[test]
fn without_the_library_there_is_no_driver() {
    let folder = tempfile::tempdir().unwrap();
    let error = Nvml::open(Some(&folder.path().join("libnvidia-ml.so.1"))).unwrap_err();
    assert!(matches!(error, SampleError::NoDriver(_)));
}

/// `nvidia-smi` of an old driver: it refuses a list with a field that it does not know.
struct OldSmi {
    asked: RefCell<Vec<String>>,
}

impl Programs for &OldSmi {
    fn output(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let line = format!("{program} {}", arguments.join(" "));
        self.asked.borrow_mut().push(line.clone());
        if line.contains("mig.mode.current") {
            return None;
        }
        Some(if line.contains("--query-gpu") {
            "index, uuid, name, pci.bus_id, driver_version, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W], temperature.gpu\n0, GPU-1, Tesla K80, 00000000:00:04.0, 418.87, 35 %, 2 %, 100 MiB, 11441 MiB, 70.10 W, 149.00 W, 40\n".to_owned()
        } else {
            "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-1, 77, python, 90 MiB\n"
                .to_owned()
        })
    }
}

#[test]
fn an_old_nvidia_smi_is_asked_for_less_and_another_machine_by_ssh() {
    let programs = OldSmi { asked: RefCell::new(Vec::new()) };
    let mut smi = Smi::new(&programs, Some("box".to_owned()));
    let snapshot = smi.sample().unwrap();
    assert_eq!(snapshot.gpus[0].busy, Some(35.0));
    assert_eq!(snapshot.gpus[0].power_limit_watts, Some(149.0));
    assert_eq!(snapshot.processes[0].memory, Some(Bytes::from_mib(90)));
    let asked = programs.asked.borrow();
    assert!(asked.iter().all(|line| line.starts_with("ssh -o BatchMode=yes")), "{asked:?}");
    assert_eq!(asked.len(), 3);
}

#[test]
fn a_silent_nvidia_smi_is_an_error_with_its_command() {
    struct Nothing;
    impl Programs for Nothing {
        fn output(&self, _: &str, _: &[&str]) -> Option<String> {
            None
        }
    }
    let error = Smi::new(Nothing, None).sample().unwrap_err();
    assert_eq!(error, SampleError::Silent("nvidia-smi".to_owned()));
}

#[test]
fn a_capture_is_played_back_until_its_end() {
    let text = "# gpu pwr sm\n# Idx W %\n 0 100 50\n 0 110 60\n";
    let mut replay = Replay::new(text, None).unwrap();
    assert_eq!(replay.sample().unwrap().gpus[0].busy, Some(50.0));
    assert_eq!(replay.sample().unwrap().gpus[0].busy, Some(60.0));
    assert_eq!(replay.sample(), Err(SampleError::End));
}
