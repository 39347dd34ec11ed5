package import FoundationEssentials
package import PushPayload

extension GroupEvent {
  /// The notices to its attendees: `event-reminder` sends each, and a held one gets its current words when it goes out.
  package static let notices: [any AttendeeNotice.Type] = [
    EventDayBefore.self, EventStartingSoon.self, TimeToLeave.self, MemoryPrompt.self,
  ]
}

/// An event is tomorrow; this reminder is off by default.
package struct EventDayBefore: AttendeeNotice {
  package static let kind = Kind(
    .lockItIn, "event_day_before", importance: .normal, preference: .init("day_before_reminders", inGroups: true),
    isOnByDefault: false,
    category: .eventReminder, section: .upcoming)
  /// One hour, from a day before the start.
  ///
  /// It does not go out later, nor for an event that is confirmed later.
  package static let window = EventWindow(edge: .start, after: 23 * 3_600, through: 24 * 3_600)

  package let event: GroupEvent
  let timeLeft: TimeLeft

  package init(of event: GroupEvent, at now: Date) {
    (self.event, timeLeft) = (event, TimeLeft(seconds: event.start.timeIntervalSince(now)))
  }

  package var values: [String: PushPayload.Value] {
    LockItInPush.eventDayBefore(
      event: event.id, title: event.name, location: event.shownLocation, minutesLeft: timeLeft.minutes
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    return NotificationText(
      title: say("title", ["time": .words(words.away(timeLeft))], in: words), body: Sentence(alone: event.place))
  }
}

/// An event starts within half an hour.
package struct EventStartingSoon: AttendeeNotice {
  package static let kind = Kind(
    .lockItIn, "event_starting_soon", importance: .urgent, preference: .init("event_reminders", inGroups: true),
    category: .eventReminder, quietHours: .pass, section: .upcoming)
  /// From half an hour before the start until the start.
  package static let window = EventWindow(edge: .start, after: 0, through: 30 * 60)

  package let event: GroupEvent
  let minutes: Int

  package init(of event: GroupEvent, at now: Date) {
    self.event = event
    // Rounded to the nearest minute, because a tick comes some milliseconds after the full minute.
    minutes = Int((event.start.timeIntervalSince(now) / 60).rounded())
  }

  package var values: [String: PushPayload.Value] {
    LockItInPush.eventStartingSoon(
      event: event.id, title: event.name, location: event.shownLocation, minutesLeft: minutes
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    let title =
      minutes == 0
      ? say("title_now", in: words) : say("title", ["time": .words(words.away(minutes: minutes))], in: words)
    return NotificationText(title: title, body: Sentence(alone: event.place))
  }
}

/// A person has to leave now to arrive in time.
package struct TimeToLeave: AttendeeNotice {
  package static let kind = Kind(
    .lockItIn, "time_to_leave", importance: .urgent, preference: .init("event_reminders", inGroups: true),
    category: .timeToLeave,
    quietHours: .pass, section: .upcoming)
  /// The longest way, in minutes, without a reminder.
  package static let shortWay = 5
  /// How many minutes before they have to leave people are notified.
  package static let buffer = 15
  /// Travel takes a day at most; each person's own travel time is checked too.
  package static let window = EventWindow(edge: .start, after: 0, through: TimeInterval(86_400 + buffer * 60))

  package let event: GroupEvent

  package init(of event: GroupEvent, at now: Date) { self.event = event }

  /// The keys that do not depend on the travel time.
  package var values: [String: PushPayload.Value] { values(with: nil) }

  package func values(for recipient: Recipient) -> [String: PushPayload.Value] {
    values(with: recipient.travel)
  }

  private func values(with travel: Travel?) -> [String: PushPayload.Value] {
    LockItInPush.timeToLeave(
      event: event.id, title: event.name, travelMinutes: travel?.minutes, traffic: travel?.traffic,
      coordinate: event.shownCoordinates
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    let title = say("title", in: words)
    guard let travel = recipient.travel else {
      return NotificationText(title: title, body: Sentence(alone: event.place))
    }
    let parts = [way(travel, words), travel.traffic?.unlessBlank.map { traffic($0, words) }].compactMap { $0?.text }
    return NotificationText(title: title, body: Sentence(said: parts.joined(separator: " • ")))
  }

  private func way(_ travel: Travel, _ words: Words) -> Sentence {
    let amount = Words.Fact.words(words.minutes(travel.minutes))
    guard let mode = travel.mode?.unlessBlank else { return words("lockitin.time_to_leave.body", ["amount": amount]) }
    let name = words.known("lockitin.time_to_leave.mode.\(mode)")
    return words(
      "lockitin.time_to_leave.body_mode", ["amount": amount, "mode": name.map { .words($0) } ?? .value(mode)])
  }

  private func traffic(_ level: String, _ words: Words) -> Sentence {
    words.known("lockitin.time_to_leave.traffic.\(level)")
      ?? words(
        "lockitin.time_to_leave.traffic", ["level": .value(level.prefix(1).uppercased() + level.dropFirst())])
  }
}

/// A tracked event has ended.
package struct MemoryPrompt: AttendeeNotice {
  package static let kind = Kind(
    .lockItIn, "memory_prompt", importance: .passive, preference: .init("memory_prompts"), category: .memoryPrompt,
    section: .activity)
  /// One day, from ten minutes after the end.
  package static let window = EventWindow(edge: .end, after: -86_400, through: -10 * 60)

  package let event: GroupEvent

  package init(of event: GroupEvent, at now: Date) { self.event = event }

  /// Three days after the event's end.
  package var deadline: Date? { event.end.addingTimeInterval(3 * 86_400) }

  package var values: [String: PushPayload.Value] {
    LockItInPush.memoryPrompt(event: event.id, title: event.name, group: event.groupID).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    NotificationText(
      title: say("title", in: recipient.words), body: recipient.words("lockitin.memory_prompt.body"))
  }
}
