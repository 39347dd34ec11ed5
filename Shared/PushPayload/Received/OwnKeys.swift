import Formats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reading and writing an app's own keys; FCM and some servers send numbers as strings.
extension [String: PushPayload.Value] {
  func text(_ key: String) -> String? {
    switch self[key] {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case nil: nil
    }
  }

  func integer(_ key: String) -> Int? {
    switch self[key] {
    case .string(let text): Int(text)
    case .integer(let number): number
    case nil: nil
    }
  }

  func uuid(_ key: String) -> UUID? { text(key).flatMap { UUID(text: $0[...]) } }

  func date(_ key: String) -> Date? { text(key).flatMap(Date.init(iso8601:)) }

  mutating func set(_ key: String, _ text: String?) { self[key] = text.map(PushPayload.Value.string) }
  mutating func set(_ key: String, _ number: Int?) { self[key] = number.map(PushPayload.Value.integer) }
  mutating func set(_ key: String, _ id: UUID?) { set(key, id?.lowercased) }
  mutating func set(_ key: String, _ date: Date?) { set(key, date?.iso8601) }
}

/// These use the JSON coders, which know the format on every version of iOS.
extension Date {
  fileprivate init?(iso8601 text: String) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let json = try? JSONEncoder().encode([text]), let dates = try? decoder.decode([Date].self, from: json),
      let date = dates.first
    else { return nil }
    self = date
  }

  fileprivate var iso8601: String? {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return (try? encoder.encode([self])).flatMap { try? JSONDecoder().decode([String].self, from: $0).first }
  }
}
