//! Event records in captures.

use super::{Capture, of};
use crate::code::{Code, Result};
use crate::graph::Number;
use crate::stream::Stream;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An event record in a capture: its dependencies.
pub(crate) struct CapturedRecord {
    pub(crate) capture: Arc<Capture>,
    pub(super) behind: BTreeSet<Number>,
}

impl CapturedRecord {
    /// Returns the error of calls that need a real record: 907, or INVALID_VALUE if the capture is invalid. The call invalidates it.
    pub(crate) fn refuse(&self) -> Code {
        if self.capture.is_invalid() {
            return Code::INVALID_VALUE;
        }
        if !self.capture.over.load(Ordering::Acquire) {
            self.capture.invalidate();
        }
        Code::CAPTURED_EVENT
    }

    /// Makes the stream wait for the record. The stream joins the capture.
    pub(crate) fn wait(&self, stream: &'static Stream) -> Result {
        if self.capture.is_invalid() || self.capture.over.load(Ordering::Acquire) {
            return Err(self.refuse());
        }
        match of(stream) {
            None => self.capture.join(stream, self.behind.clone()),
            Some(own) if Arc::ptr_eq(&own, &self.capture) => {
                let mut inner = own.inner.lock();
                let known = inner.streams.iter_mut().find(|(known, _)| std::ptr::eq(*known, stream));
                known.ok_or(Code::UNKNOWN)?.1.extend(&self.behind);
                Ok(())
            }
            Some(own) => {
                own.check()?;
                own.invalidate();
                self.capture.invalidate();
                Err(Code::STREAM_CAPTURE_MERGE)
            }
        }
    }
}
