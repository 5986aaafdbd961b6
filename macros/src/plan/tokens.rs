//! A plan as a constant expression.
//!
//! The expression is a block that imports the plan's types under one short name, so that it reads as data in
//! `cargo expand`: `{ use ::streamlease::plan as p; &p::Plan { .. } }`. It is written as text and read once:
//! inside rustc, expansion of a thousand nodes takes about a tenth less so than with the plan in quoted pieces.

use std::fmt::{self, Debug, Display, Formatter};

use proc_macro2::TokenStream;
use quote::quote;
use streamlease_plan as out;

use super::{LeaseData, NodeData, PlanData, StepData, WaitData};

impl PlanData {
    /// The constant; `path` leads to the module of the plan's types, e.g. `::streamlease::plan`.
    pub(crate) fn to_tokens(&self, path: &TokenStream) -> TokenStream {
        let text = Const(self).to_string();
        let plan: TokenStream = text.parse().expect("numbers, names of types and escaped strings are tokens");
        quote! {{
            use #path as p;
            #plan
        }}
    }
}

/// Displays as the Rust expression for the value.
struct Const<T>(T);

/// Displays as a borrowed array of what its parts display as.
struct Array<'a, T>(&'a [T]);

impl<'a, T> Display for Array<'a, T>
where
    Const<&'a T>: Display,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("&[")?;
        for (i, part) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            Display::fmt(&Const(part), f)?;
        }
        f.write_str("]")
    }
}

impl Display for Const<&PlanData> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let PlanData { chunk, streams, leases, nodes, steps, .. } = self.0;
        let (leases, nodes, steps) = (Array(leases), Array(nodes), Array(steps));
        write!(f, "&p::Plan {{ chunk: {chunk:?}, streams: {}, leases: {leases}, ", Array(streams))?;
        write!(f, "nodes: {nodes}, steps: {steps} }}")
    }
}

impl Display for Const<&u16> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self.0, f)
    }
}

impl Display for Const<&String> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.0, f)
    }
}

impl Display for Const<&LeaseData> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let LeaseData { name, source, overlaps } = self.0;
        let overlaps = Array(overlaps);
        write!(f, "p::Lease {{ name: {name:?}, source: p::Source::{source:?}, overlaps: {overlaps} }}")
    }
}

impl Display for Const<&NodeData> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let NodeData { name, stream, uses, makes, renews, waits, record } = self.0;
        let (uses, makes, renews, waits) = (Array(uses), Array(makes), Array(renews), Array(waits));
        write!(
            f,
            "p::Node {{ name: {name:?}, stream: {stream}, uses: {uses}, makes: {makes}, renews: {renews}, \
             waits: {waits}, "
        )?;
        if record.any() {
            write!(f, "record: p::{record:?} }}")
        } else {
            f.write_str("record: p::Record::NONE }")
        }
    }
}

impl Display for Const<&out::Use> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let out::Use { lease, mode, by_ledger } = self.0;
        write!(f, "p::Use {{ lease: {lease}, mode: p::Mode::{mode:?}, by_ledger: {by_ledger} }}")
    }
}

impl Display for Const<&WaitData> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let WaitData { node, reasons, carries } = self.0;
        write!(f, "p::Wait {{ node: {node}, reasons: {}, carries: {} }}", Array(reasons), Array(carries))
    }
}

impl Display for Const<&out::Reason> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let out::Reason { lease, need } = self.0;
        write!(f, "p::Reason {{ lease: {lease}, need: p::Need::{need:?} }}")
    }
}

impl Display for Const<&StepData> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            StepData::Node(n) => write!(f, "p::Step::Node({n})"),
            StepData::Release(l) => write!(f, "p::Step::Release({l})"),
            StepData::EndOfBlock(l) => write!(f, "p::Step::EndOfBlock({l})"),
            StepData::Branch(name) => write!(f, "p::Step::Branch({name:?})"),
            StepData::Arm(name) => write!(f, "p::Step::Arm({name:?})"),
            StepData::Join => f.write_str("p::Step::Join"),
            StepData::Loop(name, number) => {
                write!(f, "p::Step::Loop(p::Loop {{ name: {name:?}, number: {number} }})")
            }
            StepData::MayEnd => f.write_str("p::Step::MayEnd"),
            StepData::Repeat => f.write_str("p::Step::Repeat"),
            StepData::Exit(out::Exit::Return) => f.write_str("p::Step::Exit(p::Exit::Return)"),
            StepData::Exit(exit) => write!(f, "p::Step::Exit(p::Exit::{exit:?})"),
            StepData::Host(uses, makes) => {
                write!(f, "p::Step::Host(p::Host {{ uses: {}, makes: {} }})", Array(uses), Array(makes))
            }
        }
    }
}

impl Display for Const<&out::HostUse> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let out::HostUse { lease, mode } = self.0;
        write!(f, "p::HostUse {{ lease: {lease}, mode: p::HostMode::{mode:?} }}")
    }
}
