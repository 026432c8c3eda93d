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
        ("deepseek-v3", "deepseek-ai/DeepSeek-V3"),
        ("deepseek-r1:7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B"),
        ("THUDM/glm-4-9b-chat", "zai-org/glm-4-9b-chat"),
        ("chatglm3-6b", "zai-org/chatglm3-6b"),
        ("internlm2.5-7b", "internlm/internlm2_5-7b-chat"),
        ("bge-m3", "BAAI/bge-m3"),
        ("gemma3:27b", "google/gemma-3-27b-it"),
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

/// Entries of which a publisher, a hub or a public log states the total.
const STATED: usize = 350;

#[test]
fn parameters_counted_from_the_table_match_published_totals_within_one_per_cent() {
    let mut checked = 0;
    let mut exact = 0;
    for model in Catalogue::shipped().entries() {
        let Some(published) = model.published_parameters else { continue };
        // Published files hold the layers that draft tokens too.
        let counted = parameters::count(model).total + model.draft_parameters;
        let error = (counted as f64 / published as f64 - 1.0).abs();
        assert!(error <= 0.01, "{}: counted {counted}, published {published}", model.id);
        checked += 1;
        exact += usize::from(counted == published);
    }
    assert!(checked >= STATED, "only {checked} entries state a published total");
    assert!(exact >= 300, "only {exact} of {checked} are exact to the last parameter");
}

#[test]
fn every_entry_says_where_it_comes_from() {
    for model in Catalogue::shipped().entries() {
        assert!(!model.source.text.is_empty() && model.source.date.is_some(), "{}", model.id);
        let remembered = model.source.text.contains("memory, unverified");
        let confirmed = model.published_parameters.is_some() || !model.unverified.is_empty();
        assert!(!remembered || confirmed, "{} is neither marked nor confirmed", model.id);
    }
}

#[test]
fn active_parameters_are_those_that_publishers_state() {
    // Model cards: DeepSeek-V3 37B, Qwen3-30B-A3B 3.3B, Qwen3-235B-A22B 22B, Mixtral-8x7B 12.9B,
    // gpt-oss-120b 5.1B, GLM-4.5 32B.
    for (id, billions, tolerance) in [
        ("deepseek-ai/DeepSeek-V3", 37.0, 0.03),
        ("Qwen/Qwen3-30B-A3B", 3.3, 0.03),
        ("Qwen/Qwen3-235B-A22B", 22.0, 0.02),
        ("mistralai/Mixtral-8x7B-v0.1", 12.9, 0.01),
        ("openai/gpt-oss-120b", 5.1, 0.15),
        ("zai-org/GLM-4.5", 32.0, 0.06),
    ] {
        let active = parameters::count(Catalogue::shipped().get(id).unwrap()).active as f64 / 1e9;
        assert!((active / billions - 1.0).abs() <= tolerance, "{id}: {active}");
    }
}

#[test]
fn the_parts_of_a_count_add_up_to_its_total() {
    for model in Catalogue::shipped().entries() {
        let count = parameters::count(model);
        let sum = count.embedding
            + count.head
            + count.block_linear()
            + count.routers
            + count.vectors
            + count.vision
            + count.other;
        assert_eq!(sum, count.total, "{}", model.id);
        assert!(count.active <= count.total && count.active > 0, "{}", model.id);
    }
}

#[test]
fn a_table_with_a_wrong_cell_or_a_double_row_is_refused() {
    let mut lines = SHIPPED.lines();
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(Catalogue::from_csv(&format!("{head}\n{row}\n")).is_ok());
    let twice = Catalogue::from_csv(&format!("{head}\n{row}\n{row}\n")).unwrap_err();
    assert!(matches!(twice, CatalogueError::Twice { .. }), "{twice}");
    let wrong = row.replace("generator", "oracle");
    let wrong = Catalogue::from_csv(&format!("{head}\n{wrong}\n")).unwrap_err();
    assert!(matches!(wrong, CatalogueError::Field { field: "kind", .. }), "{wrong}");
}
