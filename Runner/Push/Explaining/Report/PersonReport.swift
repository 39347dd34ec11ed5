import FoundationEssentials

/// A person's state now, and the latest decisions about them.
struct PersonReport: Encodable {
  let person: Person
  let now: Date
  let since: Date
  let apps: [AppState]
  /// The newest first.
  let decisions: [DecisionReport]
  /// The number of all decisions, also of those that are not listed.
  let total: Int

  /// Their state in one app.
  struct AppState: Encodable {
    let app: String
    let badge: Int
    let timeZone: String?
    let isEnabled: Bool
    /// The switches of kinds that are off, by their names in the API.
    let switchedOff: [String]
    /// The projects or groups that they have muted, in whole or in part, ``mostMutes`` at most.
    let mutes: [Mute]
    let quietHours: Quiet?
    let hourlyLimit: Int?
    let pushesOfLastHour: Int
    let devices: [OwnDevice]
    let waiting: [Waiting]
    let windows: [Window]
  }

  /// A project or group that a person has muted, in whole or in part.
  struct Mute: Encodable, Equatable {
    let id: RowID
    let name: String
    /// The app's word for it: `project` or `group`.
    let place: String
    /// `muted`, or `important`: what asks for an answer or is urgent still comes.
    let level: String
  }

  /// The most projects or groups that are listed for an app.
  static let mostMutes = 100

  struct Quiet: Encodable {
    /// `22:00–08:00`.
    let hours: String
    /// Minutes after midnight.
    let startMinute: Int
    let endMinute: Int
    /// When they end; `nil` if they are not on now.
    let until: Date?
  }

  struct OwnDevice: Encodable {
    let device: Device
    let isActive: Bool
    let deactivatedAt: Date?
    let deactivatedReason: String?
    /// Until when the provider asked to send it nothing.
    let heldUntil: Date?
    let lastAcceptedAt: Date?
  }

  /// A held notification.
  struct Waiting: Encodable {
    let kind: String
    let reason: String
    let until: Date
  }

  /// A batch window: until then, notifications like one that went out are batched.
  struct Window: Encodable {
    let family: String
    let subject: String
    let until: Date
  }
}
