//! What calls answer.

use std::collections::BTreeMap;

use crate::kvstore;

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The key.
    pub key: Vec<u8>,
    /// The value; `None` when only keys were asked for, and when it is too large for an answer.
    pub value: Option<Vec<u8>>,
    /// The value's size, only when it is too large for an answer: get it by its key.
    pub value_bytes: Option<u64>,
}

/// A value and its tag.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tagged {
    /// The value.
    pub value: Vec<u8>,
    /// The 64-bit hash of the value, for [`Condition::TagIs`](crate::Condition::TagIs).
    pub tag: i64,
}

/// What a server is, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The server's version.
    pub version: String,
    /// The engines that tables can have.
    pub engines: Vec<String>,
    /// `"sync"` or `"buffered"`.
    pub durability: String,
    /// The longest key.
    pub max_key_bytes: usize,
    /// The longest value.
    pub max_value_bytes: usize,
    /// The largest frame.
    pub max_frame_bytes: usize,
    /// Changes of a batch, checks of a batch, keys of a `get_all`.
    pub max_items: usize,
}

/// What a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableInfo {
    /// The database's name.
    pub database: String,
    /// The table's name.
    pub table: String,
    /// The table's number in the store.
    pub table_id: i32,
    /// `"bplus"`, `"hash"` or `"lsm"`.
    pub engine: String,
    /// Whether the table keeps its entries in the order of keys. Any other table has an order of its own: it refuses bounds, a
    /// prefix and a reversed scan.
    pub ordered: bool,
    /// Every parameter with its value.
    pub options: BTreeMap<String, String>,
}

/// Figures by their place, such as `"engine.height"`; which there are may change between versions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Figures that are numbers.
    pub numbers: BTreeMap<String, f64>,
    /// Figures that are texts.
    pub texts: BTreeMap<String, String>,
}

/// A damaged place that a verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Where it is.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

pub(crate) fn table_name(database: &str, table: &str) -> kvstore::TableName {
    kvstore::TableName::new(database.to_string(), table.to_string())
}

/// The options of a table, as they are sent.
pub(crate) fn option_map(options: &[(&str, &str)]) -> BTreeMap<String, String> {
    options
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

impl From<kvstore::Entry> for Entry {
    fn from(entry: kvstore::Entry) -> Entry {
        Entry {
            key: entry.key,
            value: entry.value,
            value_bytes: entry.value_bytes.map(|bytes| bytes as u64),
        }
    }
}

impl From<kvstore::ServerInfo> for ServerInfo {
    fn from(info: kvstore::ServerInfo) -> ServerInfo {
        ServerInfo {
            version: info.version,
            engines: info.engines,
            durability: info.durability,
            max_key_bytes: info.max_key_bytes as usize,
            max_value_bytes: info.max_value_bytes as usize,
            max_frame_bytes: info.max_frame_bytes as usize,
            max_items: info.max_items as usize,
        }
    }
}

impl From<kvstore::TableInfo> for TableInfo {
    fn from(info: kvstore::TableInfo) -> TableInfo {
        TableInfo {
            database: info.database,
            table: info.table,
            table_id: info.table_id,
            engine: info.engine,
            // A server of a version that does not say has only tables that are ordered.
            ordered: info.ordered.unwrap_or(true),
            options: info.options,
        }
    }
}

impl From<kvstore::Stats> for Stats {
    fn from(stats: kvstore::Stats) -> Stats {
        let numbers = stats
            .numbers
            .into_iter()
            .map(|(place, number)| (place, number.into_inner()));
        Stats {
            numbers: numbers.collect(),
            texts: stats.texts,
        }
    }
}

impl From<kvstore::Finding> for Finding {
    fn from(finding: kvstore::Finding) -> Finding {
        Finding {
            place: finding.place,
            message: finding.message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_ordered_unless_the_server_says_no() {
        let ordered = |told: Option<bool>| {
            let (database, table) = ("d".to_string(), "t".to_string());
            let info = kvstore::TableInfo::new(database, table, 1, "lsm".to_string(), BTreeMap::new(), told);
            TableInfo::from(info).ordered
        };
        assert_eq!([None, Some(true), Some(false)].map(ordered), [true, true, false]);
    }
}
