//! Announces streams to a sanitizer of data races. A stream has two names: its timeline's, for the work that it has done, and one for the work
//! that it was given. Its device has one for the work of all streams, and one for each role.

use super::timeline::{Role, Timeline};
use crate::backend::Cell;
use crate::probe::{acquire_name, release, release_name};
use crate::process;

/// The distance between two names: they are addresses in the timeline and in the device.
const NEXT: usize = 8;

impl Timeline {
    fn name_of(&self, role: Role) -> usize {
        self.device().addr() + NEXT * (1 + role as usize)
    }

    /// Announces that the calling thread is about to give the stream work.
    #[inline]
    pub(super) fn announce_given(&self) {
        if process::is_sanitized() {
            release_name(self.name() + NEXT);
        }
    }

    /// Announces that the calling thread does the stream's next piece of work.
    #[inline]
    pub(super) fn announce_begun(&self) {
        if process::is_sanitized() {
            acquire_name(self.name() + NEXT);
            self.announce_idle();
        }
    }

    /// Announces that the stream has done a piece of work.
    #[inline]
    pub(super) fn announce_done(&self) {
        if process::is_sanitized() {
            let names = [self.name(), self.device().addr(), self.name_of(self.role())];
            names.into_iter().for_each(release_name);
        }
    }

    /// Announces that the calling thread records an event on the idle stream, which is a piece of work.
    #[inline]
    pub(super) fn announce_record(&self, cell: &Cell) {
        if process::is_sanitized() {
            self.announce_idle();
            self.announce_done();
            release(cell);
        }
    }

    /// Announces that the calling thread has seen the stream idle, or does its next piece of work. All earlier work is done, and so is the work
    /// that the default stream's order puts before it.
    #[inline]
    pub(super) fn announce_idle(&self) {
        if process::is_sanitized() {
            acquire_name(self.name());
            match self.role() {
                Role::Default => acquire_name(self.name_of(Role::Blocking)),
                Role::Blocking => acquire_name(self.name_of(Role::Default)),
                Role::NonBlocking | Role::Signal | Role::Backend => {}
            }
        }
    }
}
