import FunctionKit
import Notifications
import Postgres
import Testing

/// The course of events for Ada's two devices with FeedbackKit, where her badge is 3 at first.
struct ShownBadgeCourse: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The course itself, with the ids of her entries.
  let run: @Sendable (ShownBadges, [String]) async throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (ShownBadges, [String]) async throws -> Void) {
    (testDescription, self.run) = (name, run)
  }

  static func read(_ entry: String, _ shown: ShownBadges) async throws {
    try await shown.change("notifications", entry, "is_read = true")
  }

  static func unread(_ entry: String, _ shown: ShownBadges) async throws {
    try await shown.change("notifications", entry, "is_read = false")
  }

  static let all = [
    Self("nothing else") { shown, entries in try await read(entries[0], shown) },
    Self("it falls to the number with which one that waited was made") { shown, entries in
      for entry in entries {
        try await read(entry, shown)
        try await shown.send()
        try await unread(entry, shown)
      }
      // The hour is full: this one is made with 2, and goes out with 3.
      try await read(entries[0], shown)
      try await unread(entries[0], shown)
      try await shown.rest()
      try await read(entries[0], shown)
    },
    Self("the first try fails") { shown, entries in
      try await read(entries[0], shown)
      shown.answer([.failed, .failed])
      try await shown.send()
      try await unread(entries[0], shown)
      try await shown.rest()
      try await read(entries[0], shown)
    },
    Self("one of two devices fails") { shown, entries in
      try await read(entries[0], shown)
      shown.answer([.init(verdict: .retryLater(atLeast: nil), device: "a1")])
      try await shown.send()
      try await unread(entries[0], shown)
    },
    Self("a device is on hold") { shown, entries in
      try await read(entries[0], shown)
      shown.answer([.throttled])
      try await shown.send()
      try await unread(entries[0], shown)
      try await shown.send()
      try await read(entries[1], shown)
    },
    Self("an answer is lost, and the badge goes back") { shown, entries in
      try await read(entries[0], shown)
      shown.answer([.lost, .lost])
      try await shown.send()
      try await unread(entries[0], shown)
    },
    Self("an answer to an alert is lost, and it ends") { shown, entries in
      try await shown.alert(until: 1)
      shown.answer([.lost, .lost])
      try await shown.send()
      let alert = "(SELECT id FROM notifications WHERE payload IS NOT NULL AND type = 'new_vote')"
      try await shown.scene.demo.connection.script("UPDATE notifications SET is_read = true WHERE id = \(alert)")
      try await shown.tellLosses()
    },
    Self("an alert is under way with the number before") { shown, entries in
      try await shown.alert()
      let batch = try await shown.claim()
      let alert: String = try await shown.scene.demo.connection.query(
        "SELECT id::text FROM notifications WHERE payload IS NOT NULL AND type = 'new_vote'"
      ).only().decode("id")
      try await read(alert, shown)
      try await shown.send(batch)
    },
    Self("two batches are answered in the other order") { shown, entries in
      try await shown.alert()
      let first = try await shown.claim()
      try await shown.alert()
      let second = try await shown.claim()
      try await shown.send(second)
      try await shown.send(first)
    },
    Self("the sender dies after it has sent") { shown, entries in
      try await shown.alert()
      try await shown.send(try await shown.claim(), writes: false)
      let alert: String = try await shown.scene.demo.connection.query(
        "SELECT id::text FROM notifications WHERE payload IS NOT NULL AND type = 'new_vote'"
      ).only().decode("id")
      try await shown.scene.demo.connection.script("UPDATE deliveries SET lease_until = now() - interval '1 minute'")
      try await read(alert, shown)
    },
    Self("the sender dies after it has sent, and comes back late") { shown, entries in
      try await shown.alert()
      let batch = try await shown.claim()
      try await shown.scene.demo.connection.script("UPDATE deliveries SET lease_until = now() - interval '1 minute'")
      try await read(entries[0], shown)
      try await shown.send()
      try await shown.send(batch)
    },
    Self("an alert fails until its end") { shown, entries in
      try await shown.alert(until: 30)
      shown.answer(Array(repeating: .failed, count: 2))
      try await shown.send()
    },
    Self("an alert waits until its end") { shown, entries in
      try await shown.alert(until: 30)
      shown.wait(3_600)
    },
    Self("an alert is refused") { shown, entries in
      try await shown.alert()
      shown.answer([.refused, .refused])
      try await shown.send()
    },
    Self("the provider is away for days") { shown, entries in
      try await read(entries[0], shown)
      shown.answer(Array(repeating: .failed, count: 60))
      try await shown.send()
    },
    Self("nobody answers for days") { shown, entries in
      try await read(entries[0], shown)
      shown.answer(Array(repeating: .dropped, count: 20))
      try await shown.send()
    },
    Self("the sender does not run for two weeks") { shown, entries in
      try await read(entries[0], shown)
      shown.wait(14 * 86_400)
    },
    Self("the device is registered again") { shown, entries in
      try await read(entries[0], shown)
      try await shown.rest()
      try await unread(entries[0], shown)
      try await shown.send()
      try await shown.scene.demo.connection.script("UPDATE device_tokens SET registered_at = '\(shown.now)'")
      try await read(entries[1], shown)
    },
    Self("an entry is deleted") { shown, entries in
      try await shown.scene.demo.connection.script("DELETE FROM notifications WHERE id = '\(entries[0])'")
    },
  ]
}
