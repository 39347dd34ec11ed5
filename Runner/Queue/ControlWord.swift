package import Postgres

/// The word of a command or another runner to the runners that serve, by NOTIFY on the channel `runner_control`.
package enum ControlWord: Equatable {
  /// The function's waiting events may start again.
  case resume(String)
  /// Dead letters were retried or purged: keys may have come free.
  case unblocked
  /// The clock was changed.
  case clock
  /// A schedule was paused, resumed or fired.
  case schedules
  /// A runner wants partitions, or has given some back.
  case partitions
  /// Say on `runner_answers`, with this word, when nothing is left to do.
  case idle(String)

  init?(_ payload: String) {
    let words = payload.split(separator: " ", maxSplits: 1)
    switch (words.first, words.count) {
    case ("resume", 2): self = .resume(String(words[1]))
    case ("unblocked", 1): self = .unblocked
    case ("clock", 1): self = .clock
    case ("schedules", 1): self = .schedules
    case ("partitions", 1): self = .partitions
    case ("idle", 2): self = .idle(String(words[1]))
    default: return nil
    }
  }

  /// The call that sends it, to be put into a statement.
  package var notify: SQL { "pg_notify('runner_control', \(payload))" }

  private var payload: String {
    switch self {
    case .resume(let function): "resume \(function)"
    case .unblocked: "unblocked"
    case .clock: "clock"
    case .schedules: "schedules"
    case .partitions: "partitions"
    case .idle(let question): "idle \(question)"
    }
  }
}
