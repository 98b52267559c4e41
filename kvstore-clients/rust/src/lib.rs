#![doc = include_str!("../README.md")]

mod backup;
mod batch;
mod client;
mod condition;
mod connection;
mod error;
mod operation;
mod options;
mod pool;
mod range;
mod scan;
mod snapshot;
mod table;
#[cfg(feature = "tls")]
mod tls;
mod types;
mod view;
mod wire;

#[path = "gen/kvstore.rs"]
#[allow(clippy::all, missing_docs, unused)]
mod kvstore;

pub use crate::backup::{Backup, Restore};
pub use crate::batch::Batch;
pub use crate::client::Client;
pub use crate::condition::Condition;
pub use crate::error::{Error, Failure, Result};
pub use crate::kvstore::{Durability, ErrorCode, OperationKind, OperationState, Outcome};
pub use crate::operation::Operation;
pub use crate::options::Options;
pub use crate::range::KeyRange;
pub use crate::scan::Scan;
pub use crate::snapshot::Snapshot;
pub use crate::table::Table;
pub use crate::types::{Entry, Finding, ServerInfo, Stats, TableInfo, Tagged};
pub use crate::view::View;

#[cfg(feature = "tls")]
pub use rustls;
