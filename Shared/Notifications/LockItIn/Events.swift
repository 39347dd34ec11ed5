public import FoundationEssentials
public import PushPayload

/// An event is tomorrow; only for those who asked for it.
public struct EventDayBefore: AttendeeNotice {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "event_day_before", importance: .normal, preference: .dayBeforeReminders, isOnByDefault: false,
    category: "EVENT_REMINDER")
  /// From a day before the start, for an hour.
  ///
  /// Later, or for an event that is settled when it is nearer, this reminder does not go out.
  public static let window = EventWindow(edge: .start, after: 23 * 3_600, through: 24 * 3_600)

  /// The event.
  public let event: GroupEvent
  let timeLeft: TimeLeft

  /// A reminder of an event.
  public init(of event: GroupEvent, at now: Date) {
    (self.event, timeLeft) = (event, TimeLeft(seconds: event.start.timeIntervalSince(now)))
  }

  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] { reminderValues(minutes: timeLeft.minutes) }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "\(event.name ?? "An event") starts \(timeLeft.text)", body: event.place)
  }
}

/// An event starts within half an hour.
public struct EventStartingSoon: AttendeeNotice {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "event_starting_soon", importance: .urgent, preference: .eventReminders, category: "EVENT_REMINDER",
    quietHours: .pass)
  /// From half an hour before the start until the start.
  public static let window = EventWindow(edge: .start, after: 0, through: 30 * 60)

  /// The event.
  public let event: GroupEvent
  let minutes: Int

  /// A reminder of an event.
  public init(of event: GroupEvent, at now: Date) {
    self.event = event
    // To the nearest minute: a tick comes some milliseconds after the full one.
    minutes = Int((event.start.timeIntervalSince(now) / 60).rounded())
  }

  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] { reminderValues(minutes: minutes) }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let time = minutes == 0 ? "now" : "in \(minutes) minute\(minutes == 1 ? "" : "s")"
    return NotificationText(title: "\(event.name ?? "An event") starts \(time)", body: event.place)
  }
}

/// Somebody has to leave to be at an event in time.
public struct TimeToLeave: AttendeeNotice {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "time_to_leave", importance: .urgent, preference: .eventReminders, category: "TIME_TO_LEAVE",
    quietHours: .pass)
  /// Nobody is told of a way that takes this many minutes or fewer.
  public static let shortWay = 5
  /// How many minutes before they have to leave people are told.
  public static let buffer = 15
  /// Ways take a day at most; each person's own way is looked at as well.
  public static let window = EventWindow(edge: .start, after: 0, through: TimeInterval(86_400 + buffer * 60))

  /// The event.
  public let event: GroupEvent

  /// A reminder of an event.
  public init(of event: GroupEvent, at now: Date) { self.event = event }

  /// The keys that do not depend on the way.
  public var values: [String: PushPayload.Value] {
    var values = commonValues
    values["location_lat_lng"] = event.name != nil ? event.coordinates.map { .string($0) } : nil
    return values
  }

  /// The app's own keys of the payload.
  public func values(for recipient: Recipient) -> [String: PushPayload.Value] {
    var values = values
    values["travel_time_minutes"] = recipient.travel.map { .integer($0.minutes) }
    values["traffic_level"] = recipient.travel?.traffic.map { .string($0) }
    return values
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let title = "Time to leave for \(event.name ?? "an event")!"
    guard let travel = recipient.travel else { return NotificationText(title: title, body: event.place) }
    let mode = travel.mode.map { " via \($0)" } ?? ""
    let traffic = travel.traffic.map { " • \($0.prefix(1).uppercased())\($0.dropFirst()) traffic" } ?? ""
    return NotificationText(title: title, body: "\(travel.minutes) min away\(mode)\(traffic)")
  }
}

/// An event that is tracked has ended.
public struct MemoryPrompt: AttendeeNotice {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "memory_prompt", importance: .passive, preference: .memoryPrompts, category: "MEMORY_PROMPT")
  /// From ten minutes after the end for a day.
  public static let window = EventWindow(edge: .end, after: -86_400, through: -10 * 60)

  /// The event.
  public let event: GroupEvent

  /// A question about an event.
  public init(of event: GroupEvent, at now: Date) { self.event = event }

  /// Three days after the event's end.
  public var deadline: Date? { event.end.addingTimeInterval(3 * 86_400) }

  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    commonValues.merging(["group_id": .string(event.groupID.lowercased)]) { _, new in new }
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "How was \(event.name ?? "the event")?", body: "Add a photo to memories")
  }
}
