import FoundationEssentials

/// How a person stands now, and what was decided about them lately.
struct PersonReport: Encodable {
  let person: Person
  let now: Date
  let since: Date
  let apps: [AppState]
  /// The newest first.
  let decisions: [DecisionReport]
  /// How many there were, where not all are listed.
  let total: Int

  /// How they stand with one app.
  struct AppState: Encodable {
    let app: String
    let badge: Int
    let timeZone: String?
    let isEnabled: Bool
    let quietHours: Quiet?
    let hourlyLimit: Int?
    let pushesOfLastHour: Int
    let devices: [OwnDevice]
    let waiting: [Waiting]
    let windows: [Window]
  }

  struct Quiet: Encodable {
    /// `22:00–08:00`.
    let hours: String
    /// When they end, where they are now.
    let until: Date?
  }

  struct OwnDevice: Encodable {
    let device: Device
    let isActive: Bool
    let deactivatedAt: Date?
    let deactivatedReason: String?
    /// Until when the provider asked to leave it in peace.
    let heldUntil: Date?
    let lastAcceptedAt: Date?
  }

  /// A notification that waits.
  struct Waiting: Encodable {
    let kind: String
    let reason: String
    let until: Date
  }

  /// The minutes in which others like one that went out are gathered.
  struct Window: Encodable {
    let family: String
    let subject: String
    let until: Date
  }
}
