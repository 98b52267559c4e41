//! Ranges of keys.

use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::kvstore;

/// Keys between two bounds or with a prefix, ordered as unsigned bytes.
///
/// Rust's ranges become one: `"a".."b"`, `"a"..="b"`, `"a"..`, `..` and pairs of [`Bound`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    pub(crate) wire: kvstore::KeyRange,
}

impl KeyRange {
    /// All keys.
    pub fn all() -> KeyRange {
        KeyRange::default()
    }

    /// The keys that begin with a prefix.
    pub fn prefix(prefix: impl AsRef<[u8]>) -> KeyRange {
        let mut range = KeyRange::all();
        range.wire.prefix = Some(prefix.as_ref().to_vec());
        range
    }

    /// The keys between two bounds.
    pub fn between<K: AsRef<[u8]>>(start: Bound<K>, stop: Bound<K>) -> KeyRange {
        let mut range = KeyRange::all();
        match start {
            Bound::Included(key) => range.wire.start_key = Some(key.as_ref().to_vec()),
            Bound::Excluded(key) => {
                range.wire.start_key = Some(key.as_ref().to_vec());
                range.wire.start_exclusive = Some(true);
            }
            Bound::Unbounded => {}
        }
        match stop {
            Bound::Included(key) => {
                range.wire.stop_key = Some(key.as_ref().to_vec());
                range.wire.stop_inclusive = Some(true);
            }
            Bound::Excluded(key) => range.wire.stop_key = Some(key.as_ref().to_vec()),
            Bound::Unbounded => {}
        }
        range
    }
}

impl From<RangeFull> for KeyRange {
    fn from(_: RangeFull) -> KeyRange {
        KeyRange::all()
    }
}

impl<K: AsRef<[u8]>> From<(Bound<K>, Bound<K>)> for KeyRange {
    fn from((start, stop): (Bound<K>, Bound<K>)) -> KeyRange {
        KeyRange::between(start, stop)
    }
}

impl<K: AsRef<[u8]>> From<Range<K>> for KeyRange {
    fn from(range: Range<K>) -> KeyRange {
        KeyRange::between(Bound::Included(range.start), Bound::Excluded(range.end))
    }
}

impl<K: AsRef<[u8]>> From<RangeInclusive<K>> for KeyRange {
    fn from(range: RangeInclusive<K>) -> KeyRange {
        let (start, stop) = range.into_inner();
        KeyRange::between(Bound::Included(start), Bound::Included(stop))
    }
}

impl<K: AsRef<[u8]>> From<RangeFrom<K>> for KeyRange {
    fn from(range: RangeFrom<K>) -> KeyRange {
        KeyRange::between(Bound::Included(range.start), Bound::Unbounded)
    }
}

impl<K: AsRef<[u8]>> From<RangeTo<K>> for KeyRange {
    fn from(range: RangeTo<K>) -> KeyRange {
        KeyRange::between(Bound::Unbounded, Bound::Excluded(range.end))
    }
}

impl<K: AsRef<[u8]>> From<RangeToInclusive<K>> for KeyRange {
    fn from(range: RangeToInclusive<K>) -> KeyRange {
        KeyRange::between(Bound::Unbounded, Bound::Included(range.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(range: impl Into<KeyRange>) -> String {
        let wire = range.into().wire;
        let text = |key: Option<Vec<u8>>| key.map_or("-".to_string(), |key| String::from_utf8(key).unwrap());
        let start = if wire.start_exclusive == Some(true) { '(' } else { '[' };
        let stop = if wire.stop_inclusive == Some(true) { ']' } else { ')' };
        format!(
            "{start}{} {}{stop} {}",
            text(wire.start_key),
            text(wire.stop_key),
            text(wire.prefix)
        )
    }

    #[test]
    fn ranges_have_their_bounds() {
        assert_eq!(shown(..), "[- -) -");
        assert_eq!(shown("a".."b"), "[a b) -");
        assert_eq!(shown(b"a"..=b"b"), "[a b] -");
        assert_eq!(shown("a".to_string()..), "[a -) -");
        assert_eq!(shown(.."b"), "[- b) -");
        assert_eq!(shown(..="b"), "[- b] -");
        assert_eq!(shown((Bound::Excluded("a"), Bound::Included("b"))), "(a b] -");
        assert_eq!(shown(KeyRange::prefix("p")), "[- -) p");
    }
}
