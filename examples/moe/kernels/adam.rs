//! The optimiser.

/// Adam's settings for one step.
#[derive(Clone, Copy, Debug)]
pub struct Adam {
    /// Step size.
    pub rate: f32,
    /// Decay of the mean gradient.
    pub beta1: f32,
    /// Decay of the mean squared gradient.
    pub beta2: f32,
    /// Added to the root of the mean square.
    pub epsilon: f32,
    /// Number of this step, from 1.
    pub step: i32,
}

impl Adam {
    /// The usual decays, at step 1.
    pub fn new(rate: f32) -> Self {
        Adam { rate, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, step: 1 }
    }
}

/// One step of weight `w` along gradient `g`, with its running means `m` and `v`.
pub fn adam(a: Adam, w: &mut [f32], g: &[f32], m: &mut [f32], v: &mut [f32]) {
    let (fix1, fix2) = (1.0 - a.beta1.powi(a.step), 1.0 - a.beta2.powi(a.step));
    for (((w, g), m), v) in w.iter_mut().zip(g).zip(m).zip(v) {
        *m += (1.0 - a.beta1) * (g - *m);
        *v += (1.0 - a.beta2) * (g * g - *v);
        *w -= a.rate * (*m / fix1) / ((*v / fix2).sqrt() + a.epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_the_rate_against_the_sign() {
        let (mut w, mut m, mut v) = ([1.0, 1.0], [0.0; 2], [0.0; 2]);
        adam(Adam::new(0.1), &mut w, &[3.0, -0.02], &mut m, &mut v);
        assert!((w[0] - 0.9).abs() < 1e-5 && (w[1] - 1.1).abs() < 1e-5, "{w:?}");
    }

    #[test]
    fn it_finds_the_minimum_of_a_bowl() {
        let (mut w, mut m, mut v) = ([2.0], [0.0], [0.0]);
        for step in 1..500 {
            let g = [2.0 * (w[0] - 0.5)];
            adam(Adam { step, ..Adam::new(0.05) }, &mut w, &g, &mut m, &mut v);
        }
        assert!((w[0] - 0.5).abs() < 1e-2, "{w:?}");
    }
}
