import FoundationEssentials
import Notifications

/// One attempt to send a push, as the sender saw it, and what its person wanted at that moment.
struct SentPush {
  let time: Date
  let notification: UUID
  let event: String
  let user: String
  let subject: String
  let device: UUID
  let app: String
  let kind: String
  let payload: String
  let verdict: PushVerdict
  /// Whether the device is active, the person's, and one of the app's.
  let isTheirs: Bool
  let wantsQuiet: Bool
  /// Times of day as `HH:MM`, which compare as the clock shows them.
  let quietFrom: String
  let quietUntil: String
  /// The hours that began the day before.
  let quietFromBefore: String
  let quietUntilBefore: String
  let localTime: String
  /// Whether its person has muted it for a while.
  let isMuted: Bool
  let limit: Int?
  let badge: Int?
  let countedBadge: Int

  /// Told at any hour.
  var isUrgent: Bool { ["conflict_alert", "event_starting_soon", "time_to_leave"].contains(kind) }

  /// Told no matter how much else was told.
  var isPressing: Bool {
    isUrgent
      || [
        "proposal_created", "proposal_reminder", "proposal_updated", "friend_request", "group_invite",
        "device_assigned", "ticket_message", "quote_approved",
      ].contains(kind)
  }

  /// Whether the clock on the person's wall shows one of their quiet hours: of those that begin on this day, or of those
  /// from the day before that pass midnight.
  var isInQuietHours: Bool {
    guard wantsQuiet else { return false }
    if quietFromBefore > quietUntilBefore, localTime < quietUntilBefore { return true }
    if quietFrom <= quietUntil { return quietFrom <= localTime && localTime < quietUntil }
    return quietFrom <= localTime
  }

  var words: String { "\(kind) of \(event) to \(user.prefix(8)) at \(time) (\(localTime))" }
}
