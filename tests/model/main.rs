//! Compares the C API with a simple model, using random calls, valid and invalid, on two contexts of the host backend. The model predicts
//! each call's status and detail, and outputs are written on success only.
//!
//! Host functions that wait for the test hold streams back, so the model knows which work is pending. After each call, the test waits until
//! gevt reaches the model's state. For calls of several threads only the set of possible answers is known: fuzz/judge.h has it, for the fuzzer
//! and the soak test.
//!
//! Each test runs in a separate process: the environment sets the number of devices, and live events are counted.

#[expect(dead_code, reason = "the model needs a part of the constants alone")]
#[path = "../../src/lib.rs"]
mod gevt;

mod answer;
mod call;
mod function;
mod handle;
mod state;

use crate::gevt::library::gevt_live_events;
use proptest::test_runner::{Config, TestRunner};
use std::process::{Command, abort};
use std::time::Duration;

/// Set in the process of one test.
const ALONE: &str = "GEVT_TEST_ALONE";

/// How many random sequences of calls there are, unless the environment has another number.
const CASES: u32 = 200;

/// Runs `body` in another process, which is this test alone; a process that hangs ends as a failure.
fn alone(test: &str, body: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_secs(600));
            eprintln!("the test hangs");
            abort();
        });
        return body();
    }
    let program = std::env::current_exe().expect("the test's own program");
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(ALONE, "1").env("GEVT_HOST_DEVICES", "2");
    let output = command.output().expect("the test's own program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let passed = output.status.success() && text.contains("test result: ok. 1 passed");
    assert!(passed, "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn random_calls_answer_as_the_model() {
    alone("random_calls_answer_as_the_model", || {
        // A sequence that fails is made shorter in many tries: a line for each is enough.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
        let cases = std::env::var("GEVT_TEST_CASES").map_or(CASES, |cases| cases.parse().expect("a number"));
        let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&call::calls(), |calls| {
            let before = gevt_live_events();
            let mut model = state::Model::new();
            calls.iter().for_each(|call| model.make(call));
            model.finish();
            assert_eq!(gevt_live_events(), before, "events are left");
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{failure}"));
    });
}
