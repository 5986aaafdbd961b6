//! What the README shows is what the examples are.

use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The lines of `text` from the one that starts with `from` to the first that starts with `to`.
fn part(text: &str, from: &str, to: &str) -> String {
    let lines = text.lines().skip_while(|l| !l.starts_with(from));
    let mut out = String::new();
    for line in lines {
        out += line;
        out.push('\n');
        if line.starts_with(to) {
            return out;
        }
    }
    panic!("no part from {from:?} to {to:?}")
}

#[test]
fn the_annotated_function_is_the_examples() {
    let chunk = part(&read("examples/hello_two_streams.rs"), "/// Scales", "}");
    assert!(read("README.md").contains(&chunk), "the README does not show\n{chunk}");
}

#[test]
fn the_plan_is_the_examples() {
    let docs = part(&read("examples/hello_two_streams.expanded.rs"), "/// scale_and_save:", "/// ```");
    let table: String =
        docs.lines().filter(|l| !l.contains("```")).map(|l| l[4..].to_owned() + "\n").collect();
    assert!(
        table.lines().count() > 3 && read("README.md").contains(&table),
        "the README does not show\n{table}"
    );
}

#[test]
fn every_file_that_it_points_to_is_there() {
    let readme = read("README.md");
    let links: Vec<&str> = readme.split("](").skip(1).filter_map(|l| l.split(')').next()).collect();
    assert!(links.len() > 3);
    for link in links {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(link);
        assert!(path.exists(), "{link}");
    }
}
