use super::*;
use crate::flags::EventFlags;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

#[test]
fn callbacks_that_panic_end_no_worker() {
    const CALLS: usize = 2500;
    let event = Event::create(EventFlags::DEFAULT).expect("there is memory");
    let (sender, receiver) = channel();
    /// Sends when it is dropped: a callback has run, or has panicked.
    struct Ended(Sender<()>);
    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    for _ in 0..CALLS {
        let ended = Ended(sender.clone());
        let call = move |_| {
            let _ended = ended;
            // Without the hook, which would write a message.
            std::panic::resume_unwind(Box::new(()));
        };
        event.on_complete(call).expect("the callback is taken");
        receiver.recv_timeout(Duration::from_secs(300)).expect("the callback runs");
    }
    event.destroy().expect("it is live");
}
