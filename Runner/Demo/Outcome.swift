import FunctionKit

/// The result of a step: who was notified on which device, and who was not.
struct Outcome: Sendable, Equatable {
  /// A push that a device got.
  struct Push: Sendable, Equatable {
    let kind: String
    let person: String
    /// The first 8 characters of the device's token.
    let device: String
    let title: String
    let body: String
  }

  /// A person who was not notified.
  struct NotNotified: Sendable, Equatable {
    let person: String
    let reason: String
  }

  let pushes: [Push]
  let notNotified: [NotNotified]
  let eventIDs: [String]
  /// How many deliveries are not finished, or are finished while the emulator does not have the push.
  let unfinished: Int
  /// Deliveries that ended in another state than `accepted`, with their reasons.
  let failures: [String]

  /// - Parameter received: the emulator's pushes by their ids.
  init(_ traces: [Trace], received: [String: RawJSON]) {
    var pushes: [Push] = []
    var failures: [String] = []
    var unfinished = 0
    for trace in traces {
      guard let delivery = trace.delivery else { continue }
      switch delivery.state {
      case "accepted":
        if let push = delivery.apnsID.flatMap({ received[$0] }) {
          pushes.append(Push(push, to: trace.person))
        } else {
          unfinished += 1
        }
      case "rejected", "expired": failures.append("\(trace.person): \(delivery.reason ?? delivery.state)")
      default: unfinished += 1
      }
    }
    let notified = Set(traces.filter { $0.reason == nil }.map(\.person))
    var notNotified: [NotNotified] = []
    for trace in traces
    where !notified.contains(trace.person) && !notNotified.contains(where: { $0.person == trace.person }) {
      notNotified.append(NotNotified(person: trace.person, reason: trace.reason ?? ""))
    }
    (self.pushes, self.notNotified, self.unfinished, self.failures) = (pushes, notNotified, unfinished, failures)
    eventIDs = Array(Set(traces.map(\.eventID))).sorted()
  }

  /// Whether the events were handled and their deliveries ended.
  func isComplete(events: Int) -> Bool { eventIDs.count >= events && unfinished == 0 }
}

extension Outcome.Push {
  fileprivate init(_ push: RawJSON, to person: String) {
    let alert = push["payload"]?["aps"]?["alert"]
    kind = push["kind"]?.stringValue ?? ""
    self.person = person
    device = String((push["token"]?.stringValue ?? "").prefix(8))
    title = alert?["title"]?.stringValue ?? ""
    body = alert?["body"]?.stringValue ?? alert?.stringValue ?? ""
  }
}
