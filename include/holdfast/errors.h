#pragma once

#include <stdexcept>
#include <string>

namespace holdfast {

/// Root of all failures that Holdfast throws. Grouped by what the catcher must do; an answer of the domain
/// (nothing to claim, lease lost, a task that failed) is a value and never one of these.
/// what() is one sentence for a person, with passwords masked.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The caller's input cannot be accepted. Nothing was changed; trying again is pointless.
class BadInput : public Error {
public:
    using Error::Error;
};

/// No task has this id: it never existed, or it ended so long ago that retention has removed it.
class UnknownTask : public BadInput {
public:
    using BadInput::BadInput;
};

/// No job has this id: it never existed, or retention has removed it.
class UnknownJob : public BadInput {
public:
    using BadInput::BadInput;
};

/// The id or idempotency key of a submit belongs to an earlier task with another payload.
class PayloadMismatch : public BadInput {
public:
    using BadInput::BadInput;
};

/// The task is not in a state in which this can be done to it.
class WrongState : public BadInput {
public:
    using BadInput::BadInput;
};

/// The store failed; what the caller must do is in the class.
class StoreError : public Error {
public:
    using Error::Error;
};

/// Not reachable, or too busy, right now. Nothing was changed: wait and try again.
class Unavailable : public StoreError {
public:
    using StoreError::StoreError;
};

/// The connection was lost while a commit was under way: it may or may not have been applied.
/// Make the same call again: what is done already is not done twice.
class CommitInDoubt : public Unavailable {
public:
    using Unavailable::Unavailable;
};

/// Out of space (disk full, file too large). Nothing was changed; a person must make room.
class Full : public StoreError {
public:
    using StoreError::StoreError;
};

/// The store cannot be used as it is: no permission, not a database, a schema that is missing or newer than
/// this program. A person must act; trying again is pointless until then.
class Unusable : public StoreError {
public:
    using StoreError::StoreError;
};

}  // namespace holdfast
