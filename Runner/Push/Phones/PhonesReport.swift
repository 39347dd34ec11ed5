import FoundationEssentials
import PushPayload

/// What the emulator's phones show, and how it answers the next pushes.
struct PhonesReport: Encodable {
  /// Those with the newest pushes first.
  let phones: [Phone]
  /// Whether there are more than are listed.
  let hasMore: Bool
  let faults: [PhoneFault]
}

/// One phone.
struct Phone: Encodable {
  /// The row of `device_tokens`; `nil` if the database does not know the token.
  let id: RowID?
  let person: Person?
  /// As the app registered it, such as `iOS`.
  let platform: String
  let app: String?
  /// `apns` or `fcm`.
  let provider: String
  /// The first 8 characters.
  let token: String
  /// Whether it is told anything.
  let isActive: Bool
  /// The number on the app's icon; `nil` if no push has set one.
  let badge: Int?
  /// The number that the database counts; `nil` for a token that it does not know.
  let counted: Int?
  /// How many notifications it has shown in all.
  let shown: Int
  /// How many of them were the same twice.
  let duplicates: Int
  /// The newest first.
  let notes: [PhoneNote]
  /// How many are not listed.
  let others: Int
}

/// A notification on a phone's screen.
struct PhoneNote: Encodable {
  /// The push's number at the emulator.
  let push: Int
  let at: Date
  /// The kind of notification.
  let kind: String
  let title: String?
  let subtitle: String?
  let body: String?
  /// The group that it is shown in.
  let thread: String?
  /// Where its picture is; nobody fetches it.
  let image: String?
  let sound: String?
  /// `passive`, `active`, `time-sensitive` or `critical`.
  let level: String
  /// How many pushes it has replaced.
  let replaced: Int
  /// The id by which a later push replaces it.
  let collapseID: String?
  /// The place that a tap opens.
  let link: String?
  /// The notification's id, which a tap needs.
  let notification: RowID?
  let buttons: [Button]
  /// What the person has done with it already, such as `opened` or `VOTE_YES`.
  var done: [String] = []

  struct Button: Encodable {
    let action: String
    let title: String
    let isDestructive: Bool
    let opensApp: Bool
    /// The text in the empty field; `nil` for a button without one.
    let placeholder: String?
  }
}

/// How the emulator answers some of the next pushes.
struct PhoneFault: Encodable {
  let number: Int
  /// In plain words, such as `410 Unregistered`.
  let words: String
  /// The beginning of the device's token; `nil` for all.
  let token: String?
  /// How many pushes it hits in all; `nil` for all.
  let times: Int?
  /// How many it has hit.
  let fired: Int
}
