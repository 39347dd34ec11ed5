import FunctionKit

/// A push for a Live Activity, as ActivityKit reads it on the phone.
///
/// APNs reads none of this. It takes a wrong payload, and the phone ignores it without a word; the emulator says why.
///
/// Source: https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications
struct ActivityPush: Sendable {
  let event: Event
  /// When the state was read, in seconds since 1970.
  let timestamp: Int
  /// `content-state`; only an end may have none.
  let state: RawJSON?
  let staleAt: Int?
  let relevance: RawJSON?
  let alert: RawJSON?

  enum Event: Sendable {
    case start(type: String, attributes: RawJSON, updates: Updates)
    case update
    /// The time of dismissal, in seconds since 1970.
    case end(dismissal: Int?)
  }

  /// Whether it ends the activity.
  var isEnd: Bool {
    guard case .end = event else { return false }
    return true
  }

  /// How the app asks for updates of an activity that a push starts.
  enum Updates: Sendable, Equatable {
    case none
    case token
    case channel(String)
  }

  /// Why the phone does nothing.
  struct Ignored: Error, Equatable {
    let why: String

    init(_ why: String) { self.why = why }
  }

  init(_ payload: RawJSON?) throws(Ignored) {
    let aps = payload?["aps"]
    guard let time = aps?["timestamp"]?.intValue, time >= 0 else {
      throw Ignored("timestamp must be whole seconds since 1970.")
    }
    timestamp = time
    state = aps?["content-state"]
    guard state == nil || state?.kind == .object else { throw Ignored("content-state must be an object.") }
    (staleAt, relevance) = (try Self.seconds("stale-date", aps), aps?["relevance-score"])
    alert = aps?["alert"]
    switch aps?["event"]?.stringValue {
    case "start": event = try Self.start(aps)
    case "update": event = .update
    case "end": event = .end(dismissal: try Self.seconds("dismissal-date", aps))
    default: throw Ignored("event must be start, update or end.")
    }
    if case .end = event { return }
    guard state != nil else { throw Ignored("content-state is missing.") }
  }

  private static func start(_ aps: RawJSON?) throws(Ignored) -> Event {
    guard let type = aps?["attributes-type"]?.stringValue, !type.isEmpty else {
      throw Ignored("attributes-type must name the app's type.")
    }
    guard let attributes = aps?["attributes"], attributes.kind == .object else {
      throw Ignored("attributes must be an object.")
    }
    guard let alert = aps?["alert"], alert["title"] != nil, alert["body"] != nil else {
      throw Ignored("A start needs an alert with title and body.")
    }
    if let channel = aps?["input-push-channel"]?.stringValue {
      return .start(type: type, attributes: attributes, updates: .channel(channel))
    }
    let hasToken = aps?["input-push-token"]?.intValue == 1
    return .start(type: type, attributes: attributes, updates: hasToken ? .token : .none)
  }

  private static func seconds(_ name: String, _ aps: RawJSON?) throws(Ignored) -> Int? {
    guard let json = aps?[name] else { return nil }
    guard let seconds = json.intValue else { throw Ignored("\(name) must be whole seconds since 1970.") }
    return seconds
  }
}
