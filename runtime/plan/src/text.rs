//! The printed form of a plan: a table of the nodes, and lines for what a row has no room for.
//!
//! Everything shown is read off the plan; nothing is decided here. The few questions that the data does not answer
//! directly (whether memory comes home at once, what a stream asks for the first time) are in [`facts`].

mod facts;

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::{Exit, Host, HostMode, LeaseIx, Loop, Mode, Need, Node, NodeIx, Plan, Source, Step, Use};

impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owned = self.leases.iter().filter(|l| l.source.is_owned()).count();
        writeln!(
            f,
            "{}: {} on {}, {}, {}",
            self.chunk,
            count(self.nodes.len(), "node"),
            count(self.streams.len(), "stream"),
            count(self.nodes.iter().map(|n| n.waits.len()).sum(), "wait"),
            count(owned, "lease"),
        )?;
        table(f, &rows(self))?;
        for line in footer(self) {
            writeln!(f, "    {line}")?;
        }
        Ok(())
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// One line of the table: of a node with its five cells, or of the host.
enum Row {
    Node([String; 5]),
    Host(String),
}

/// Writes the table, each column as wide as its widest cell.
fn table(f: &mut fmt::Formatter<'_>, rows: &[Row]) -> fmt::Result {
    let head = ["#", "stream", "node", "waits for", "leases"];
    let mut width = head.map(str::len);
    for row in rows {
        if let Row::Node(cells) = row {
            for (w, cell) in width.iter_mut().zip(cells) {
                *w = (*w).max(cell.chars().count());
            }
        }
    }
    let [w0, w1, w2, w3, _] = width;
    let mut line = |[ix, stream, node, waits, leases]: [&str; 5]| {
        let line = format!(" {ix:>w0$}  {stream:w1$}  {node:w2$}  {waits:w3$}   {leases}");
        writeln!(f, "{}", line.trim_end())
    };
    line(head)?;
    for row in rows {
        match row {
            Row::Node(cells) => line(cells.each_ref().map(String::as_str))?,
            Row::Host(what) => line(["", "host", what, "", ""])?,
        }
    }
    Ok(())
}

/// The rows in host order. What is freed behind a node stands in its row; what is in a branch or loop is indented.
fn rows(plan: &Plan<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let repeated = facts::repeated(plan);
    let (mut depth, mut i) = (0, 0);
    while i < plan.steps.len() {
        let at = i;
        let (freed, next) = freed_behind(plan, at + 1);
        i = next;
        let mut host = |depth: usize, what: &str| rows.push(Row::Host(indent(depth) + what));
        match &plan.steps[at] {
            Step::Node(n) => {
                let mut cells = node_row(plan, &repeated, *n, at, &freed);
                cells[2].insert_str(0, &indent(depth));
                rows.push(Row::Node(cells));
                continue;
            }
            Step::Host(step) => {
                let mut parts = host_text(plan, step);
                part(&mut parts, "frees", &names(plan, freed), "");
                if !parts.is_empty() {
                    host(depth, &parts.join("; "));
                }
                continue;
            }
            Step::Release(l) => {
                host(depth, &format!("frees {}", names(plan, core::iter::once(*l).chain(freed))));
                continue;
            }
            Step::Branch(name) | Step::Loop(Loop { name, .. }) => {
                host(depth, name);
                depth += 1;
            }
            Step::Arm(name) => host(depth.saturating_sub(1), name),
            Step::Join | Step::Repeat => depth = depth.saturating_sub(1),
            Step::Exit(Exit::Break(_)) => host(depth, "break"),
            Step::Exit(Exit::Continue(_)) => host(depth, "continue"),
            Step::Exit(Exit::Return) => host(depth, "return"),
            Step::EndOfBlock(_) | Step::MayEnd => {}
        }
        // At the start of an arm, or where paths meet.
        if !freed.is_empty() {
            host(depth, &format!("frees {}", names(plan, freed)));
        }
    }
    rows
}

/// What is released from a step on, and the step behind that. Host statements that show no row do not part a node
/// from what is freed behind it.
fn freed_behind(plan: &Plan<'_>, from: usize) -> (Vec<LeaseIx>, usize) {
    let (mut freed, mut next) = (Vec::new(), from);
    for (at, step) in plan.steps.iter().enumerate().skip(from) {
        match step {
            Step::Release(l) => {
                freed.push(*l);
                next = at + 1;
            }
            Step::EndOfBlock(_) => next = at + 1,
            Step::Host(host) if host_text(plan, host).is_empty() => {}
            _ => break,
        }
    }
    (freed, next)
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Names of leases, `a, b`.
fn names(plan: &Plan<'_>, leases: impl IntoIterator<Item = LeaseIx>) -> String {
    let names: Vec<&str> = leases.into_iter().map(|l| plan.leases[l as usize].name).collect();
    names.join(", ")
}

/// What the table calls a node: its name, with its number where the name occurs again.
fn node_name(plan: &Plan<'_>, repeated: &[bool], n: NodeIx) -> String {
    let name = plan.nodes[n as usize].name;
    if repeated[n as usize] { format!("{name} #{n}") } else { String::from(name) }
}

/// Adds `verb a, b` to the parts of a cell, unless there is nothing to say.
fn part(parts: &mut Vec<String>, verb: &str, names: &str, tail: &str) {
    if !names.is_empty() {
        parts.push(format!("{verb} {names}{tail}"));
    }
}

fn node_row(plan: &Plan<'_>, repeated: &[bool], n: NodeIx, step: usize, freed: &[LeaseIx]) -> [String; 5] {
    let node = &plan.nodes[n as usize];
    let stream = plan.streams[node.stream as usize];
    let mut waits = Vec::new();
    let awaited: Vec<String> = node.waits.iter().map(|w| node_name(plan, repeated, w.node)).collect();
    if !awaited.is_empty() {
        waits.push(awaited.join(", "));
    }
    let asked = node.uses.iter().filter(|u| facts::asks_first(plan, step, node, u)).map(|u| u.lease);
    part(&mut waits, "by ledger:", &names(plan, asked), "");

    let mut leases = Vec::new();
    let used = |mode| names(plan, node.uses.iter().filter(|u| u.mode == mode).map(|u| u.lease));
    part(&mut leases, "takes", &used(Mode::Consume), "");
    part(&mut leases, "reads", &used(Mode::Read), "");
    part(&mut leases, "writes", &used(Mode::Write), "");
    part(&mut leases, "frees", &names(plan, freed.iter().copied()), &format!(" for {stream}"));
    part(&mut leases, "makes", &names(plan, node.makes.iter().copied()), "");
    part(&mut leases, "renews", &names(plan, node.renews.iter().copied()), "");
    let mut leases = leases.join("; ");
    if let Some(advice) = advice(plan, repeated, node) {
        leases.push_str(&format!("  <- {advice}"));
    }
    [format!("{n}"), String::from(stream), String::from(node.name), waits.join("; "), leases]
}

/// How to be rid of waits that exist only because a tensor is taken while another stream reads it.
fn advice(plan: &Plan<'_>, repeated: &[bool], node: &Node<'_>) -> Option<String> {
    let mut said = Vec::new();
    for wait in node.waits {
        let taken = wait.reasons.iter().all(|r| r.need == Need::TakenWhileRead);
        if wait.reasons.is_empty() || !taken || !wait.carries.is_empty() {
            continue;
        }
        let lent: Vec<String> =
            wait.reasons.iter().map(|r| format!("`&{}`", plan.leases[r.lease as usize].name)).collect();
        let taken: Vec<String> =
            wait.reasons.iter().map(|r| format!("`{}`", plan.leases[r.lease as usize].name)).collect();
        said.push(format!(
            "only because `{}` takes {} while `{}` reads {}; {} drop{} this wait",
            node.name,
            taken.join(", "),
            node_name(plan, repeated, wait.node),
            if taken.len() == 1 { "it" } else { "them" },
            lent.join(", "),
            if lent.len() == 1 { "s" } else { "" },
        ));
    }
    if said.is_empty() { None } else { Some(said.join("; ")) }
}

/// What a host statement does, unless it only hands things out.
fn host_text(plan: &Plan<'_>, host: &Host<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let lent: Vec<String> = host
        .uses
        .iter()
        .filter_map(|u| match u.mode {
            HostMode::Lend => Some(String::from(plan.leases[u.lease as usize].name)),
            HostMode::LendMut => Some(format!("&mut {}", plan.leases[u.lease as usize].name)),
            HostMode::Move | HostMode::HandOut => None,
        })
        .collect();
    part(&mut parts, "lends", &lent.join(", "), "");
    let moved = host.uses.iter().filter(|u| u.mode == HostMode::Move).map(|u| u.lease);
    part(&mut parts, "moves", &names(plan, moved), "");
    part(&mut parts, "makes", &names(plan, host.makes.iter().copied()), "");
    parts
}

/// The lines below the table.
fn footer(plan: &Plan<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let out = handed_out(plan);
    if !out.is_empty() {
        lines.push(format!("hands out: {out}"));
    }
    for (made, ends, leases) in facts::home_later(plan) {
        let one = leases.len() == 1;
        lines.push(format!(
            "home later: {} {} made on {} and end{} on {}",
            names(plan, leases),
            if one { "was" } else { "were" },
            plan.streams[made as usize],
            if one { "s" } else { "" },
            plan.streams[ends as usize],
        ));
    }
    for step in plan.steps {
        if let Step::EndOfBlock(l) = step {
            let line = format!(
                "rest of `{}` lives to the end of its block; destructure it to free sooner",
                plan.leases[*l as usize].name
            );
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// What leaves the chunk, by the stream that wrote it last: `a, b, last on comm; u`.
fn handed_out(plan: &Plan<'_>) -> String {
    let mut groups: Vec<(Option<u8>, Vec<LeaseIx>)> = vec![];
    for step in plan.steps {
        let Step::Host(host) = step else { continue };
        for used in host.uses.iter().filter(|u| u.mode == HostMode::HandOut) {
            let last = facts::last_writer(plan, used.lease).map(|n| plan.nodes[n as usize].stream);
            match groups.iter_mut().find(|(stream, _)| *stream == last) {
                Some((_, leases)) => leases.push(used.lease),
                None => groups.push((last, vec![used.lease])),
            }
        }
    }
    let groups: Vec<String> = groups
        .into_iter()
        .map(|(stream, leases)| match stream {
            Some(s) => format!("{}, last on {}", names(plan, leases), plan.streams[s as usize]),
            None => names(plan, leases),
        })
        .collect();
    groups.join("; ")
}

impl Plan<'_> {
    /// Every wait with its reasons in words, a line each.
    pub fn waits_explained(&self) -> impl fmt::Display {
        WaitsExplained(self)
    }
}

struct WaitsExplained<'p>(&'p Plan<'p>);

impl fmt::Display for WaitsExplained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plan, repeated) = (self.0, facts::repeated(self.0));
        for (n, node) in (0..).zip(plan.nodes) {
            for wait in node.waits {
                let (later, earlier) = (node_name(plan, &repeated, n), node_name(plan, &repeated, wait.node));
                let reasons: Vec<String> = wait
                    .reasons
                    .iter()
                    .map(|r| {
                        let name = plan.leases[r.lease as usize].name;
                        match r.need {
                            Need::Written => format!("it needs `{name}` as `{earlier}` left it"),
                            Need::WriteAfterRead => format!("it writes `{name}`, which `{earlier}` reads"),
                            Need::WriteAfterWrite => format!("it writes `{name}`, which `{earlier}` wrote"),
                            Need::TakenWhileRead => format!("it takes `{name}`, which `{earlier}` reads"),
                        }
                    })
                    .collect();
                write!(f, "{later} waits for {earlier}: {}", reasons.join("; "))?;
                if !wait.carries.is_empty() {
                    let carried = names(plan, wait.carries.iter().copied());
                    write!(f, "; later nodes rely on it for {carried}")?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
