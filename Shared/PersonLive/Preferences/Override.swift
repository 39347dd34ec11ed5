import Notifications

/// A person's switch for one project or group; if it is not set, the personal one decides.
package struct Override: Sendable, Hashable {
  /// Its name in the API.
  package let name: String
  let column: String

  /// FeedbackKit's switches for pushes.
  package static let push = all(of: .feedbackKit)
  /// FeedbackKit's switches for e-mail, which its server sends.
  package static let email = ["email_notify_new_feedback", "email_notify_new_comments"].map {
    Override(column: $0, without: "email_notify_")
  }
  /// LockItIn's switches.
  package static let group = all(of: .lockItIn)

  init(column: String, without prefix: String) {
    (name, self.column) = (PersonalSwitch.name(of: column.dropFirst(prefix.count)), column)
  }

  private static func all(of app: App) -> [Override] {
    PersonalSwitch.all(of: app).filter(\.isInGroups).map {
      Override(column: $0.key, without: app.profile.groups?.prefix ?? "")
    }
  }
}

/// The overrides that change; for one that becomes `nil`, the personal switch decides again.
package typealias OverrideChanges = [Override: Bool?]

extension [Assignment] {
  mutating func set(_ overrides: OverrideChanges) {
    set(Dictionary(uniqueKeysWithValues: overrides.map { ($0.key.column, $0.value) }))
  }
}
