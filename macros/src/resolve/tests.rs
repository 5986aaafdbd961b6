//! Modes, scopes and rewriting, on tokens.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{ItemFn, parse_quote};

use super::{place_text, resolve};
use crate::body::{Chunk, HostMode, Mode, Node, Origin, Step};
use crate::parse::ChunkArgs;
use crate::report::Report;
use crate::signature::Function;

fn run(item: ItemFn) -> (Chunk, Vec<String>) {
    let mut report = Report::default();
    let function = Function::new(item.attrs, item.vis, item.sig, *item.block, None, &mut report);
    let args: ChunkArgs = parse_quote!(streams(a, b));
    let chunk = resolve(&function, &args, &mut report);
    (chunk, report.messages())
}

fn body(body: TokenStream) -> Chunk {
    let (chunk, messages) = run(parse_quote! {
        fn chunk(cx: &Cx<'_>, w: &Layer, ws: &mut T, x: T, s: Pair, n: usize) -> Result<T> { #body }
    });
    assert_eq!(messages, Vec::<String>::new());
    chunk
}

fn place(chunk: &Chunk, ix: usize) -> String {
    let place = &chunk.places[ix];
    place_text(&chunk.names[place.name].ident.to_string(), &place.path)
}

/// `take x, read w.a, write ws`.
fn uses(chunk: &Chunk, node: &Node) -> String {
    let word = |mode| match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::Consume => "take",
    };
    let list: Vec<String> =
        node.uses.iter().map(|u| format!("{} {}", word(u.mode), place(chunk, u.place))).collect();
    list.join(", ")
}

fn one(expr: TokenStream) -> (String, String) {
    let chunk = body(quote! {
        #[on(a)]
        let y = #expr;
        Ok(y)
    });
    let node = chunk.nodes().next().expect("a node");
    (uses(&chunk, node), text(&node.syntax.expr))
}

fn text(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

#[track_caller]
fn check(expr: TokenStream, uses: &str, rewritten: TokenStream) {
    assert_eq!(one(expr), (uses.to_owned(), rewritten.to_string()));
}

#[test]
fn arguments() {
    check(quote!(f(cx, x)?), "take x", quote!(f(cx, x)?));
    check(quote!(f(cx, &x)?), "read x", quote!(f(cx, &(*x))?));
    check(quote!(f(cx, &mut x)?), "write x", quote!(f(cx, &mut (*x))?));
    check(quote!(f(cx, w, ws)?), "read w, write ws", quote!(f(cx, w, ws)?));
    check(quote!(f(cx, &w.a, &ws)?), "read w.a, read ws", quote!(f(cx, &w.a, &ws)?));
    check(quote!(f(cx, n, 3)?), "", quote!(f(cx, n, 3)?));
}

#[test]
fn operators_and_methods() {
    check(quote!(x.len() + 1), "read x", quote!((*x).len() + 1));
    check(quote!(x.into_vec()), "take x", quote!(x.into_vec()));
    check(quote!(x.as_mut()), "write x", quote!((*x).as_mut()));
    check(quote!(x == x), "read x", quote!((*x) == (*x)));
    check(
        quote!({
            x += 1;
        }),
        "write x",
        quote!({
            (*x) += 1;
        }),
    );
    check(
        quote!({
            x[0] = 1;
        }),
        "write x",
        quote!({
            (*x)[0] = 1;
        }),
    );
    check(quote!(x[n]), "read x", quote!((*x)[n]));
    check(quote!(S { x }), "take x", quote!(S { x }));
    check(quote!(S { x: &x }), "read x", quote!(S { x: &(*x) }));
}

#[test]
fn places() {
    check(
        quote!(f(cx, &s.h, s.gate)?),
        "read s.h, take s.gate",
        quote!(f(cx, &s.h, __streamlease::Moved(s.gate).0)?),
    );
    check(quote!(s.h.len()), "read s.h", quote!((*&s.h).len()));
    check(quote!(s.h.1.b[0].c), "read s.h.1.b", quote!((*&s.h.1.b)[0].c));
    check(
        quote!(f(w.dim, ws.dim)),
        "read w.dim, read ws.dim",
        quote!(f(w.dim, *__streamlease::copied(&ws.dim))),
    );
}

#[test]
fn inner_scopes() {
    check(
        quote!({
            let x = f(&x);
            g(x, x)
        }),
        "read x",
        quote!({
            let x = f(&(*x));
            g(x, x)
        }),
    );
    check(
        quote!({
            {
                let x = 1;
                g(x);
            }
            g(&x)
        }),
        "read x",
        quote!({
            {
                let x = 1;
                g(x);
            }
            g(&(*x))
        }),
    );
    check(
        quote!(match n {
            x => g(x),
        }),
        "",
        quote!(match n {
            x => g(x),
        }),
    );
    check(
        quote!(for x in 0..n {
            g(x)
        }),
        "",
        quote!(for x in 0..n {
            g(x)
        }),
    );
    check(quote!(v.iter().map(|x| g(x))), "", quote!(v.iter().map(|x| g(x))));
}

#[test]
fn macros() {
    check(quote!(println!("{x} {}", s.h)), "read x, read s.h", quote!(println!("{x} {}", (*&s.h))));
    check(quote!(println!("{{x}} {n:?}")), "", quote!(println!("{{x}} {n:?}")));
    check(quote!(println!("{y}", y = &x)), "read x", quote!(println!("{y}", y = &(*x))));
    check(quote!(vec![x]), "take x", quote!(vec![x]));
    check(quote!(matches!(x, Some(_))), "read x", quote!(matches!((*x), Some(_))));
    check(quote!(info!(len = %x.len(), "m")), "read x", quote!(info!(len = %(*x).len(), "m")));
}

#[test]
fn shadowing_makes_a_new_binding() {
    let chunk = body(quote! {
        #[on(a)]
        let x = f(cx, &x)?;
        #[on(b)]
        let x = f(cx, x)?;
        Ok(x)
    });
    let xs: Vec<Origin> = chunk.names.iter().filter(|n| n.ident == "x").map(|n| n.origin).collect();
    assert_eq!(xs, [Origin::Owned, Origin::Node(0), Origin::Node(1)]);
    let used: Vec<usize> = chunk.nodes().map(|n| chunk.places[n.uses[0].place].name).collect();
    assert_eq!(chunk.names[used[0]].origin, Origin::Owned);
    assert_eq!(chunk.names[used[1]].origin, Origin::Node(0));
}

fn host(statement: TokenStream) -> (Vec<(String, HostMode)>, Vec<String>) {
    let chunk = body(quote!(#statement; Ok(())));
    let Step::Host(host) = &chunk.body.steps[0] else { panic!("a host statement") };
    let uses = host.uses.iter().map(|u| (place(&chunk, u.place), u.mode)).collect();
    (uses, host.mentions.iter().map(|&p| place(&chunk, p)).collect())
}

fn moved(place: &str, mode: HostMode) -> Vec<(String, HostMode)> {
    vec![(place.to_owned(), mode)]
}

#[test]
fn host_statements() {
    assert_eq!(host(quote!(let k = x.len())), (vec![], vec!["x".to_owned()]));
    assert_eq!(host(quote!(let _ = x)), (vec![], vec!["x".to_owned()]));
    assert_eq!(host(quote!(let k = x == y)).0, vec![]);
    assert_eq!(host(quote!(let y = x)).0, moved("x", HostMode::Move));
    assert_eq!(host(quote!(drop(s.h))).0, moved("s.h", HostMode::Move));
    assert_eq!(host(quote!(return Ok(x))).0, moved("x", HostMode::HandOut));
    assert_eq!(host(quote!(swap(&mut x))).0, moved("x", HostMode::LendMut));
    let (uses, _) = host(quote!(let y = layer(cx, w, &x, s.h)?));
    let want = [("w", HostMode::Lend), ("x", HostMode::Lend), ("s.h", HostMode::Move)];
    assert_eq!(uses, want.map(|(p, m)| (p.to_owned(), m)));
    let (uses, ..) = host(quote!(ws.push(x)));
    assert_eq!(uses, [("ws".to_owned(), HostMode::LendMut), ("x".to_owned(), HostMode::HandOut)]);
}

#[test]
fn host_bindings_are_followed_when_it_matters() {
    let chunk = body(quote! {
        let k = x.len();
        let unused = k + 1;
        let mut list = Vec::new();
        list.push(x);
        #[on(a)]
        f(cx, k)?;
        Ok(())
    });
    let names: Vec<String> = chunk.names.iter().map(|n| n.ident.to_string()).collect();
    assert!(names.contains(&"k".to_owned()) && names.contains(&"list".to_owned()));
    assert!(!names.contains(&"unused".to_owned()));
    assert!(matches!(&chunk.body.steps[2], Step::Host(h) if h.makes.len() == 1));
}

#[test]
fn several_mistakes_are_told_at_once() {
    let (_, messages) = run(parse_quote! {
        fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
            #[on(c)]
            let y = f(cx, &x)?;
            #[on(a)]
            let z = mix(cx, x, &x)?;
            #[on(a)]
            let v = mine!(z);
            #[on(a)]
            let (h, _) = pair(cx)?;
            Ok(z)
        }
    });
    assert_eq!(messages.len(), 4, "{messages:#?}");
}
