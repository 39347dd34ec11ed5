import FoundationEssentials
import FunctionKit

/// The Live Activities of all phones, the oldest first.
struct Activities: Sendable {
  private var activities: [String: LiveActivity] = [:]
  private var order: [String] = []
  /// Tokens that the emulator has not handed out, and that have started an activity.
  private var starters: Set<String> = []
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
      try take(record, try ActivityPush(record.json["payload"]), at: now)
      return nil
    } catch {
      ignored.append((record.seq, record.phone, error.why))
      if ignored.count > Self.ignoredCapacity { ignored.removeFirst() }
      return error.why
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

  /// Those that phones show, by the token of each, the newest first.
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
