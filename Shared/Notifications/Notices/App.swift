/// The apps whose users get notifications.
///
/// Kinds, devices, switches and badges belong to one app. The raw value is stored in the column `app`.
package enum App: String, Sendable, CaseIterable {
  case feedbackKit = "feedbackkit"
  case lockItIn = "lockitin"
  case repairMinder = "repairminder"
  case mugshot
  case messageAI = "messageai"

  /// The app of rows and requests that name none.
  package static let `default` = App.feedbackKit
}
