//! Every file and wire that kasuan reads or writes, versioned.
//!
//! A format is a module; what it reads becomes a type of the rooms above `formats`.

pub mod advice;
pub mod bill;
pub mod calendar;
pub mod capacity;
pub mod columnar;
pub mod fit;
pub mod focus;
pub mod gguf;
pub mod hf_config;
pub mod local_model;
pub mod market;
pub mod plan_json;
pub mod requests;
pub mod robot;
pub mod run_table;
pub mod safetensors;
pub mod series;
pub mod workload;

pub use workload::syntax::cause as syntax_cause;
