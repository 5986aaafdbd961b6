//! Choosing experts, and laying out the tokens of each expert side by side.
//!
//! Every token goes to exactly [`TOP_K`] experts, so `N K` rows hold all tokens however unevenly they are spread:
//! nothing is dropped, no size depends on the data, and the host never has to look.

/// Experts of a token.
pub const TOP_K: usize = 2;

/// The [`TOP_K`] likeliest experts of each token and their weights, which sum to one.
///
/// `logits [N, E]`; `choice, gate [N, K]`. The softmax over all experts, renormalised over the chosen ones, is the
/// softmax over the chosen ones alone; that is what is computed. Ties go to the expert with the lower number.
pub fn route(experts: usize, logits: &[f32], choice: &mut [u32], gate: &mut [f32]) {
    let rows =
        logits.chunks_exact(experts).zip(choice.chunks_exact_mut(TOP_K)).zip(gate.chunks_exact_mut(TOP_K));
    for ((logits, choice), gate) in rows {
        let [first, second] = top_two(logits);
        choice.copy_from_slice(&[first as u32, second as u32]);
        let odds = (logits[second] - logits[first]).exp();
        gate.copy_from_slice(&[1.0 / (1.0 + odds), odds / (1.0 + odds)]);
    }
}

fn top_two(logits: &[f32]) -> [usize; TOP_K] {
    let mut best = if logits[1] > logits[0] { [1, 0] } else { [0, 1] };
    for (i, x) in logits.iter().enumerate().skip(2) {
        if *x > logits[best[0]] {
            best = [i, best[0]];
        } else if *x > logits[best[1]] {
            best[1] = i;
        }
    }
    best
}

/// `dlogits [N, E]` from `dgate [N, K]`; experts that were not chosen get zero.
pub fn route_backward(experts: usize, choice: &[u32], gate: &[f32], dgate: &[f32], dlogits: &mut [f32]) {
    let chosen = choice.chunks_exact(TOP_K).zip(gate.chunks_exact(TOP_K)).zip(dgate.chunks_exact(TOP_K));
    for (((choice, gate), dgate), dlogits) in chosen.zip(dlogits.chunks_exact_mut(experts)) {
        dlogits.fill(0.0);
        let mean: f32 = gate.iter().zip(dgate).map(|(g, d)| g * d).sum();
        for ((expert, g), d) in choice.iter().zip(gate).zip(dgate) {
            dlogits[*expert as usize] = g * (d - mean);
        }
    }
}

/// Sorts the `N K` choices by expert, stably.
///
/// `slot [N, K]` is the row of each choice among the sorted ones; expert `e` has rows
/// `offsets[e]..offsets[e + 1]` of them (`offsets [E + 1]`).
pub fn assign(choice: &[u32], offsets: &mut [u32], slot: &mut [u32]) {
    offsets.fill(0);
    for expert in choice {
        offsets[*expert as usize + 1] += 1;
    }
    for e in 1..offsets.len() {
        offsets[e] += offsets[e - 1];
    }
    // Each start moves up as its expert's rows are handed out, to the next expert's start in the end.
    for (slot, expert) in slot.iter_mut().zip(choice) {
        let next = &mut offsets[*expert as usize];
        *slot = *next;
        *next += 1;
    }
    offsets.rotate_right(1);
    offsets[0] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    fn forward(logits: &[f32]) -> (Vec<u32>, Vec<f32>) {
        let rows = logits.len() / 4;
        let (mut choice, mut gate) = (vec![9; rows * TOP_K], vec![f32::NAN; rows * TOP_K]);
        route(4, logits, &mut choice, &mut gate);
        (choice, gate)
    }

    #[test]
    fn gate_gradient() {
        let (logits, r) = (random(6 * 4, 1), random(6 * TOP_K, 2));
        let (choice, gate) = forward(&logits);
        let mut dlogits = vec![f32::NAN; logits.len()];
        route_backward(4, &choice, &gate, &r, &mut dlogits);
        assert_gradient("logits", &logits, &dlogits, |logits| dot(&forward(logits).1, &r));
    }

    #[test]
    fn the_two_likeliest_are_chosen_with_renormalised_weights() {
        let logits = [0.1, 2.0, 1.0, -1.0, 0.0, 0.0, 0.0, 5.0];
        let (choice, gate) = forward(&logits);
        assert_eq!(choice, [1, 2, 3, 0]);
        let p: Vec<f32> = logits[..4].iter().map(|x| x.exp()).collect();
        assert!((gate[0] - p[1] / (p[1] + p[2])).abs() < 1e-6);
        assert!((gate[0] + gate[1] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn slots_are_sorted_by_expert_and_stable() {
        let choice = [2, 0, 0, 2, 3, 2];
        let (mut offsets, mut slot) = ([7; 5], [7; 6]);
        assign(&choice, &mut offsets, &mut slot);
        assert_eq!(offsets, [0, 2, 2, 5, 6]);
        assert_eq!(slot, [2, 0, 1, 3, 5, 4]);
    }
}
