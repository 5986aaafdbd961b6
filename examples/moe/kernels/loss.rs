//! Cross-entropy over the vocabulary.

/// In place: `logits [N, V]` become probabilities. `loss [1]` is the mean of `-ln p(target)`, in nats.
pub fn cross_entropy(vocab: usize, logits: &mut [f32], targets: &[u32], loss: &mut [f32]) {
    let mut sum = 0.0f64;
    for (row, target) in logits.chunks_exact_mut(vocab).zip(targets) {
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let shifted = row[*target as usize] - max;
        let mut total = 0.0;
        for x in row.iter_mut() {
            *x = (*x - max).exp();
            total += *x;
        }
        row.iter_mut().for_each(|x| *x /= total);
        sum += f64::from(total.ln() - shifted);
    }
    loss[0] = (sum / targets.len() as f64) as f32;
}

/// In place: the probabilities of [`cross_entropy`] become the gradient of its logits.
pub fn cross_entropy_backward(vocab: usize, probs: &mut [f32], targets: &[u32]) {
    let each = 1.0 / targets.len() as f32;
    for (row, target) in probs.chunks_exact_mut(vocab).zip(targets) {
        row[*target as usize] -= 1.0;
        row.iter_mut().for_each(|x| *x *= each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, random};

    #[test]
    fn gradient() {
        let (logits, targets) = (random(3 * 5, 1), [4, 0, 2]);
        let forward = |logits: &[f32]| {
            let (mut probs, mut loss) = (logits.to_vec(), [f32::NAN]);
            cross_entropy(5, &mut probs, &targets, &mut loss);
            (probs, loss[0])
        };
        let mut grad = forward(&logits).0;
        cross_entropy_backward(5, &mut grad, &targets);
        assert_gradient("logits", &logits, &grad, |logits| f64::from(forward(logits).1));
    }

    #[test]
    fn equal_logits_cost_the_logarithm_of_the_vocabulary() {
        let (mut logits, mut loss) = ([0.5; 12], [0.0]);
        cross_entropy(6, &mut logits, &[1, 5], &mut loss);
        assert!((loss[0] - 6f32.ln()).abs() < 1e-6);
    }
}
