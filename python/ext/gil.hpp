// The interpreter's lock, given back while a call may block, and left alone once the interpreter ends.
#pragma once

#include <Python.h>

namespace gevt_py {

// Lets this thread take the interpreter's lock until leave(). False once the interpreter is about to end: a thread that
// asked for the lock then would be ended inside C++ frames, which ends the process.
bool enter() noexcept;
void leave() noexcept;

// Keeps all other threads out, and waits for the threads inside. Called by atexit, with the lock held.
void close_gate();

// Gives the lock back for as long as it lives. A thread whose call returns while the interpreter ends stays in it.
class unlocked {
public:
  unlocked() noexcept : state_(PyEval_SaveThread()) {}
  ~unlocked();
  unlocked(const unlocked &) = delete;
  unlocked &operator=(const unlocked &) = delete;

private:
  PyThreadState *state_;
};

// Takes the lock on a thread that Python may not know. Needs a successful enter().
class locked {
public:
  locked() noexcept : state_(PyGILState_Ensure()) {}
  ~locked() { PyGILState_Release(state_); }
  locked(const locked &) = delete;
  locked &operator=(const locked &) = delete;

private:
  PyGILState_STATE state_;
};

} // namespace gevt_py
