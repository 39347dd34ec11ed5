import FoundationEssentials
import FunctionKit
import PushPayload

/// How long an ended Live Activity stays on the lock screen.
enum ActivityEnd {
  /// The seconds in which an ended activity may still be on a lock screen, so that a push to it is of use.
  static let longest: TimeInterval = 12 * 3_600

  /// When the phone removes an activity that ends with a status: at once what was called off, soon what has closed, and
  /// later what was decided.
  static func dismissal(_ status: ProposalActivityAttributes.Status, at now: Date) -> Date {
    switch status {
    case .confirmed: now.addingTimeInterval(3_600)
    case .closed: now.addingTimeInterval(900)
    default: now
    }
  }
}

extension ProposalActivityAttributes.ContentState {
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
