//! Walks over ranges.

use std::vec;

use crate::kvstore::{self, ScanRequest, TKVStoreServiceSyncClient};
use crate::view::{Source, View};
use crate::{Entry, KeyRange, Result};

/// Entries of a page if nothing else is told.
const PAGE: u64 = 1_000;

/// The entries of a range, fetched page by page. It goes on over a restart of the server.
///
/// The setters are for before the first entry. After an error there are no more entries.
#[derive(Clone, Debug)]
pub struct Scan {
    source: Source,
    request: ScanRequest,
    page_size: u64,
    left: Option<u64>,
    page: vec::IntoIter<kvstore::Entry>,
    done: bool,
}

impl Scan {
    pub(crate) fn new(view: &View, range: KeyRange) -> Scan {
        let mut request = ScanRequest::new(view.table.clone(), range.wire, None, None, None, None, None, None, None);
        request.snapshot_id = view.source.snapshot_id();
        Scan {
            source: view.source.clone(),
            request,
            page_size: PAGE,
            left: None,
            page: Vec::new().into_iter(),
            done: false,
        }
    }

    /// Goes from the last key down.
    pub fn reversed(mut self) -> Scan {
        self.request.reversed = Some(true);
        self
    }

    /// Fetches no values.
    pub fn keys_only(mut self) -> Scan {
        self.request.keys_only = Some(true);
        self
    }

    /// Ends after so many entries.
    pub fn limit(mut self, entries: u64) -> Scan {
        self.left = Some(entries);
        self
    }

    /// Fetches so many entries at once, 1 to 100,000; 1,000 if not told.
    pub fn page_size(mut self, entries: u32) -> Scan {
        self.page_size = entries.into();
        self
    }

    /// Fetches so many bytes of keys and values at once, one entry at least; 1 MiB if not told.
    pub fn page_bytes(mut self, bytes: u32) -> Scan {
        self.request.max_bytes = Some(saturated(bytes.into()));
        self
    }

    /// Leaves out larger values and tells their size instead; what fits into a frame if not told.
    pub fn max_value_bytes(mut self, bytes: u32) -> Scan {
        self.request.max_value_bytes = Some(saturated(bytes.into()));
        self
    }

    /// Begins where another scan of the same range, in the same direction, was; see [`Scan::continuation`].
    pub fn resume(mut self, continuation: impl Into<Vec<u8>>) -> Scan {
        self.request.continuation = Some(continuation.into());
        self
    }

    /// Where the page after the fetched one begins; `None` when there is none. Good after a restart of the server.
    pub fn continuation(&self) -> Option<&[u8]> {
        self.request.continuation.as_deref()
    }

    fn fetch(&mut self) -> Result<()> {
        let entries = self.page_size.min(self.left.unwrap_or(u64::MAX));
        self.request.max_entries = Some(saturated(entries));
        let page = self.source.call(|service| service.scan(self.request.clone()))?;
        self.done = page.continuation.is_none();
        self.request.continuation = page.continuation;
        self.page = page.entries.into_iter();
        Ok(())
    }
}

impl Iterator for Scan {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Result<Entry>> {
        while self.left != Some(0) {
            if let Some(entry) = self.page.next() {
                self.left = self.left.map(|left| left - 1);
                return Some(Ok(entry.into()));
            }
            if self.done {
                return None;
            }
            if let Err(error) = self.fetch() {
                self.done = true;
                return Some(Err(error));
            }
        }
        None
    }
}

impl std::iter::FusedIterator for Scan {}

fn saturated(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
