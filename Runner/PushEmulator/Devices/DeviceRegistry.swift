/// What the devices do by instruction; a device without one takes every push.
struct DeviceRegistry: Sendable {
  private var devices: [String: Device] = [:]

  private struct Device: Sendable {
    var unregisteredSince: Int?
    var answers: [Answer] = []
  }

  /// An instruction for one device.
  enum Instruction: Sendable, Equatable {
    /// Takes pushes again, and forgets its scripted answers.
    case registered
    /// The app is gone since that time, in milliseconds since 1970.
    case unregistered(since: Int)
    /// The answers to the next pushes, one each, in place of those scripted before.
    case answers([Answer])
  }

  /// The longest script of a device, in answers.
  static let scriptLimit = 10_000

  mutating func apply(_ instruction: Instruction, to token: String) {
    switch instruction {
    case .registered: devices[token] = nil
    case .unregistered(let since): devices[token, default: Device()].unregisteredSince = since
    case .answers(let answers): devices[token, default: Device()].answers = answers
    }
  }

  /// The answer to a push that has no fault of its own; takes one from the script.
  mutating func nextAnswer(for token: String) -> Answer {
    guard let device = devices[token] else { return .accepted }
    if !device.answers.isEmpty { return devices[token, default: Device()].answers.removeFirst() }
    return device.unregisteredSince.map { .refused(.unregistered, timestamp: $0) } ?? .accepted
  }
}
