import FoundationEssentials
import FunctionKit
import Postgres
import PushPayload

/// How long an ended Live Activity stays on the lock screen.
enum ActivityEnd {
  /// The seconds in which an ended activity may still be on a lock screen, so that a push to it is of use.
  static let longest: TimeInterval = 12 * 3_600

  /// The status that a row of `live_activities` said last.
  static func saidStatus(_ row: SQL) -> SQL { "(\(row).said::jsonb ->> 'status')" }
}

extension ActivityState {
  /// The seconds that an activity stays at most.
  static var longestStay: TimeInterval { stays.map(\.seconds).max() ?? 0 }

  /// When the phone removes an activity that ends with this.
  func dismissal(at now: Date) -> Date {
    now.addingTimeInterval(Self.stays.first { $0.status == statusName }?.seconds ?? 0)
  }

  /// Whether the activity of a row of `live_activities` has ended with a push, and its phone has not removed it yet.
  ///
  /// Without an answer to another end, nobody knows what the phone shows: then it may stay the longest.
  static func isStillShown(_ row: SQL, at now: Date) -> SQL {
    let seconds = stays.reduce("") { cases, stay in
      "\(cases) WHEN \(ActivityEnd.saidStatus(row)) = \(stay.status) THEN \(stay.seconds)" as SQL
    }
    return """
      (\(row).ended_reason = 'ended' AND \(row).ended_at + make_interval(
        secs => CASE WHEN \(row).said IS NULL THEN \(longestStay)\(seconds) ELSE 0 END) > \(now))
      """
  }

  /// The last state of a subject that is gone, which says nothing new.
  /// - Parameter said: what was said before.
  static func calledOff(_ said: String?, at now: Date) -> Self {
    var state = said.flatMap(Self.init(text:)) ?? .gone(at: now)
    state.callOff()
    return state
  }

  /// One line of JSON, the same for the same content.
  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// Reads such a line; `nil` if another version wrote it.
  init?(text: String) {
    guard let state = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = state
  }
}
