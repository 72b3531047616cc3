//! What an idle worker does before it parks: it polls for some microseconds.

use super::pool::WorkerPool;
use crate::sync::{Ordering, give_core_away, looks};

/// How often an idle worker checks for work before it parks: some microseconds in all. After each round others may have its core.
const ROUNDS: u32 = 8;
const SPINS: u32 = 50;
/// How much work is worth taking at once by a worker that has none, and how often it looks whether it is there: some microseconds in all,
/// some tens where the processor's pause is long.
const ENOUGH: usize = 64;
const GATHER_LOOKS: u32 = 40;
const GATHER_SPINS: u32 = 25;

impl WorkerPool {
    /// Waits a little for something to be due. Others may have the core meanwhile, above all those who bring work.
    pub(super) fn linger(&self) {
        // Half of the threads at most, so that the others' cores are free.
        if self.searching.load(Ordering::SeqCst) > self.limit().div_ceil(2) {
            return;
        }
        for _ in 0..looks(ROUNDS) {
            for _ in 0..looks(SPINS) {
                if self.has_others() {
                    return self.gather();
                }
                std::hint::spin_loop();
            }
            give_core_away();
        }
    }

    /// Lets some work come together while it comes fast, for a worker that has nothing else to do: it would else meet whoever brings it
    /// at each piece.
    fn gather(&self) {
        let mut before = 0;
        for _ in 0..looks(GATHER_LOOKS) {
            let due = self.len.0.load(Ordering::SeqCst);
            if due == before || due >= ENOUGH {
                return;
            }
            before = due;
            // Each look takes the line away from those who bring work.
            (0..GATHER_SPINS).for_each(|_| std::hint::spin_loop());
        }
    }
}
