//! The connections of a client.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::connection::Connection;
use crate::{Error, Result};

/// At most so many connections, of which some are idle.
pub(crate) struct Pool {
    state: Mutex<State>,
    freed: Condvar,
    limit: usize,
}

struct State {
    idle: Vec<Connection>,
    used: usize,
    closed: bool,
}

impl Pool {
    pub(crate) fn new(limit: usize) -> Pool {
        Pool {
            state: Mutex::new(State {
                idle: Vec::new(),
                used: 0,
                closed: false,
            }),
            freed: Condvar::new(),
            limit,
        }
    }

    /// Takes the right to one connection, with an idle one if there is any. Waits when all are used.
    pub(crate) fn take(&self, longest: Duration) -> Result<Slot<'_>> {
        let full = |state: &mut State| !state.closed && state.used >= self.limit;
        let waited = self.freed.wait_timeout_while(self.lock(), longest, full);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(Error::connection("the client is closed", false));
        }
        if state.used >= self.limit {
            let message = format!("all {} connections of the pool were used for {longest:?}", self.limit);
            return Err(Error::connection(message, true));
        }
        state.used += 1;
        Ok(Slot {
            pool: self,
            connection: state.idle.pop(),
        })
    }

    /// Closes idle connections: one broke, so they may be broken too.
    pub(crate) fn drop_idle(&self) {
        let idle = std::mem::take(&mut self.lock().idle);
        drop(idle);
    }

    /// Closes idle connections now and the others after their calls.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.freed.notify_all();
        self.drop_idle();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to one connection. What it holds when it ends is idle then.
pub(crate) struct Slot<'a> {
    pool: &'a Pool,
    pub(crate) connection: Option<Connection>,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        state.used -= 1;
        if !state.closed {
            state.idle.extend(self.connection.take());
        }
        drop(state);
        self.pool.freed.notify_one();
    }
}
