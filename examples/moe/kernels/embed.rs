//! Token and position embeddings.

use super::add;

/// `x [N, D]`: the row of each token's id in `tokens [V, D]` plus that of its place in `positions [T, D]`.
pub fn embed(width: usize, ids: &[u32], tokens: &[f32], positions: &[f32], x: &mut [f32]) {
    let places = positions.chunks_exact(width).cycle();
    for ((x, id), place) in x.chunks_exact_mut(width).zip(ids).zip(places) {
        x.copy_from_slice(&tokens[*id as usize * width..][..width]);
        add(x, place);
    }
}

/// Sets `dtokens [V, D]` and `dpositions [T, D]` from `dx [N, D]`.
pub fn embed_backward(width: usize, ids: &[u32], dx: &[f32], dtokens: &mut [f32], dpositions: &mut [f32]) {
    dtokens.fill(0.0);
    dpositions.fill(0.0);
    for (dx, id) in dx.chunks_exact(width).zip(ids) {
        add(&mut dtokens[*id as usize * width..][..width], dx);
    }
    for sequence in dx.chunks_exact(dpositions.len()) {
        add(dpositions, sequence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    #[test]
    fn gradients() {
        let (width, ids) = (4, [2, 0, 2, 1, 1, 1]);
        let (tokens, positions, r) = (random(4 * width, 1), random(3 * width, 2), random(6 * width, 3));
        let forward = |tokens: &[f32], positions: &[f32]| {
            let mut x = vec![f32::NAN; r.len()];
            embed(width, &ids, tokens, positions, &mut x);
            dot(&x, &r)
        };
        let (mut dtokens, mut dpositions) = (vec![f32::NAN; tokens.len()], vec![f32::NAN; positions.len()]);
        embed_backward(width, &ids, &r, &mut dtokens, &mut dpositions);
        assert_gradient("tokens", &tokens, &dtokens, |tokens| forward(tokens, &positions));
        assert_gradient("positions", &positions, &dpositions, |positions| forward(&tokens, positions));
    }
}
