import Manifest

extension QueueMachine {
  /// What is to be done next.
  enum Step {
    /// Prolong the lease, for these functions.
    case hold([String], asksOthers: Bool)
    case release(Set<Int>)
    case readBlockers(BlockerRequest)
    case audit(EventAudit.Request)
    case poll(PollRequest)
    /// Take the answer of the poll that was asked for ahead.
    case takePollAhead
    case wait(upTo: Duration, hearsWakeUps: Bool)
    case end(leaves: Bool)
  }

  /// Where the cycle is: what is looked at next.
  enum Stage: Equatable {
    case hold, release, blockers, audit, poll
    case rest(isBusy: Bool)
    case recover
  }

  /// What somebody has asked for since it was done last.
  struct Due: OptionSet {
    let rawValue: Int
    static let (hold, blockers, poll) = (Due(rawValue: 1), Due(rawValue: 2), Due(rawValue: 4))
  }

  /// The failed events that hold keys of these functions, in these partitions.
  struct BlockerRequest {
    var functions: [String]
    var partitions: [Int]
  }

  /// Why a step failed.
  enum Failure: Equatable {
    /// The session of the database was lost; nothing was sent.
    case otherSession
    /// A partition has gone to another runner.
    case fenced
    /// A runner of another group has one of the functions.
    case conflict(String)
    case database(String, isOfNetwork: Bool)
  }

  /// What is to be done besides.
  enum Effect {
    case wakeUp(after: Duration)
    case say(QueueNotice)
    /// A function's events wait until it is mended.
    case paused
  }

  /// An event that starts, and the epoch under which its partition is held.
  struct Started {
    var event: QueuedEvent
    var epoch: Int64?
  }

  /// Crashes after which an event runs in a process of its own: of a function with batches the first one, because it was
  /// alone in its process then.
  static func crashesUntilAlone(_ entry: FunctionEntry) -> Int { entry.batch == nil ? 2 : 1 }
}
