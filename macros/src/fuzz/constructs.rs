//! Not compiled: every construct of control flow, for mutants.

#[model_chunk(streams(a, b), reuse_lag = 2)]
fn everything(cx: &Cx<'_>, w: &Weights, s: &mut Scratch, x: T, mut list: Vec<T>, mask: Option<&T>, p: bool, n: usize) -> Result<T> {
    #[on(a)]
    let mut h = f(cx, &x)?;
    #[on(b, uses(&h))]
    let (y, z) = launch!(h, |k| k + n)?;
    let kept;
    if p && n > 2 {
        #[on(b)]
        s.a.b = take(cx, y)?;
        kept = z;
    } else if let Some(m) = mask && m.len() > n {
        #[on(a)]
        fill(cx, &mut h, m)?;
        kept = y;
    } else {
        return Err(Error::new("no"));
    }
    'out: for (i, l) in w.layers.iter().enumerate().zip(list.iter_mut()) {
        match l.kind {
            Kind::One(ref k) if k.len() == i => continue 'out,
            Kind::Two { k, .. } | Kind::Three(k) => {
                #[on(a)]
                h = add(cx, &h, k)?;
            }
            _ => break,
        }
        let Some(bias) = &l.bias else { continue };
        while h.len() < n {
            #[on(b)]
            h += grow(cx, &h, bias)?;
        }
        let chosen = if p { &h } else { bias };
        #[on(a)]
        {
            let v = cx.view(chosen)?;
            unsafe { launch(cx, v, cx.view_mut(&mut s.out)?)? };
        }
    }
    loop {
        let Some(last) = list.pop() else { break };
        std::mem::swap(&mut s.a, &mut s.b);
        #[on(b)]
        let _ = scale(cx, last, n as f32 * 2.0)?;
        inner(cx, &h, &mut s.c)?;
    }
    println!("{n} {}", h.len());
    let m = cx.read(&kept)?.wait()?;
    #[on(b)]
    mix(cx, h, &kept, m[0])
}

#[model_chunk(streams(compute, comm))]
impl<T: Element, const N: usize> Model<T> {
    pub fn forward(&self, cx: &Cx<'_>, x: &Buffer<T>) -> anyhow::Result<Buffer<T>> {
        let Self { a, b, .. } = self;
        #[on(comm)]
        let sent = self.send(cx, x, a)?;
        let total: usize = self.layers.iter().map(|l| l.len()).sum();
        #[on(compute)]
        let out = b.apply(cx, sent, total)?;
        Ok(out)
    }

    fn step(&mut self, cx: &Cx<'_>, (x, n): (Buffer<T>, usize), [r, s]: [&Buffer<T>; 2]) -> Result<()> {
        self.count += n;
        #[on(compute)]
        self.state.add(cx, &x, r)?;
        #[on(comm)]
        for k in 0..n {
            self.cache[k].write(cx, &x, s)?;
        }
        self.history.push(x);
        Ok(())
    }
}
