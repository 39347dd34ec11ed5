import Formats
import FoundationEssentials

/// The field `Retry-After` of an answer.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
enum RetryAfter {
  /// No target may ask for more seconds.
  static let most = 3_600

  /// How many seconds it asks for, at most ``most``; `nil` for a value of neither form.
  static func seconds(_ value: String, now: Date) -> Int? {
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return min(Int(value) ?? most, most) }
    guard let date = HTTPDate.date(value) else { return nil }
    return Int(min(max(0, date.timeIntervalSince(now).rounded(.up)), Double(most)))
  }
}
