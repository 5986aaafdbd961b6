//! Plans of known and of random chunks: their steps, and what the judge says of them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use streamlease_plan as out;

use super::PlanData;
use crate::body::{Chunk, HostMode};
use crate::testing::{Body, analyse, moe};

fn planned(chunk: &Chunk) -> PlanData {
    analyse(chunk).plan
}

/// The plan, once the judge has passed it.
#[track_caller]
fn judged(b: Body) -> PlanData {
    let chunk = b.done();
    let data = planned(&chunk);
    data.with_plan(|p| {
        if let Err(fault) = out::check::<4096, 4096>(p) {
            panic!("{fault:?}\n{p}\n{p:#?}");
        }
    });
    data
}

/// Steps as text: `node`, `-lease`, `host(lease, ..)`, `~lease`.
fn steps(data: &PlanData) -> String {
    let lease = |l: u16| data.leases[l as usize].name.as_str();
    let tell = |s: &out::Step<'_>| match s {
        out::Step::Node(n) => data.nodes[*n as usize].name.clone(),
        out::Step::Release(l) => format!("-{}", lease(*l)),
        out::Step::EndOfBlock(l) => format!("~{}", lease(*l)),
        out::Step::Branch(name) => format!("{name}["),
        out::Step::Arm(name) => format!("{name}|"),
        out::Step::Loop(l) => format!("{}{}(", l.name, l.number),
        out::Step::MayEnd => "?".to_owned(),
        out::Step::Join => "]".to_owned(),
        out::Step::Repeat => ")".to_owned(),
        out::Step::Exit(exit) => format!("{exit:?}"),
        out::Step::Host(h) => {
            format!("host({})", h.uses.iter().map(|u| lease(u.lease)).collect::<Vec<_>>().join(", "))
        }
    };
    data.with_plan(|p| p.steps.iter().map(tell).collect::<Vec<_>>().join(" "))
}

#[test]
fn the_example_of_the_documentation() {
    let data = judged(moe());
    assert_eq!(steps(&data), "attention dispatch shared_expert -x experts combine -gate host(out)");
    let names: Vec<_> = data.leases.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["w", "x", "h", "gate", "routed", "shared", "y", "out"]);
    let text = data.text();
    assert!(text.starts_with("moe_layer: 5 nodes on 2 streams, 3 waits, 7 leases\n"), "{text}");
    assert!(text.contains("takes h; reads gate; makes routed"), "{text}");
}

#[test]
fn what_nobody_uses_is_released_at_once() {
    let mut b = Body::new("c", &["s0"]);
    b.owned("x").on("s0", "f() -> y, z").mention("z").on("s0", "g()");
    assert_eq!(steps(&judged(b)), "-x f -y -z g");
}

#[test]
fn a_name_moved_out_of_in_part_lives_to_the_end() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.owned("x")
        .on("s0", "attn(&x) -> st")
        .on("s0", "pair() -> pr")
        .on("s1", "f(st.h) -> y")
        .on("s0", "g(&st.gate)");
    b.push_out("pr.a").on("s0", "h(&pr.b)").hand_out("y");
    let data = judged(b);
    assert_eq!(steps(&data), "attn -x pair f g host(pr.a) h host(y) ~pr ~st");
    let lease = |name| data.leases.iter().position(|l| l.name == name).expect("a lease");
    assert_eq!(data.leases[lease("st.h")].overlaps, [lease("st") as u16]);
    assert_eq!(data.leases[lease("st")].overlaps.len(), 2);
}

#[test]
fn what_the_tail_mentions_lives_to_the_end() {
    let mut b = Body::new("c", &["s0"]);
    b.on("s0", "f() -> y").mention("y").as_tail();
    assert_eq!(steps(&judged(b)), "f ~y");
}

#[test]
fn a_tail_node_yields_what_it_makes() {
    let mut b = Body::new("c", &["s0"]);
    b.owned("x").on("s0", "f(&x) -> y").as_tail();
    assert_eq!(steps(&judged(b)), "f -x host(y)");
}

#[test]
fn moved_lent_and_bound_by_the_host() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.owned("x")
        .on("s0", "f(&x) -> a, b")
        .moves("a, b", "saved")
        .call("layer(&saved, x) -> y")
        .on("s1", "g(&y)");
    b.on("s1", "k(&mut saved)").hand_out("y");
    assert_eq!(steps(&judged(b)), "f host(a, b) host(saved, x) g k -saved host(y)");
}

#[test]
fn the_constant_says_what_the_plan_says() {
    let tokens = judged(moe()).to_tokens(&quote::quote!(::streamlease::plan)).to_string().replace(' ', "");
    for part in [
        "use::streamlease::planasp;",
        "p::Lease{name:\"gate\",source:p::Source::Node(0),overlaps:&[]}",
        "p::Use{lease:1,mode:p::Mode::Read,by_ledger:true}",
        "p::Wait{node:3,reasons:&[p::Reason{lease:6,need:p::Need::Written}],carries:&[5]}",
        "p::Record{awaited:true,leaves:false,home:false}",
        "p::Step::Host(p::Host{uses:&[p::HostUse{lease:7,mode:p::HostMode::HandOut}],makes:&[]})",
    ] {
        assert!(tokens.contains(part), "{part}\n{tokens}");
    }
}

/// A random straight line: nodes and calls over names and their parts.
fn random(rng: &mut ChaCha8Rng, nodes: usize, streams: usize) -> Body {
    let names: Vec<String> = (0..streams).map(|s| format!("s{s}")).collect();
    let mut b = Body::new("random", &names.iter().map(String::as_str).collect::<Vec<_>>());
    b.shared("w").exclusive("e").owned("x");
    let mut live: Vec<(String, bool)> = vec![("x".into(), true), ("e".into(), false)];
    for n in 0..nodes {
        let mut args = vec!["&w".to_owned()];
        for _ in 0..rng.random_range(0..3) {
            let at = rng.random_range(0..live.len());
            let (name, owned) = live[at].clone();
            if args.iter().any(|a| a.contains(&name)) {
                continue;
            }
            let part = ["", "", ".a", ".b"][rng.random_range(0..4)];
            match rng.random_range(0..4) {
                0 => args.push(format!("&mut {name}{part}")),
                1 if owned && live.len() > 2 => {
                    live.swap_remove(at);
                    args.push(format!("{name}{part}"));
                }
                _ => args.push(format!("&{name}{part}")),
            }
        }
        let stream = &names[rng.random_range(0..streams)];
        match rng.random_range(0..10) {
            0 => b.call(&format!("c{n}({}) -> t{n}", args.join(", "))),
            _ => b.on(stream, &format!("n{n}({}) -> t{n}", args.join(", "))),
        };
        live.push((format!("t{n}"), true));
    }
    b
}

#[test]
fn the_judge_passes_random_chunks() {
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        judged(random(&mut rng, 24, 3));
    }
}

/// Without any one of its waits the judge must refuse a plan: none is there for nothing.
#[test]
fn the_judge_misses_each_wait() {
    for seed in 0..100 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let chunk = random(&mut rng, 16, 3).done();
        let mut data = planned(&chunk);
        for n in 0..data.nodes.len() {
            for w in 0..data.nodes[n].waits.len() {
                let wait = data.nodes[n].waits.remove(w);
                let passes = data.with_plan(|p| out::check::<4096, 4096>(p).is_ok());
                assert!(!passes, "seed {seed}: wait {w} of node {n} is not needed\n{}", data.text());
                data.nodes[n].waits.insert(w, wait);
            }
        }
    }
}

/// Prints the cost a node: `cargo test --release -p streamlease-macros cost_per_node -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn cost_per_node() {
    for nodes in [250, 500, 1000, 2000] {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let chunk = random(&mut rng, nodes, 4).done();
        let (mut best, mut tokens) = (u128::MAX, u128::MAX);
        for _ in 0..5 {
            let start = std::time::Instant::now();
            let data = planned(&chunk);
            best = best.min(start.elapsed().as_nanos());
            let start = std::time::Instant::now();
            std::hint::black_box(data.to_tokens(&quote::quote!(p)));
            tokens = tokens.min(start.elapsed().as_nanos());
        }
        let data = planned(&chunk);
        let count = |f: fn(&super::NodeData) -> usize| data.nodes.iter().map(f).sum::<usize>();
        let waits = count(|n| n.waits.len());
        let carries = count(|n| n.waits.iter().map(|w| w.carries.len()).sum());
        let overlaps: usize = data.leases.iter().map(|l| l.overlaps.len()).sum();
        println!(
            "{} leases, {waits} waits, {carries} carries, {overlaps} overlaps, {} bytes",
            data.leases.len(),
            data.to_tokens(&quote::quote!(p)).to_string().len()
        );
        let per = |t: u128| t / nodes as u128;
        println!(
            "{nodes} nodes: {} us, {} ns a node; tokens {} ns a node",
            best / 1000,
            per(best),
            per(tokens)
        );
    }
}

/// A call that lends a place is a use of it.
#[test]
fn a_lent_name_outlives_the_call() {
    let mut b = Body::new("c", &["s0"]);
    b.on("s0", "f() -> y").host(&[("y", HostMode::Lend)], &[], &[], true);
    assert_eq!(steps(&judged(b)), "f host(y) -y");
}
