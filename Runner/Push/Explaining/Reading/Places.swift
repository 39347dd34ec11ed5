import Documents
import Formats
import FoundationEssentials
import FunctionKit
import Postgres

/// The place of a decision among those of one function about an event: where a list of people goes on.
struct PersonPlace: Sendable {
  let key: DecisionKey

  init(_ key: DecisionKey) { self.key = key }

  /// Reads ``text``.
  ///
  /// - Throws: ``FunctionError/Code/usage`` for another one.
  static func read(_ text: String) throws(FunctionError) -> PersonPlace {
    guard let parts = PlaceText.parts(of: text, 5), let user = UUID(uuidString: parts[3]) else {
      throw FunctionError(.usage, "--after takes the \"next\" that a list of people has.")
    }
    return PersonPlace(
      DecisionKey(function: parts[0], source: parts[1], event: parts[2], user: user, subject: parts[4]))
  }

  /// A word of a command line.
  var text: String { PlaceText.of([key.function, key.source, key.event, key.user.lowercased, key.subject]) }

  /// Whether it is among what this row of `handled_events` decided: an event's parts are handled by the same function.
  func isOf(_ row: Row) -> Bool {
    row["function"] == key.function && row["source"] == key.source && row["event_id"] == key.event
  }
}

/// The place of a decision among those about one person, the newest first: where a list goes on.
struct DecisionPlace: Sendable {
  /// The time with microseconds, as PostgreSQL writes it.
  let at: String
  let function: String
  let source: String
  let event: String
  let subject: String

  /// From the columns of a key, and the text `at`.
  init(_ row: Row) {
    (at, function, source) = (row["at"] ?? "", row["function"] ?? "", row["source"] ?? "")
    (event, subject) = (row["event_id"] ?? "", row["subject_id"] ?? "")
  }

  /// Reads ``text``.
  ///
  /// - Throws: ``FunctionError/Code/usage`` for a text that is not ``text`` of a place.
  private init(_ text: String) throws(FunctionError) {
    guard let parts = PlaceText.parts(of: text, 5), Self.isTime(parts[0]) else {
      throw FunctionError(.usage, "--before takes the \"next\" that a list of decisions has.")
    }
    (at, function, source, event, subject) = (parts[0], parts[1], parts[2], parts[3], parts[4])
  }

  /// Whether PostgreSQL can have written it in UTC: no day is one too many in its month.
  private static func isTime(_ text: String) -> Bool {
    guard let match = text.wholeMatch(of: /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?\+00/) else { return false }
    let seconds = "\(match.1)T\(match.2)Z"
    return !seconds.hasPrefix("0000") && RFC3339.date(seconds).map(RFC3339.seconds) == seconds
  }

  /// Reads ``text``.
  static func read(_ text: String) throws(FunctionError) -> DecisionPlace { try DecisionPlace(text) }

  /// A word of a command line.
  var text: String { PlaceText.of([at, function, source, event, subject]) }
}

/// The place of a device among a person's of an app, the active ones first: where a list goes on.
struct DevicePlace: Sendable {
  /// When the list was read: it goes on where it was, although the device may have been switched since.
  let isActive: Bool
  let id: UUID

  init(_ device: AppState.OwnDevice) { (isActive, id) = (device.isActive, device.device.id.uuid) }

  private init(isActive: Bool, id: UUID) { (self.isActive, self.id) = (isActive, id) }

  /// Reads ``text``.
  ///
  /// - Throws: ``FunctionError/Code/usage`` for another one.
  static func read(_ text: String) throws(FunctionError) -> DevicePlace {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, ["active", "inactive"].contains(parts[0]), let id = UUID(uuidString: String(parts[1]))
    else {
      throw FunctionError(.usage, "--devices-after takes the \"nextDevices\" that a list of devices has.")
    }
    return DevicePlace(isActive: parts[0] == "active", id: id)
  }

  /// A word of a command line.
  var text: String { "\(isActive ? "active" : "inactive"):\(id.lowercased)" }
}

/// Places as words of a command line: lists of texts.
private enum PlaceText {
  static func of(_ parts: [String]) -> String {
    String(decoding: RawJSON(array: parts.map { RawJSON($0) }).bytes, as: UTF8.self)
  }

  /// The texts of a place; `nil` unless there are exactly `count`, and for what PostgreSQL cannot hold.
  static func parts(of text: String, _ count: Int) -> [String]? {
    let elements = (try? RawJSON(validating: Array(text.utf8)[...]))?.elements ?? []
    let parts = elements.compactMap(\.stringValue)
    guard elements.count == count, parts.count == count, !parts.contains(where: { $0.utf8.contains(0) }) else {
      return nil
    }
    return parts
  }
}
