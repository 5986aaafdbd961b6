//! Where borders may lie; that each rule is needed is shown by `tests/tests/segments`, which rustc judges.

use super::borders;
use crate::parse::ChunkArgs;
use crate::report::Report;
use crate::resolve::resolve;
use crate::signature::Function;

/// The number of nodes before each border in a body where `before`, 100 nodes and `after` follow each other.
fn divided(before: &str, after: &str) -> Vec<usize> {
    let nodes = "#[on(a)] fill(cx, ws)?;".repeat(100);
    let source = format!(
        "fn f(cx: &Cx<'_>, ws: &mut T, n: usize, list: Vec<u32>) -> Result<()> {{ {before} {nodes} {after} }}"
    );
    let syn::ItemFn { attrs, vis, sig, block, .. } = syn::parse_str(&source).expect("a function");
    let args: ChunkArgs = syn::parse_str("streams(a)").expect("arguments");
    let mut report = Report::default();
    let function = Function::new(attrs, vis, sig, *block, None, &mut report);
    let chunk = resolve(&function, &args, &mut report);
    assert!(report.is_empty(), "{}", report.border().expect_err("mistakes"));
    let first =
        chunk.body.steps.iter().position(|s| matches!(s, crate::body::Step::Node(_))).expect("a node");
    borders(&function, &chunk).into_iter().map(|step| step - first).collect()
}

#[test]
fn a_border_stands_after_every_32_nodes() {
    let all = [32, 64, 96];
    assert_eq!(divided("", "Ok(())"), all);
    for (before, after) in [
        ("let k = 2 * n;", "g(k, n); Ok(())"),
        ("let mut k = 0;", "k = k + n; Ok(())"),
        ("let mut v = Vec::new(); v.push(n);", "v.push(n); g(v); Ok(())"),
        ("let v = vec![n]; let k = v.len();", "g(v); g(k); Ok(())"),
        ("let v = vec![n]; let first = &v[0];", "g(first); g(&v); Ok(())"),
        ("let k; k = n;", "g(k); Ok(())"),
        ("let mut v = make(); drop(v); v = make();", "g(v); Ok(())"),
        ("let v = make(); let first = first(&v); g(first);", "g(v); Ok(())"),
    ] {
        assert_eq!(divided(before, after), all, "{before} .. {after}");
    }
}

#[test]
fn no_border_stands_where_a_capture_could_be_refused() {
    for (before, after) in [
        ("let k;", "k = n; g(k); Ok(())"),
        ("let k;", "if n > 1 { k = 1; } else { k = 2; } g(k); Ok(())"),
        ("let (i, k);", "(i, k) = pair(); g(i, k); Ok(())"),
        ("let mut v = make(); drop(v);", "v = make(); g(v); Ok(())"),
        ("let mut v = make(); let first = &v[0];", "g(first); v.push(1); Ok(())"),
        ("let mut v = make(); let it = v.iter_mut();", "g(it); g(&v); Ok(())"),
        ("let v = make(); let first = first(&v);", "g(first); g(v); Ok(())"),
        ("let v = make(); let i = first(&v); let k = wrap(i);", "g(k); drop(v); Ok(())"),
        ("let v = make(); let mut all = Vec::new(); all.push(&v);", "g(all); drop(v); Ok(())"),
        ("let first = first(&list);", "g(first); drop(list); Ok(())"),
        (
            "let lock = make(); let guard = lock.lock();",
            "let k = format!(\"{guard}\"); lock.into_inner(); Ok(())",
        ),
    ] {
        let borders = divided(before, after);
        assert!(borders.iter().all(|&at| at > 100), "{before} .. {after}: {borders:?}");
    }
}

#[test]
fn a_stretch_without_borders_ends_where_its_reason_ends() {
    let nodes = "#[on(a)] fill(cx, ws)?;".repeat(40);
    let late =
        divided("", &format!("let v = make(); let first = &v[0]; {nodes} g(first); drop(v); {nodes} Ok(())"));
    assert_eq!(late, [32, 64, 96, 143, 176]);
}
