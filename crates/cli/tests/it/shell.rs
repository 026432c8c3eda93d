//! What a shell and `man` get: completions that the shell itself can read, and pages of every
//! command.

use crate::kasuan;
use std::{fs, path::Path, process::Command};

fn script(shell: &str) -> String {
    let said = kasuan(Path::new("."), &["completions", shell]);
    let said = said.strip_suffix("[0]\n").unwrap_or_else(|| panic!("{said}"));
    said.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn bash_completes_commands_and_options_with_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kasuan.bash");
    fs::write(&path, script("bash")).unwrap();
    let ask = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let set = words.iter().map(|word| format!("'{word}' ")).collect::<String>();
        let said = Command::new("bash")
            .args(["--norc", "-c"])
            .arg(format!(
                "source {}; COMP_WORDS=({set}); COMP_CWORD={}; _kasuan kasuan '{}' '{}'; \
                 printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                path.display(),
                words.len() - 1,
                words[words.len() - 1],
                words[words.len() - 2],
            ))
            .output()
            .unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap()
    };
    assert_eq!(ask("kasuan pl").trim(), "plan");
    assert!(ask("kasuan plan --se").contains("--seed"));
    assert!(ask("kasuan --format j").contains("json"));
}

#[test]
fn zsh_and_fish_get_scripts_that_name_every_command() {
    for shell in ["zsh", "fish"] {
        let script = script(shell);
        for command in ["plan", "review", "mcp", "completions"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let refused = kasuan(Path::new("."), &["completions", "tcsh"]);
    assert!(refused.ends_with("[2]\n") && refused.contains("bash"), "{refused}");
}

#[test]
fn every_command_has_a_manual_page_in_both_languages() {
    for (language, word) in [("en", "Plan a month"), ("zh", "租")] {
        let folder = tempfile::tempdir().unwrap();
        let said = kasuan(folder.path(), &["man", "--output", "pages", "--lang", language]);
        assert!(said.ends_with("[0]\n"), "{said}");
        let pages = folder.path().join("pages");
        let page = fs::read_to_string(pages.join("kasuan-plan.1")).unwrap();
        assert!(page.contains(word), "{page}");
        assert!(page.contains(r"\-\-seed"), "{page}");
        assert!(pages.join("kasuan-market-import.1").exists());
        let main = kasuan(folder.path(), &["man", "--lang", language]);
        assert!(main.contains(".TH kasuan 1"), "{main}");
    }
}
