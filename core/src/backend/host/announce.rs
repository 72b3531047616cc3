//! What is announced of streams to a sanitizer of the program's data races. Each stream has two names: one for what it was given,
//! and one for what it has done.

use super::device::HostDevice;
use super::point::Point;
use super::stream::{HostStream, Role};
use crate::backend::Cell;
use crate::probe::{acquire_name, release, release_name};
use crate::process;

/// How far behind a stream's address the name is of what was given to it.
const GIVEN: usize = 8;

impl HostStream {
    fn name(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Announces that the calling thread is about to give the stream work.
    #[inline]
    pub(super) fn announce_given(&self) {
        if process::is_sanitized() {
            release_name(self.name() + GIVEN);
        }
    }

    /// Announces that the calling thread does the stream's next piece of work.
    #[inline]
    pub(super) fn announce_begun(&'static self) {
        if process::is_sanitized() {
            acquire_name(self.name() + GIVEN);
            self.announce_order();
        }
    }

    /// Announces that the stream has done a piece of work.
    #[inline]
    pub(super) fn announce_done(&'static self) {
        if process::is_sanitized() {
            release_name(self.name());
            release_name(self.device().name_of_all());
            if matches!(self.role(), Role::Blocking) {
                release_name(self.device().name_of_blocking());
            }
        }
    }

    /// The calling thread records an event on the stream, which has nothing to do: that is a piece of work, too.
    #[inline]
    pub(super) fn announce_record(&'static self, cell: &Cell) {
        if process::is_sanitized() {
            self.announce_order();
            self.announce_done();
            release(cell);
        }
    }

    /// Announces that the calling thread has seen the stream idle.
    #[inline]
    pub(super) fn announce_idle(&'static self) {
        if process::is_sanitized() {
            self.announce_order();
        }
    }

    /// What comes before the stream's next piece of work: the ones before it, and what the default stream's order says.
    fn announce_order(&'static self) {
        acquire_name(self.name());
        match self.role() {
            Role::Default => acquire_name(self.device().name_of_blocking()),
            Role::Blocking => {
                if let Some(default) = self.device().default_if_made() {
                    acquire_name(default.name());
                }
            }
            Role::NonBlocking => {}
        }
    }
}

impl Point {
    /// Announces that the calling thread has seen the point reached.
    #[inline]
    pub(super) fn announce_reached(self) {
        if process::is_sanitized() {
            acquire_name(self.stream.name());
        }
    }
}

impl HostDevice {
    fn name_of_all(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn name_of_blocking(&self) -> usize {
        self.name_of_all() + GIVEN
    }

    /// Announces that the calling thread has seen all streams idle.
    #[inline]
    pub(super) fn announce_all_idle(&self) {
        if process::is_sanitized() {
            acquire_name(self.name_of_all());
        }
    }
}
