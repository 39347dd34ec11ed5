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
  func reworded(with acts: [Act]) throws -> Reworded? { isReworded ? try said(with: acts) : nil }

  /// What it says now.
  /// - Parameter acts: the acts that it counts; an app's own words count them already.
  func said(with acts: [Act]) throws -> Reworded {
    var (text, values) = (text, values)
    if isReworded, let family = kind.family, subjectID != nil {
      let merged = Merged(acts, in: family, newest: text, subjectName: subjectName)
      if merged.count > 1 { (text, values) = (merged.text, merged.values(values)) }
    }
    return Reworded(
      notification: id, text: text.inInbox, data: PushPayload(values: values).encodedValues,
      payload: try payload(saying: isReworded ? text : nil, values: values))
  }

  /// A late summary in its current words; with one part left, it says what that part says.
  /// - Parameter parts: what it still tells of, the oldest first.
  func summary(of parts: [Reworded]) throws -> Reworded {
    guard parts.count != 1 else {
      return Reworded(notification: id, text: parts[0].text, data: parts[0].data, payload: parts[0].payload)
    }
    return try QuietSummary(of: parts.reversed().map(\.text.title)).reworded(id, to: candidate, in: kind.app)
  }
}

extension QuietSummary {
  /// The words of the notification that carries it.
  func reworded(_ notification: UUID, to candidate: Candidate, in app: App) throws -> Reworded {
    let (kind, values) = (Kind.quietSummary(of: app), values(in: app))
    var push = kind.payload(saying: text, values, thread: Self.collapseID, sound: candidate.sound)
    push.threadID = nil
    return Reworded(
      notification: notification, text: text.inInbox, data: PushPayload(values: values).encodedValues,
      payload: PushPayload.insertID(notification, as: app.profile.idKey, into: try push.encoded()))
  }
}
