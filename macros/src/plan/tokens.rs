//! A plan as a constant expression.
//!
//! The expression is a block that imports the plan's types under one short name, so that it reads as data in
//! `cargo expand`: `{ use ::streamlease::plan as p; &p::Plan { .. } }`.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use streamlease_plan as out;

use super::{LeaseData, NodeData, PlanData, StepData, WaitData};

impl PlanData {
    /// The constant; `path` leads to the module of the plan's types, e.g. `::streamlease::plan`.
    pub(crate) fn to_tokens(&self, path: &TokenStream) -> TokenStream {
        let PlanData { chunk, streams, leases, nodes, steps, .. } = self;
        let leases = leases.iter().map(lease);
        let nodes = nodes.iter().map(node);
        let steps = steps.iter().map(step);
        quote! {{
            use #path as p;
            &p::Plan {
                chunk: #chunk,
                streams: &[#(#streams),*],
                leases: &[#(#leases),*],
                nodes: &[#(#nodes),*],
                steps: &[#(#steps),*],
            }
        }}
    }
}

fn num(n: impl Into<usize>) -> Literal {
    Literal::usize_unsuffixed(n.into())
}

fn nums(all: &[u16]) -> TokenStream {
    let all = all.iter().map(|&n| num(n));
    quote!(&[#(#all),*])
}

/// The variant of a fieldless enum, whose `Debug` form is its name.
fn variant(value: impl std::fmt::Debug) -> proc_macro2::Ident {
    format_ident!("{}", format!("{value:?}"))
}

fn lease(lease: &LeaseData) -> TokenStream {
    let LeaseData { name, source, overlaps } = lease;
    let overlaps = nums(overlaps);
    let source = match source {
        out::Source::Node(n) => {
            let n = num(*n);
            quote!(Node(#n))
        }
        other => {
            let other = variant(other);
            quote!(#other)
        }
    };
    quote!(p::Lease { name: #name, source: p::Source::#source, overlaps: #overlaps })
}

fn node(node: &NodeData) -> TokenStream {
    let NodeData { name, stream, uses, makes, waits, record } = node;
    let (stream, makes) = (num(*stream), nums(makes));
    let uses = uses.iter().map(|&out::Use { lease, mode, by_ledger }| {
        let (lease, mode) = (num(lease), variant(mode));
        quote!(p::Use { lease: #lease, mode: p::Mode::#mode, by_ledger: #by_ledger })
    });
    let waits = waits.iter().map(wait);
    let record = if record.any() {
        let out::Record { awaited, leaves, home } = record;
        quote!(p::Record { awaited: #awaited, leaves: #leaves, home: #home })
    } else {
        quote!(p::Record::NONE)
    };
    quote! {
        p::Node {
            name: #name,
            stream: #stream,
            uses: &[#(#uses),*],
            makes: #makes,
            waits: &[#(#waits),*],
            record: #record,
        }
    }
}

fn wait(wait: &WaitData) -> TokenStream {
    let (node, carries) = (num(wait.node), nums(&wait.carries));
    let reasons = wait.reasons.iter().map(|&out::Reason { lease, need }| {
        let (lease, need) = (num(lease), variant(need));
        quote!(p::Reason { lease: #lease, need: p::Need::#need })
    });
    quote!(p::Wait { node: #node, reasons: &[#(#reasons),*], carries: #carries })
}

fn step(step: &StepData) -> TokenStream {
    match step {
        StepData::Node(n) => {
            let n = num(*n);
            quote!(p::Step::Node(#n))
        }
        StepData::Release(l) => {
            let l = num(*l);
            quote!(p::Step::Release(#l))
        }
        StepData::EndOfBlock(l) => {
            let l = num(*l);
            quote!(p::Step::EndOfBlock(#l))
        }
        StepData::Host(uses, makes) => {
            let makes = nums(makes);
            let uses = uses.iter().map(|&out::HostUse { lease, mode }| {
                let (lease, mode) = (num(lease), variant(mode));
                quote!(p::HostUse { lease: #lease, mode: p::HostMode::#mode })
            });
            quote!(p::Step::Host(p::Host { uses: &[#(#uses),*], makes: #makes }))
        }
    }
}
