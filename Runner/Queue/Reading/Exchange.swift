/// A poll that the database works on.
struct AskedPoll {
  var request: PollRequest
  /// Whether it was asked for before the answer of the last one was taken in.
  var isAhead: Bool
  /// Whether everything is read again from the beginning, so that what this one reads is not taken.
  var isVoid = false
}

/// The questions of polls to the database, and the answers that are being taken in.
enum Exchange {
  case none
  case asked(AskedPoll)
  /// An answer is being taken in; whether the cursors have been moved over it already.
  case taking(PollRequest, isMoved: Bool)
  /// An answer over which the cursors have been moved is being taken in, while the database works on the next poll.
  case both(taking: PollRequest, asked: AskedPoll)

  var isAsked: Bool { asked != nil }

  /// The poll that the database works on.
  var asked: AskedPoll? {
    switch self {
    case .asked(let poll), .both(taking: _, asked: let poll): poll
    case .none, .taking: nil
    }
  }

  /// Drops the answer to the poll on which the database works.
  mutating func void() {
    switch self {
    case .asked(var poll):
      poll.isVoid = true
      self = .asked(poll)
    case .both(let taking, var poll):
      poll.isVoid = true
      self = .both(taking: taking, asked: poll)
    case .none, .taking: break
    }
  }

  /// The answer that was being taken in is taken, or cannot be read; `nil` where there was none.
  mutating func endTaking() -> (request: PollRequest, isMoved: Bool)? {
    switch self {
    case .taking(let request, let isMoved):
      self = .none
      return (request, isMoved)
    case .both(let request, let poll):
      self = .asked(poll)
      return (request, true)
    case .none, .asked: return nil
    }
  }
}
