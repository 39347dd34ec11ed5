import Formats
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The payload of a push with `apns-push-type: liveactivity`: it starts, updates or ends a Live Activity.
///
/// Source: https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications
public struct LiveActivityPayload<Attributes: LiveActivityAttributes>: Sendable, Equatable {
  /// The act of the push.
  public var event: Event
  /// The state that the activity shows from now on; at the end, the one that it shows until it is dismissed.
  public var state: Attributes.ContentState
  /// When the state was read.
  ///
  /// It is sent in whole seconds. The phone ignores a push that is older than one that came before, so a push that is
  /// sent again has the time of the first attempt.
  public var timestamp: Date
  /// The time from which the activity shows that it is out of date; `nil` means never.
  public var staleAt: Date?
  /// The sound of the alert; `default` is the system's, `nil` means silent.
  public var sound: String?
  /// How a started activity gets its updates; a channel needs iOS 18.
  public var updates = Updates.token
  /// The activity's rank among several: the highest comes first; any number.
  public var relevanceScore: Double?

  /// A silent payload; set everything else afterwards.
  public init(_ event: Event, state: Attributes.ContentState, timestamp: Date) {
    (self.event, self.state, self.timestamp) = (event, state, timestamp)
  }

  /// The acts of a push on an activity.
  public enum Event: Sendable, Equatable {
    /// Starts one; goes to a push-to-start token. Without an alert, the phone starts nothing.
    ///
    /// The phone gives the new activity's own token to the app.
    case start(Attributes, alert: PushPayload.Alert)
    /// Changes it; goes to the activity's own token, as the end does. An alert lights up the screen.
    case update(alert: PushPayload.Alert?)
    /// Ends it.
    ///
    /// It stays on the lock screen until the date, at most for four hours, which is also what `nil` means; a date that
    /// has passed removes it at once.
    case end(dismissedAt: Date?)
  }

  /// How an activity gets its updates.
  public enum Updates: Sendable, Equatable {
    /// By its own token, which the phone gives to the app.
    case token
    /// By broadcasts on a channel, in base64.
    case channel(String)
  }

  /// The payload as one line of JSON of at most ``PushPayload/maximumSize`` bytes, with room for
  /// ``PushPayload/insertID(_:as:into:)``.
  ///
  /// If it does not fit, these are shortened in turn, each as far as needed: the alert's texts to 100 bytes, the
  /// attributes, the state, and the rest of the alert.
  /// - Throws: ``PushPayload/TooLarge``, or the error of a type that cannot be encoded.
  public func encoded() throws -> String {
    let room = PushPayload.maximumSize - PushPayload.idRoom
    var payload = self
    var json = try payload.json
    for step in Shortening.allCases where json.count > room {
      payload.shorten(step, by: json.count - room)
      json = try payload.json
    }
    guard json.count <= room else {
      throw PushPayload.TooLarge(size: json.count + PushPayload.maximumSize - room)
    }
    return String(decoding: json, as: UTF8.self)
  }
}

extension LiveActivityPayload {
  private enum Shortening: CaseIterable { case body, title, attributes, state, restOfBody, restOfTitle }

  private mutating func shorten(_ step: Shortening, by excess: Int) {
    switch step {
    case .body: shorten(\.body, by: excess, keeping: 100)
    case .title: shorten(\.title, by: excess, keeping: 100)
    case .attributes:
      guard case .start(var attributes, let alert) = event else { return }
      attributes.shorten(by: excess)
      event = .start(attributes, alert: alert)
    case .state: state.shorten(by: excess)
    case .restOfBody: shorten(\.body, by: excess, keeping: 0)
    case .restOfTitle: shorten(\.title, by: excess, keeping: 0)
    }
  }

  private mutating func shorten(
    _ text: WritableKeyPath<PushPayload.Alert, String?>, by excess: Int, keeping least: Int
  ) {
    guard var alert else { return }
    alert[keyPath: text]?.shorten(byEncoded: excess, keeping: least)
    self.alert = alert
  }

  private var alert: PushPayload.Alert? {
    get {
      switch event {
      case .start(_, let alert): alert
      case .update(let alert): alert
      case .end: nil
      }
    }
    set {
      switch event {
      case .start(let attributes, let old): event = .start(attributes, alert: newValue ?? old)
      case .update: event = .update(alert: newValue)
      case .end: break
      }
    }
  }

  private var json: [UInt8] {
    get throws {
      var aps = JSONObject()
      if let alert {
        var texts = JSONObject()
        texts.add("body", alert.body)
        texts.add("sound", sound)
        texts.add("title", alert.title)
        aps.add("alert", texts)
      }
      if case .start(let attributes, _) = event {
        aps.add("attributes", json: try attributes.activityKitJSON)
        aps.add("attributes-type", "\(Attributes.self)")
      }
      aps.add("content-state", json: try state.activityKitJSON)
      if case .end(let date) = event { aps.add("dismissal-date", date.map { ActivityTime($0).seconds }) }
      aps.add("event", event.name)
      // Without it the app gets no token for updates: iOS 18 made it a choice between a token and a channel.
      if case .start = event {
        switch updates {
        case .token: aps.add("input-push-token", 1)
        case .channel(let channel): aps.add("input-push-channel", channel)
        }
      }
      aps.add("relevance-score", relevanceScore)
      aps.add("stale-date", staleAt.map { ActivityTime($0).seconds })
      aps.add("timestamp", ActivityTime(timestamp).seconds)
      var payload = JSONObject()
      payload.add("aps", aps)
      return payload.bytes
    }
  }
}

extension LiveActivityPayload.Event {
  fileprivate var name: String {
    switch self {
    case .start: "start"
    case .update: "update"
    case .end: "end"
    }
  }
}
