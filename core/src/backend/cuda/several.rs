//! Waits for any of several marks: the calling thread polls them all, so that none is woken late by another one.

use super::context::Cuda;
use super::pauses::{IDLE, Pauses};
use crate::backend::{Backend, Mark};
use crate::collect::try_collect;
use crate::error::Result;
use crate::process;
use crate::workers::asleep;
use std::time::Instant;

/// What stands for the marks together among a thread's habits: the waits for one of them alone are others.
fn key(marks: &[Mark]) -> u64 {
    marks.iter().fold(0, |key: u64, mark| key.rotate_left(5) ^ mark.0[0])
}

impl Cuda {
    /// Blocks until one of the marks is reached, or until the deadline; returns whether one is.
    pub(super) fn block_any(
        &'static self,
        marks: &mut dyn Iterator<Item = Mark>,
        spin: bool,
        deadline: Option<Instant>,
    ) -> Result<bool> {
        let marks = try_collect(marks.map(Ok))?;
        asleep(deadline, || self.poll_any(&marks, spin, deadline))
    }

    fn poll_any(&'static self, marks: &[Mark], spin: bool, deadline: Option<Instant>) -> Result<bool> {
        let mut pauses = Pauses::new(key(marks), spin);
        loop {
            process::check()?;
            let start = Instant::now();
            for mark in marks {
                if (&self).reached(*mark)? {
                    pauses.end();
                    return Ok(true);
                }
            }
            if !pauses.pause(start.elapsed() * IDLE, deadline) {
                return Ok(false);
            }
        }
    }
}
