import FoundationEssentials
import Notifications
import PushPayload

/// A late notification in its current words.
struct Reworded {
  let notification: UUID
  let text: NotificationText
  /// The app's own keys as JSON.
  let data: String
  let payload: String
}

extension Waiting {
  /// The current words; `nil` if they have not changed.
  /// - Parameter acts: the acts that it counts, including those of notifications that were merged into it.
  func reworded(with acts: [Act]) throws -> Reworded? {
    guard isReworded else { return nil }
    var (text, values) = (text, values)
    if let family = kind.family, subjectID != nil {
      let merged = Merged(acts, in: family, newest: text, subjectName: subjectName)
      if merged.count > 1 { (text, values) = (merged.text, merged.values(values)) }
    }
    return Reworded(
      notification: id, text: text.inInbox, data: PushPayload(values: values).encodedValues,
      payload: try payload(saying: text, values: values))
  }
}
