//! Conditions of writes.

use crate::kvstore::{self, ConditionKind};

/// What has to hold for a key before a write is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// The key has no value.
    Absent,
    /// The key has a value.
    Exists,
    /// The key's value has this tag, which [`View::get_tagged`](crate::View::get_tagged) tells.
    TagIs(i64),
    /// The key's value has exactly these bytes.
    ValueIs(Vec<u8>),
}

impl Condition {
    /// The key's value has exactly these bytes.
    pub fn value_is(value: impl AsRef<[u8]>) -> Condition {
        Condition::ValueIs(value.as_ref().to_vec())
    }

    pub(crate) fn to_wire(&self) -> kvstore::Condition {
        let (kind, tag, value) = match self {
            Condition::Absent => (ConditionKind::ABSENT, None, None),
            Condition::Exists => (ConditionKind::EXISTS, None, None),
            Condition::TagIs(tag) => (ConditionKind::TAG_IS, Some(*tag), None),
            Condition::ValueIs(value) => (ConditionKind::VALUE_IS, None, Some(value.clone())),
        };
        kvstore::Condition::new(kind, tag, value)
    }
}
