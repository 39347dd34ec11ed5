import FoundationEssentials
import FunctionKit

/// A Live Activity on a phone's lock screen.
struct LiveActivity: Sendable {
  /// The device's token.
  let phone: String
  /// The token for updates and the end.
  let token: String
  /// How the app gets updates.
  let updates: ActivityPush.Updates
  /// The bundle id of its app.
  let app: String
  /// The attributes that the start has named; `nil` for an activity that the app itself has started.
  let about: (type: String, attributes: RawJSON)?
  let startedAt: Date
  /// The number of the latest push.
  private(set) var push: Int
  private var latest: ActivityPush
  private(set) var state: RawJSON?
  private var ended: (at: Date, dismissal: Date)?
  /// How many updates came after the start.
  private var updateCount = 0
  /// How many pushes had the priority 10; the system allows an app only some in an hour.
  private var urgentCount = 0

  /// The phase in which the system keeps it.
  enum Phase: String, Sendable, Equatable {
    case active
    /// Its stale date has passed.
    case stale
    /// It is still shown, and takes nothing but another end.
    case ended
    /// It is gone.
    case dismissed
  }

  /// The system ends an activity after eight hours, and shows an ended one for four more at most.
  ///
  /// Source: https://developer.apple.com/documentation/activitykit/displaying-live-data-with-live-activities
  private static let (longest, longestAfterEnd) = (8 * 3_600.0, 4 * 3_600.0)

  /// An activity that begins with a push.
  init(_ record: PushRecord, _ push: ActivityPush, token: String, at now: Date) {
    phone = ActivityToken.phone(of: record.token)
    (self.token, self.push, startedAt, latest, state) = (token, record.seq, now, push, push.state)
    app = SimulatorFile.bundleID(of: record) ?? ""
    if case .start(let type, let attributes, let updates) = push.event {
      (about, self.updates) = ((type, attributes), updates)
    } else {
      // A token that no push has started: the app has started the activity, and asked for the token.
      (about, updates) = (nil, .token)
      updateCount = 1
    }
    if record.isUrgent { urgentCount = 1 }
    end(push, at: now)
  }

  func phase(at now: Date) -> Phase {
    let (end, dismissal) = end(by: now)
    if now >= dismissal { return .dismissed }
    if now >= end { return .ended }
    return latest.staleAt.map { Double($0) <= now.timeIntervalSince1970 } == true ? .stale : .active
  }

  /// Since when its token is no longer valid, in milliseconds since 1970; `nil` while it is.
  ///
  /// While an activity that a push has ended is still shown, another end may change what it says and when it goes. What
  /// the system has ended takes nothing.
  func tokenEnd(at now: Date) -> Int? {
    let end = ended?.dismissal ?? end(by: now).at
    return now >= end ? Int(end.timeIntervalSince1970 * 1_000) : nil
  }

  private func end(by now: Date) -> (at: Date, dismissal: Date) {
    let limit = startedAt + Self.longest
    return ended ?? (limit, limit + Self.longestAfterEnd)
  }

  /// Takes an update, the end, or another end while it is still shown.
  mutating func receive(_ record: PushRecord, _ push: ActivityPush, at now: Date) throws(ActivityPush.Ignored) {
    guard tokenEnd(at: now) == nil, push.isEnd || now < end(by: now).at else {
      throw ActivityPush.Ignored("The activity has ended.")
    }
    guard push.timestamp >= latest.timestamp else {
      throw ActivityPush.Ignored("A push with the later timestamp \(latest.timestamp) came before.")
    }
    (latest, self.push, state) = (push, record.seq, push.state ?? state)
    updateCount += 1
    if record.isUrgent { urgentCount += 1 }
    end(push, at: now)
  }

  private mutating func end(_ push: ActivityPush, at now: Date) {
    guard case .end(let dismissal) = push.event else { return }
    let last = now + Self.longestAfterEnd
    ended = (now, dismissal.map { min(max(Date(timeIntervalSince1970: Double($0)), now), last) } ?? last)
  }

  /// The form of `GET /activities`.
  func json(at now: Date) -> RawJSON {
    let phase = phase(at: now)
    var members = [("device", RawJSON(phone)), ("app", RawJSON(app)), ("phase", RawJSON(phase.rawValue))]
    switch updates {
    case .token: members.append(("token", RawJSON(token)))
    case .channel(let channel): members.append(("channel", RawJSON(channel)))
    case .none: break
    }
    if let about { members += [("type", RawJSON(about.type)), ("attributes", about.attributes.onOneLine)] }
    if let state { members.append(("state", state.onOneLine)) }
    members += [
      ("startedAt", RawJSON(RFC3339.string(startedAt))), ("timestamp", RawJSON(latest.timestamp)),
      ("push", RawJSON(push)), ("updates", RawJSON(updateCount)), ("urgent", RawJSON(urgentCount)),
    ]
    if let staleAt = latest.staleAt { members.append(("staleAt", RawJSON(staleAt))) }
    if let relevance = latest.relevance { members.append(("relevance", relevance)) }
    if let alert = latest.alert { members.append(("alert", alert.onOneLine)) }
    if phase == .ended || phase == .dismissed {
      let (end, dismissal) = end(by: now)
      members += [
        ("endedAt", RawJSON(RFC3339.string(end))), ("dismissedAt", RawJSON(RFC3339.string(dismissal))),
      ]
    }
    return RawJSON(object: members)
  }
}

extension PushRecord {
  /// Whether it counts towards the system's limit for updates: those with the priority 5 do not.
  fileprivate var isUrgent: Bool { json["priority"]?.intValue ?? 10 == 10 }
}
