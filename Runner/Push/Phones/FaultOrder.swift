import Formats
import FoundationEssentials
import FunctionKit
import Postgres

/// How the emulator is to answer the next pushes.
struct FaultOrder {
  let answer: Answer
  /// The row of `device_tokens`; `nil` for all phones.
  let device: UUID?
  let times: Int

  enum Answer: String, CaseIterable {
    case gone = "410"
    case busy = "429"
    case unavailable = "503"
    case slow, reset
  }

  /// Gives it to the emulator; returns the fault's number.
  func send(to emulator: EmulatorControl, _ store: ReportStore) async throws -> Int {
    let now = try await store.now()
    var members = [("answer", answer.json(at: now)), ("times", RawJSON(times))]
    if let device {
      let rows = try await store.read { try await $0.query("SELECT token FROM device_tokens WHERE id = \(device)") }
      guard let token = rows.first?["token"] else {
        throw FunctionError(.noInput, "There is no device \(device.lowercased).")
      }
      members.append(("tokens", RawJSON(token)))
    }
    return try await emulator.post("/faults", RawJSON(object: members))?["id"]?.intValue ?? 0
  }

  var words: String {
    "the next \(times == 1 ? "push" : "\(times) pushes")\(device == nil ? "" : " to it"): \(answer.words)"
  }
}

extension FaultOrder.Answer {
  /// In plain words.
  var words: String {
    switch self {
    case .gone: "410 Unregistered"
    case .busy: "429 TooManyRequests"
    case .unavailable: "503 ServiceUnavailable"
    case .slow: "accepted after 3 seconds"
    case .reset: "the stream is reset"
    }
  }

  /// In the form of the emulator's `POST /faults`.
  ///
  /// APNs says since when a token is dead; a device that was registered later stays.
  func json(at now: Date) -> RawJSON {
    switch self {
    case .gone:
      refusal(410, "Unregistered", [("timestamp", RawJSON(Int(now.timeIntervalSince1970 * 1_000)))])
    case .busy: refusal(429, "TooManyRequests", [("retryAfter", RawJSON(5))])
    case .unavailable: refusal(503, "ServiceUnavailable", [])
    case .slow: RawJSON(object: [("delay", RawJSON(3_000))])
    case .reset: RawJSON(object: [("reset", RawJSON("INTERNAL_ERROR"))])
    }
  }

  private func refusal(_ status: Int, _ reason: String, _ more: [(String, RawJSON)]) -> RawJSON {
    RawJSON(object: [("status", RawJSON(status)), ("reason", RawJSON(reason))] + more)
  }
}
