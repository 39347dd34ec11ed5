import Formats
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A part of a Live Activity's payload, which can be made smaller.
public protocol LiveActivityPart: Codable, Hashable, Sendable {
  /// Makes the JSON at least `excess` bytes shorter, if possible; else as short as allowed.
  mutating func shorten(by excess: Int)
}

/// The subject of a Live Activity: it stays the same for as long as the activity is there.
///
/// It has all that ActivityKit asks for. The app says so, and uses the type as it is:
///
/// ```swift
/// extension ProposalActivityAttributes: @retroactive ActivityAttributes {}
/// ```
///
/// The type's name is the payload's `attributes-type`, so it must not change while phones have it.
public protocol LiveActivityAttributes: LiveActivityPart {
  /// The part that changes while the activity is there.
  associatedtype ContentState: LiveActivityPart
}

extension Encodable {
  /// The JSON that ActivityKit reads: its `JSONDecoder` has the settings of a new one.
  ///
  /// So keys are not converted, and a `Date` would be seconds since 2001. Home Assistant found its countdowns 31 years
  /// late: https://github.com/home-assistant/iOS/pull/4677. The types here have whole seconds since 1970, which any
  /// decoder reads in the same way.
  package var activityKitJSON: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return Array(try encoder.encode(self))
    }
  }
}

/// A time in a Live Activity's payload, in whole seconds since 1970.
struct ActivityTime: Codable, Hashable, Sendable {
  let seconds: Int

  /// The second before it; the first or last one for times without end, which PostgreSQL has.
  init(_ date: Date) {
    seconds = Int(min(max(date.timeIntervalSince1970, 0), Self.limit).rounded(.down))
  }

  var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

  init(from decoder: any Decoder) throws {
    self.init(Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self)))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(seconds)
  }

  /// The end of the year 9999.
  private static let limit = 253_402_300_799.0
}

/// An id in a Live Activity's payload; in lower case, as everywhere in pushes.
struct ActivityID: Codable, Hashable, Sendable {
  let id: UUID

  init(id: UUID) { self.id = id }

  init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(UUID.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id.lowercased)
  }
}
