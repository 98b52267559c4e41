//! What can go wrong.

use std::collections::BTreeMap;
use std::fmt;

use crate::kvstore;
use crate::{ErrorCode, Outcome};

/// What calls of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

/// What is known about a failure, whatever its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// What went wrong, for programs; `None` when no code is for it, as with a failed connection.
    pub code: Option<ErrorCode>,
    /// What happened and what to do, for people.
    pub message: String,
    /// Whether the same call can succeed a moment later, with nothing changed by this one.
    pub retryable: bool,
    /// What became of the call.
    pub outcome: Option<Outcome>,
    /// Names this error in the server's log.
    pub error_id: Option<String>,
    /// Figures of the failure, such as "limit" and "actual".
    pub details: BTreeMap<String, String>,
}

/// Any failure of a call. [`Error::failure`] gives what all kinds have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The request, the URL or a continuation is not valid.
    InvalidRequest(Box<Failure>),
    /// There is no such database, table, operation or backup.
    NotFound(Box<Failure>),
    /// The table is there already with another engine or other options, or a new name is taken.
    AlreadyExists(Box<Failure>),
    /// The token is missing or wrong.
    Unauthenticated(Box<Failure>),
    /// A check of a batch does not hold; nothing was applied.
    ConditionFailed {
        /// The place of the first check that failed, from 0.
        failed_check: usize,
        /// What all errors have.
        failure: Box<Failure>,
    },
    /// The table was dropped while the call needed it, or truncated or created again in the middle of a scan.
    TableDropped(Box<Failure>),
    /// The snapshot was closed, its lease ran out or its connection ended.
    SnapshotExpired(Box<Failure>),
    /// A key, a value, a name, a list, a frame or an answer is over a limit.
    TooLarge(Box<Failure>),
    /// Stored bytes are damaged.
    Corruption(Box<Failure>),
    /// The server is overloaded or stopping, its store failed or its disk is full.
    Unavailable(Box<Failure>),
    /// The write may or may not have been applied: read it back.
    OutcomeUnknown(Box<Failure>),
    /// The server could not be reached, the connection broke or no answer came in time.
    ConnectionFailed(Box<Failure>),
    /// Any other failure.
    Other(Box<Failure>),
}

impl Error {
    /// Code, message, retryable, outcome, error id and details.
    pub fn failure(&self) -> &Failure {
        match self {
            Error::ConditionFailed { failure, .. }
            | Error::InvalidRequest(failure)
            | Error::NotFound(failure)
            | Error::AlreadyExists(failure)
            | Error::Unauthenticated(failure)
            | Error::TableDropped(failure)
            | Error::SnapshotExpired(failure)
            | Error::TooLarge(failure)
            | Error::Corruption(failure)
            | Error::Unavailable(failure)
            | Error::OutcomeUnknown(failure)
            | Error::ConnectionFailed(failure)
            | Error::Other(failure) => failure,
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::InvalidRequest(local(message, ErrorCode::INVALID_REQUEST, Outcome::REJECTED))
    }

    pub(crate) fn expired(message: impl Into<String>) -> Error {
        Error::SnapshotExpired(local(message, ErrorCode::SNAPSHOT_EXPIRED, Outcome::REJECTED))
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Error {
        Error::TooLarge(local(message, ErrorCode::TOO_LARGE, Outcome::REJECTED))
    }

    pub(crate) fn answer_too_large(message: impl Into<String>) -> Error {
        Error::TooLarge(local(message, ErrorCode::ANSWER_TOO_LARGE, Outcome::FAILED))
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Error {
        Error::OutcomeUnknown(local(message, ErrorCode::OUTCOME_UNKNOWN, Outcome::UNKNOWN))
    }

    /// The connection failed and no write was applied.
    pub(crate) fn connection(message: impl Into<String>, retryable: bool) -> Error {
        let mut failure = local(message, None, Outcome::REJECTED);
        failure.retryable = retryable;
        Error::ConnectionFailed(failure)
    }

    /// The server is older than this client.
    pub(crate) fn unknown_method(method: &str) -> Error {
        let message =
            format!("the server is older than this client and does not know the method {method}; nothing was changed");
        Error::Other(local(message, None, Outcome::REJECTED))
    }

    pub(crate) fn other(message: impl Into<String>) -> Error {
        Error::Other(local(message, None, None))
    }
}

fn local(
    message: impl Into<String>,
    code: impl Into<Option<ErrorCode>>,
    outcome: impl Into<Option<Outcome>>,
) -> Box<Failure> {
    Box::new(Failure {
        code: code.into(),
        message: message.into(),
        outcome: outcome.into(),
        ..Failure::default()
    })
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Error::InvalidRequest(_) => "invalid request",
            Error::NotFound(_) => "not found",
            Error::AlreadyExists(_) => "already exists",
            Error::Unauthenticated(_) => "unauthenticated",
            Error::ConditionFailed { failed_check, .. } => {
                return write!(f, "condition failed: check {failed_check}: {}", self.failure().message);
            }
            Error::TableDropped(_) => "table dropped",
            Error::SnapshotExpired(_) => "snapshot expired",
            Error::TooLarge(_) => "too large",
            Error::Corruption(_) => "corruption",
            Error::Unavailable(_) => "unavailable",
            Error::OutcomeUnknown(_) => "outcome unknown",
            Error::ConnectionFailed(_) => "connection failed",
            Error::Other(_) => "failed",
        };
        let failure = self.failure();
        write!(f, "{what}: {}", failure.message)?;
        match &failure.error_id {
            Some(id) => write!(f, " (error id {id})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<kvstore::ServiceError> for Error {
    fn from(error: kvstore::ServiceError) -> Error {
        let code = error.code.unwrap_or(ErrorCode::INTERNAL_ERROR);
        let failure = Box::new(Failure {
            code: Some(code),
            message: error.message.unwrap_or_default(),
            retryable: error.retryable.unwrap_or_default(),
            outcome: error.outcome,
            error_id: error.error_id,
            details: error.details.unwrap_or_default(),
        });
        match code {
            ErrorCode::INVALID_REQUEST | ErrorCode::CONTINUATION_INVALID => Error::InvalidRequest(failure),
            ErrorCode::DATABASE_NOT_FOUND | ErrorCode::TABLE_NOT_FOUND | ErrorCode::NOT_FOUND => {
                Error::NotFound(failure)
            }
            ErrorCode::ALREADY_EXISTS | ErrorCode::DEFINITION_DIFFERS => Error::AlreadyExists(failure),
            ErrorCode::UNAUTHENTICATED => Error::Unauthenticated(failure),
            ErrorCode::TABLE_DROPPED => Error::TableDropped(failure),
            ErrorCode::SNAPSHOT_EXPIRED => Error::SnapshotExpired(failure),
            ErrorCode::TOO_LARGE | ErrorCode::ANSWER_TOO_LARGE => Error::TooLarge(failure),
            ErrorCode::CORRUPTION => Error::Corruption(failure),
            ErrorCode::OVERLOADED | ErrorCode::STOPPING | ErrorCode::STORE_FAILED | ErrorCode::DISK_FULL => {
                Error::Unavailable(failure)
            }
            ErrorCode::OUTCOME_UNKNOWN => Error::OutcomeUnknown(failure),
            _ => Error::Other(failure),
        }
    }
}

impl From<kvstore::ConditionFailed> for Error {
    fn from(failed: kvstore::ConditionFailed) -> Error {
        Error::ConditionFailed {
            failed_check: usize::try_from(failed.failed_check).unwrap_or_default(),
            failure: local(failed.message.unwrap_or_default(), None, Outcome::FAILED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i32) -> Error {
        kvstore::ServiceError::new(
            ErrorCode::from(code),
            "told".to_string(),
            true,
            Outcome::REJECTED,
            "e1".to_string(),
            BTreeMap::from([("limit".to_string(), "7".to_string())]),
        )
        .into()
    }

    fn name(error: &Error) -> String {
        let text = format!("{error:?}");
        text[..text.find(['(', ' ']).unwrap()].to_string()
    }

    #[test]
    fn every_code_has_its_kind() {
        let expected = [
            "InvalidRequest",
            "Unauthenticated",
            "Other",
            "NotFound",
            "NotFound",
            "NotFound",
            "AlreadyExists",
            "Other",
            "AlreadyExists",
            "TableDropped",
            "TooLarge",
            "TooLarge",
            "SnapshotExpired",
            "InvalidRequest",
            "Corruption",
            "Other",
            "Unavailable",
            "Unavailable",
            "OutcomeUnknown",
            "Unavailable",
            "Unavailable",
            "Other",
        ];
        for (code, expected) in (1..).zip(expected) {
            assert_eq!(name(&error(code)), expected, "code {code}");
        }
        let without = kvstore::ServiceError::new(None, None, None, None, None, None);
        assert_eq!(Error::from(without).failure().code, Some(ErrorCode::INTERNAL_ERROR));
        assert_eq!(name(&error(99)), "Other");
        assert_eq!(error(99).failure().code, Some(ErrorCode(99)));
    }

    #[test]
    fn an_error_keeps_what_the_server_told() {
        let error = error(11);
        let failure = error.failure();
        assert_eq!(failure.code, Some(ErrorCode::TOO_LARGE));
        assert_eq!(failure.details["limit"], "7");
        assert!(failure.retryable);
        assert_eq!(failure.outcome, Some(Outcome::REJECTED));
        assert_eq!(error.to_string(), "too large: told (error id e1)");
    }

    #[test]
    fn a_failed_condition_has_its_place() {
        let error = Error::from(kvstore::ConditionFailed::new(3, "no".to_string()));
        assert!(matches!(error, Error::ConditionFailed { failed_check: 3, .. }));
        assert_eq!(error.to_string(), "condition failed: check 3: no");
        assert_eq!(error.failure().outcome, Some(Outcome::FAILED));
    }
}
