import FoundationEssentials
import FunctionKit

/// The Live Activities of all phones, the oldest first.
struct Activities: Sendable {
  private var activities: [String: LiveActivity] = [:]
  private var order: [String] = []
  /// Tokens that the emulator has not handed out, and that have started an activity.
  private var starters: Set<String> = []
  /// The newest broadcast of each channel that waits for phones which were offline.
  private var kept: [String: PushRecord] = [:]
  private var ignored: [(push: Int, phone: String, why: String)] = []

  /// The most activities; the older half goes when there are more.
  private static let capacity = 10_000
  /// The most ignored pushes.
  private static let ignoredCapacity = 1_000

  /// The activities that pushes have made.
  init(_ pushes: some Sequence<PushRecord> = EmptyCollection()) {
    for push in pushes { receive(push, at: push.json["receivedAt"]?.stringValue.flatMap(RFC3339.date) ?? .distantPast) }
  }

  /// Takes a push that has reached its phone; returns why the phone ignores it.
  @discardableResult
  mutating func receive(_ record: PushRecord, at now: Date) -> String? {
    guard record.isTaken, record.pushType == PushType.liveactivity.rawValue else { return nil }
    do throws(ActivityPush.Ignored) {
      let push = try ActivityPush(record.json["payload"])
      if let channel = record.channel { return try broadcast(record, push, on: channel, at: now) }
      try take(record, push, at: now)
      return nil
    } catch {
      return ignore(record, by: record.phone, error)
    }
  }

  private mutating func ignore(_ record: PushRecord, by phone: String, _ reason: ActivityPush.Ignored) -> String {
    ignored.append((record.seq, phone, reason.why))
    if ignored.count > Self.ignoredCapacity { ignored.removeFirst() }
    return reason.why
  }

  /// Gives a broadcast to the activities that listen, except to those that it has missed; returns why one ignores it.
  private mutating func broadcast(
    _ record: PushRecord, _ push: ActivityPush, on channel: String, at now: Date
  ) throws(ActivityPush.Ignored) -> String? {
    if case .start = push.event { throw ActivityPush.Ignored("A broadcast starts no activity.") }
    if record.keptUntil != nil { kept[channel] = record }
    let missed = Set(record.missed)
    let reached = listeners(to: channel, of: SimulatorFile.bundleID(of: record), at: now)
    return give(record, push, to: reached.filter { !missed.contains($0.token) }, at: now)
  }

  private mutating func give(
    _ record: PushRecord, _ push: ActivityPush, to listeners: [LiveActivity], at now: Date
  ) -> String? {
    var why: String?
    for listener in listeners {
      do throws(ActivityPush.Ignored) {
        try activities[listener.token]?.receive(record, push, at: now)
      } catch {
        why = ignore(record, by: listener.phone, error)
      }
    }
    return why
  }

  /// The activities that were started with a channel and have not ended, the oldest first.
  func listeners(to channel: String, of app: String?, at now: Date) -> [LiveActivity] {
    let all = order.compactMap { activities[$0] }
    return all.filter { activity in
      guard activity.updates == .channel(channel), activity.app == app else { return false }
      return activity.tokenEnd(at: now) == nil
    }
  }

  /// Gives phones the broadcasts that waited for them.
  ///
  /// - Parameter isReached: whether a phone can be reached now.
  mutating func deliverKept(where isReached: (String) -> Bool, at now: Date) {
    for (channel, record) in kept {
      guard let until = record.keptUntil, now < until, let push = try? ActivityPush(record.json["payload"]) else {
        kept[channel] = nil
        continue
      }
      let missed = Set(record.missed)
      let late = listeners(to: channel, of: SimulatorFile.bundleID(of: record), at: now).filter {
        missed.contains($0.token) && $0.push < record.seq && isReached($0.phone)
      }
      _ = give(record, push, to: late, at: now)
    }
  }

  private mutating func take(_ record: PushRecord, _ push: ActivityPush, at now: Date) throws(ActivityPush.Ignored) {
    let role = ActivityToken(record.token)?.use
    if case .start(let type, _, _) = push.event {
      if case .update = role { throw ActivityPush.Ignored("The token of an activity starts none.") }
      if case .start(let own) = role, own != type {
        throw ActivityPush.Ignored("The token starts activities of \(own), not \(type).")
      }
      guard activities[record.token] == nil else { throw ActivityPush.Ignored("The token of an activity starts none.") }
      if role == nil { starters.insert(record.token) }
      let token = ActivityToken(phone: record.phone, startedBy: record.seq)?.text ?? "\(record.token)-\(record.seq)"
      return add(LiveActivity(record, push, token: token, at: now))
    }
    if case .start = role { throw ActivityPush.Ignored("The token only starts activities.") }
    guard !starters.contains(record.token) else { throw ActivityPush.Ignored("The token only starts activities.") }
    if activities[record.token] == nil {
      guard role == nil else { throw ActivityPush.Ignored("There is no such activity.") }
      return add(LiveActivity(record, push, token: record.token, at: now))
    }
    try activities[record.token]?.receive(record, push, at: now)
  }

  private mutating func add(_ activity: LiveActivity) {
    activities[activity.token] = activity
    order.append(activity.token)
    guard order.count > Self.capacity else { return }
    for token in order.prefix(order.count / 2) { activities[token] = nil }
    order.removeFirst(order.count / 2)
  }

  /// APNs' refusal of a push because of its token; `nil` if it accepts the push.
  ///
  /// The token of an activity that is gone is no longer valid, and none of them is a device's token.
  func refusal(_ token: String, _ pushType: String?, at now: Date) -> Answer? {
    guard pushType == PushType.liveactivity.rawValue else {
      let isActivitys = activities[token] != nil || starters.contains(token) || ActivityToken(token) != nil
      return isActivitys ? .refused(.deviceTokenNotForTopic) : nil
    }
    return activities[token]?.tokenEnd(at: now).map { .refused(.expiredToken, timestamp: $0) }
  }

  /// The activities of the phones with such tokens, the oldest first.
  func all(where isMeant: (String) -> Bool) -> [LiveActivity] {
    order.compactMap { activities[$0] }.filter { isMeant($0.phone) }
  }

  /// The activities that phones show, by the token of each, the newest first.
  func shown(at now: Date) -> [String: [LiveActivity]] {
    Dictionary(grouping: all { _ in true }.reversed().filter { $0.phase(at: now) != .dismissed }, by: \.phone)
  }

  /// The answer to `GET /activities`.
  func json(of phones: (String) -> Bool, at now: Date) -> [UInt8] {
    JSONText.object([
      "activities": JSONText.array(all(where: phones).map { $0.json(at: now).bytes }),
      "ignored": JSONText.array(
        ignored.filter { phones($0.phone) }.map { ignored in
          RawJSON(object: [("push", RawJSON(ignored.push)), ("why", RawJSON(ignored.why))]).bytes
        }),
    ])
  }
}

extension PushRecord {
  /// The tokens of the activities that a broadcast has not reached on arrival.
  fileprivate var missed: [String] { json["missed"]?.elements?.compactMap(\.stringValue) ?? [] }

  /// Until when a broadcast waits for phones that are offline; `nil` if it does not.
  fileprivate var keptUntil: Date? {
    guard channel != nil, json["offline"]?.stringValue == "stored", let expiration = json["expiration"]?.intValue,
      let arrival = json["receivedAt"]?.stringValue.flatMap(RFC3339.date)
    else { return nil }
    // Apple keeps it for eight hours at most.
    return min(Date(timeIntervalSince1970: Double(expiration)), arrival + 8 * 3_600)
  }
}
