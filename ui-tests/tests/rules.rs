//! Each folder is a rule: `pass` must compile and run, `fail` must be refused with the message beside it.

use std::path::Path;

#[test]
fn rules() {
    let cases = trybuild::TestCases::new();
    let mut rules: Vec<_> = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("pass").is_dir() || path.join("fail").is_dir())
        .collect();
    rules.sort();
    assert!(!rules.is_empty());
    for rule in rules {
        let programs = |kind: &str| rule.join(kind).is_dir().then(|| pattern(&rule, kind));
        programs("pass").into_iter().for_each(|p| cases.pass(p));
        programs("fail").into_iter().for_each(|p| cases.compile_fail(p));
    }
}

fn pattern(rule: &Path, kind: &str) -> String {
    format!("{}/{kind}/*.rs", rule.file_name().unwrap().to_str().unwrap())
}
